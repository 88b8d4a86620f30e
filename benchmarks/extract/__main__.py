"""Measure the extract room: `python -m benchmarks.extract [DATA]`.

DATA is a folder with `pdf/policy`, `docx` and `bombs` in it. CPU seconds are
the figure, never wall time. Prints a table, then one JSON object per figure and
line; `holds` is null, with the reason, where nothing could be measured.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

from benchmarks.extract.consensus import consensus, f1, referees, words
from benchmarks.extract.pages import page
from benchmarks.figures import Figure, at_least, at_most, show, unmeasured
from watcher.extract import InkMap, Options, Source, extract
from watcher.extract.geometry import Geometry
from watcher.extract.isolate import measured
from watcher.extract.model import PdfEngine

REPOSITORY = Path(__file__).resolve().parent.parent.parent
ENGINES: tuple[PdfEngine, ...] = ("pypdf", "pdfium")
SPEED = {"pypdf": 25.0, "pdfium": 150.0}
HTML_PAGES = 240


def pdf_words(data: Path) -> Iterator[Figure]:
    scores: dict[str, list[float]] = {}
    documents: dict[str, list[float]] = {}
    for path in sorted((data / "pdf" / "policy").glob("*.pdf")):
        texts = {engine: _pages(path, engine) for engine in ENGINES} | referees(path)
        mine: dict[str, list[float]] = {engine: [] for engine in texts}
        for number in range(len(texts["pypdf"])):
            counts = {
                engine: words(pages[number] if number < len(pages) else "")
                for engine, pages in texts.items()
            }
            wanted = consensus(counts.values())
            for engine, found in counts.items():
                mine[engine].append(f1(found, wanted))
        for engine, values in mine.items():
            scores.setdefault(engine, []).extend(values)
            documents.setdefault(engine, []).append(sum(values) / len(values))
    for engine, values in scores.items():
        mean = sum(values) / len(values)
        if engine in ENGINES:
            yield at_least(f"word_f1_{engine}", mean, "f1", 0.99)
            yield at_least(f"word_f1_{engine}_worst_document", min(documents[engine]), "f1", 0.97)
        else:
            yield Figure(f"word_f1_{engine}", round(mean, 4), "f1", "", None, "for comparison")


def _pages(path: Path, engine: PdfEngine) -> list[str]:
    reading = extract(Source(path.read_bytes()), Options(pdf_engine=engine))
    return reading.text.data.decode().split("\f")


def pdf_speed(data: Path) -> Iterator[Figure]:
    for engine in ENGINES:
        pages, spent = 0, 0.0
        for path in sorted((data / "pdf" / "policy").glob("*.pdf")):
            source = Source(path.read_bytes())
            began = time.process_time()
            pages += len(extract(source, Options(pdf_engine=engine)).page_labels)
            spent += time.process_time() - began
        yield at_least(f"pages_per_cpu_second_{engine}", pages / spent, "1/s", SPEED[engine])


def html_clauses(_: Path) -> Iterator[Figure]:
    lost = wrong = clauses = 0
    for seed in range(HTML_PAGES):
        made = page(seed)
        text = extract(Source(made.markup, made.content_type)).text.data.decode()
        lines = {" ".join(line.replace("|", " ").split()) for line in text.split("\n")}
        lost += sum(clause not in lines for clause in made.clauses)
        clauses += len(made.clauses)
        wrong += text.replace("|", " ").split() != " ".join(made.clauses).split()
    yield at_least("html_pages", HTML_PAGES, "pages", 200)
    yield at_most(f"html_clauses_lost_of_{clauses}", lost, "clauses", 0)
    yield at_most("html_pages_with_words_glued_or_split", wrong, "pages", 0)


def docx_parts(data: Path) -> Iterator[Figure]:
    kept = total = 0
    for path in sorted((data / "docx").rglob("*.docx")):
        raw = path.read_bytes()
        if not raw.startswith(b"PK"):
            continue
        text = "".join(extract(Source(raw, name=path.name)).text.data.decode().split())
        text = text.replace("|", "")
        for piece in _pieces(raw):
            total += 1
            kept += "".join(piece.split()).replace("|", "") in text
    yield at_least(f"docx_share_kept_of_{total}_pieces", kept / max(1, total), "share", 1.0)


def _pieces(data: bytes) -> Iterator[str]:
    story = re.compile(r"word/(document|header|footer|footnotes|endnotes|comments)\d*\.xml")
    with zipfile.ZipFile(BytesIO(data)) as parts:
        for name in filter(story.fullmatch, parts.namelist()):
            root = ET.fromstring(parts.read(name))
            for parent in list(root.iter()):
                for child in [c for c in parent if c.tag.endswith("}Fallback")]:
                    parent.remove(child)
            yield from (e.text or "" for e in root.iter() if e.tag.endswith("main}t"))


def hostile(data: Path) -> Iterator[Figure]:
    cpu = peak = answered = total = 0.0
    for path in sorted((data / "bombs").glob("*.pdf")) + sorted((data / "pdf").rglob("*.pdf")):
        _, used = measured(Source(path.read_bytes(), name=path.name))
        total, answered = total + 1, answered + 1
        cpu, peak = max(cpu, used.cpu_seconds), max(peak, used.peak_bytes)
    yield at_most("hostile_cpu_seconds_worst", cpu, "s", 15)
    yield at_most("hostile_peak_worst", peak / 2**20, "MiB", 512)
    yield at_most("daemon_crashes", total - answered, "crashes", 0)


def same_everywhere(data: Path) -> Iterator[Figure]:
    """Digests of many texts in fresh interpreters: two hash seeds each, every Python given."""
    paths = sorted((data / "pdf" / "structural").glob("*.pdf"))[::4]
    paths += sorted((data / "docx").rglob("*.docx"))[::3] + sorted((data / "html").rglob("*.html"))
    pythons = [sys.executable, *filter(None, os.environ.get("PYTHONS", "").split(":"))]
    digests = set()
    for python in pythons:
        for seed in ("0", "4711"):
            done = subprocess.run(
                [python, "-m", "benchmarks.extract.digest", *map(str, paths)],
                capture_output=True,
                check=True,
                cwd=REPOSITORY,
                env=os.environ | {"PYTHONHASHSEED": seed},
            )
            digests.add(hashlib.sha256(done.stdout).hexdigest())
    reason = f"{len(paths)} files, {len(pythons)} Pythons (PYTHONS names more), 2 hash seeds"
    yield Figure("different_digests", len(digests), "digests", "== 1", len(digests) == 1, reason)


def rectangles(data: Path) -> Iterator[Figure]:
    for engine in ENGINES:
        covered = asked = spent = mapping = pages = 0.0
        for path in sorted((data / "pdf" / "policy").glob("*.pdf"))[::4]:
            raw = path.read_bytes()
            text = extract(Source(raw), Options(pdf_engine=engine)).text
            geometry = Geometry(raw, text)
            began = time.process_time()
            for number in range(1, len(text.pages) + 1):
                geometry.boxes(number)
            mapping += time.process_time() - began
            pages += len(text.pages)
            for found in re.finditer(rb"[^\n\f]{40,200}", text.data):
                began = time.process_time()
                covered += geometry.place([found.span()]).coverage
                spent += time.process_time() - began
                asked += 1
            geometry.close()
        target = 1.0 if engine == "pdfium" else 0.995
        yield at_least(f"rectangle_coverage_{engine}", covered / asked, "share", target)
        yield at_most(f"rectangle_ms_per_citation_{engine}", 1000 * spent / asked, "ms", 10)
        # With every page's map spread over its citations, as where each is asked for once.
        whole = 1000 * (spent + mapping) / asked
        yield at_most(f"rectangle_ms_per_citation_{engine}_with_maps", whole, "ms", 10)
        yield Figure(
            f"page_map_ms_{engine}", round(1000 * mapping / pages, 2), "ms", "", None, "kept"
        )


def crossing(data: Path) -> Iterator[Figure]:
    exact = total = 0
    for path in sorted((data / "pdf" / "policy").glob("*.pdf")):
        source = Source(path.read_bytes())
        old, new = (extract(source, Options(pdf_engine=engine)).text for engine in ENGINES)
        exact += len(InkMap(old, new).exact_pages)
        total += len(old.pages)
    yield at_least("pages_exact_across_engines", exact / total, "share", 0.88)


PARTS: tuple[Callable[[Path], Iterator[Figure]], ...] = (
    html_clauses,
    docx_parts,
    pdf_words,
    pdf_speed,
    rectangles,
    crossing,
    hostile,
    same_everywhere,
)


def main() -> None:
    given = sys.argv[1] if len(sys.argv) > 1 else REPOSITORY.parent / "shared" / "data" / "extract"
    data = Path(given)
    figures: list[Figure] = []
    for part in PARTS:
        if part is html_clauses or data.is_dir():
            figures += part(data)
        else:
            figures.append(unmeasured(part.__name__, "", f"no folder {data}"))
    show(figures)


if __name__ == "__main__":
    main()
