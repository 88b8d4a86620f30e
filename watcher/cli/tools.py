"""The pure tools: JSON lines in, JSON lines out, no store and no settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer


class Engine(StrEnum):
    """The engines that read a PDF; auto is pypdf, and pdfium where that fails."""

    AUTO = "auto"
    PYPDF = "pypdf"
    PDFIUM = "pdfium"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("extract")(extract)
    app.command("classify")(classify)


def extract(
    files: Annotated[list[Path], typer.Argument(help="Files to read.")],
    media_type: Annotated[
        str | None, typer.Option(help="The type of all files, where bytes do not tell.")
    ] = None,
    engine: Annotated[Engine, typer.Option(help="The PDF engine.")] = Engine.AUTO,
    ocr: Annotated[
        list[str] | None, typer.Option(help="Read scanned pages in this language (eng).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for each file.")] = False,
) -> None:
    """Turn files into canonical text with exact pages, and say what was met."""
    import sys

    from watcher.extract import Options, tool

    options = Options(pdf_engine=engine.value, ocr=tuple(ocr or ()))
    tool.run(map(str, files), media_type, sys.stdout, as_json=json, options=options)


def classify(
    cases: Annotated[Path, typer.Option(help="JSON lines: id, lang, before, after.")],
) -> None:
    """Judge changes: cosmetic, editorial or policy-bearing, with the reasons."""
    import sys

    from watcher.classify import tool

    with _lines(cases) as lines:
        tool.run(lines, sys.stdout)


def reanchor_cases(cases: Path, root: Path) -> None:
    """Answer re-anchoring cases from files."""
    import sys

    from watcher.reanchor import tool

    with _lines(cases) as lines:
        tool.run(lines, root, sys.stdout)


@contextmanager
def _lines(path: Path) -> Iterator[TextIO]:
    from watcher.errors import UsageError

    try:
        # A byte that is not UTF-8 becomes `\xff`, which no JSON has: that line alone is wrong.
        stream = path.open(encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="name a file") from None
    with stream:
        yield stream
