"""Texts of real documents by their versions: whatever changes them must show itself.

A dependency that is raised, or a rule that is changed, and moves one byte of one of these
texts fails here. If the change is wanted, `python -m tests.extract.test_golden` writes the
new versions into golden.json, and the changelog says that a rerender is due.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extract.test_docx import LISTS, item, p, package, r
from watcher.extract import Options, Source, extract
from watcher.extract.model import PdfEngine

GOLDEN = Path(__file__).parent / "golden.json"
HISTORIES = Path(__file__).parents[2] / "watcher" / "demo" / "histories"
ENGINES: tuple[PdfEngine, ...] = ("pypdf", "pdfium")


PAGE = """<!doctype html><html lang="en"><head><title>Retention</title>
<noscript><iframe src="//tags"></iframe></noscript></head><body>
<nav><a href="/">Home</a></nav><main><h1 id="top">Data\u00a0retention</h1>
<p>We keep da<b>ta</b> for <del>60</del> <ins>30</ins> days<sup>1</sup>; soft\u00adhyphen, \ufb01x.
<details><summary>Exceptions</summary><p hidden>Legal holds.</p></details>
<table><tr><th>What<th>How long<tr><td>logs<td><tr><td rowspan=2>mail<td>1 | 2<br>years</table>
<pre>a  b
  c</pre><ol start=4><li>first<ul><li>inner</ul><li>second</ol></main>
<footer>\u00a9 2026 <ruby>\u4fdd\u5b58<rp>(</rp><rt>hozon</rt><rp>)</rp></ruby></footer></body></html>"""


def made() -> dict[str, Source]:
    """A source of each format that is not among the documents."""
    document = package(
        item("Scope", 1)
        + item("Terms", 1, 1)
        + p(r("We keep "), f"<w:ins>{r('30')}</w:ins>", r(" days"))
        + "<w:tbl><w:tr><w:tc>"
        + p(r("logs"))
        + "</w:tc><w:tc>"
        + p()
        + "</w:tc></w:tr></w:tbl>",
        {"n": ("numbering", "numbering.xml")},
        numbering=LISTS,
    )
    return {
        "made.html": Source(PAGE.encode(), "text/html; charset=utf-8"),
        "made-utf16.html": Source(PAGE.encode("utf-16-le"), "text/html"),
        "made.docx": Source(document, name="made.docx"),
        "made.md": Source(b"\xef\xbb\xbf# Title  \r\n\r\n\r\n*\ta\x00\x01b\f\n", name="made.md"),
        "made.txt": Source("one\fTwo\u2028three \r \u0085".encode(), "text/plain"),
    }


def versions(source: Source) -> dict[str, str]:
    """The version of the text of `source` by engine, and its verdict."""
    engines = ENGINES if source.data.startswith(b"%PDF") else ENGINES[:1]
    found = {}
    for engine in engines:
        reading = extract(source, Options(pdf_engine=engine))
        found[reading.rendition.engine] = f"{reading.verdict.value} {reading.text.version}"
    return found


def sources() -> dict[str, Source]:
    """Everything that is kept golden, by name."""
    return made() | {
        str(path.relative_to(HISTORIES)): Source(path.read_bytes(), name=path.name)
        for path in documents()
    }


def documents() -> list[Path]:
    return sorted(HISTORIES.rglob("*.pdf")) + sorted(HISTORIES.rglob("000.md"))


@pytest.mark.parametrize(("name", "source"), sources().items(), ids=list(sources()))
def test_a_text_is_what_it_was(name: str, source: Source) -> None:
    golden = json.loads(GOLDEN.read_text())
    assert versions(source) == golden[name]


def test_texts_do_not_depend_on_how_hashes_are_seeded() -> None:
    paths = documents()[:2]
    told = {
        subprocess.run(
            [sys.executable, "-m", "benchmarks.extract.digest", *map(str, paths)],
            capture_output=True,
            check=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "4711")
    }
    assert len(told) == 1
    assert told != {b""}


if __name__ == "__main__":
    table = {name: versions(source) for name, source in sources().items()}
    GOLDEN.write_text(json.dumps(table, indent=2) + "\n")
