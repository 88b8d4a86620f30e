"""Print the digest of each file's text: `python -m benchmarks.extract.digest FILE...`."""

from __future__ import annotations

import sys
from pathlib import Path

from watcher.extract import Options, Source, extract

for name in sys.argv[1:]:
    source = Source(Path(name).read_bytes(), name=name)
    for engine in ("pypdf", "pdfium"):
        reading = extract(source, Options(pdf_engine="pypdf" if engine == "pypdf" else "pdfium"))
        print(engine, reading.text.version, reading.verdict.value, reading.rendition.rendition_id)
