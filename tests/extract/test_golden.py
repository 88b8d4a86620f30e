"""Texts of real documents by their versions: whatever changes them must show itself.

A dependency that is raised, or a rule that is changed, and moves one byte of one of these
texts fails here. If the change is wanted, `python -m tests.extract.test_golden` writes the
new versions into golden.json, and the changelog says that a rerender is due.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from watcher.extract import Options, Source, extract
from watcher.extract.model import PdfEngine

GOLDEN = Path(__file__).parent / "golden.json"
HISTORIES = Path(__file__).parents[2] / "watcher" / "demo" / "histories"
ENGINES: tuple[PdfEngine, ...] = ("pypdf", "pdfium")


def versions(path: Path) -> dict[str, str]:
    """The version of the text of `path` by engine, and its verdict."""
    source = Source(path.read_bytes(), name=path.name)
    engines = ENGINES if path.suffix == ".pdf" else ENGINES[:1]
    found = {}
    for engine in engines:
        reading = extract(source, Options(pdf_engine=engine))
        found[reading.rendition.engine] = f"{reading.verdict.value} {reading.text.version}"
    return found


def documents() -> list[Path]:
    return sorted(HISTORIES.rglob("*.pdf")) + sorted(HISTORIES.rglob("000.md"))


@pytest.mark.parametrize("path", documents(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_text_is_what_it_was(path: Path) -> None:
    golden = json.loads(GOLDEN.read_text())
    assert versions(path) == golden[str(path.relative_to(HISTORIES))]


if __name__ == "__main__":
    table = {str(path.relative_to(HISTORIES)): versions(path) for path in documents()}
    GOLDEN.write_text(json.dumps(table, indent=2) + "\n")
