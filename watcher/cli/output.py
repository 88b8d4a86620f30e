"""What commands print: tables for people, JSON lines for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TextIO

from watcher.alert.render import visible

Cell = str | int | float | bool | None | Sequence["Cell"] | Mapping[str, "Cell"]
_PIPE_WIDTH = 400

Row = Mapping[str, Cell]


def show_rows(rows: Iterable[Row], *, as_json: bool, columns: Sequence[str]) -> None:
    """Print `rows`: one JSON object a line, or a table of `columns`."""
    if as_json:
        for row in rows:
            show_json(row)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(_cell(row[column]))) for column in columns))
    # A pipe has no width: rows stay on one line each, as grep and cut expect.
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    Console(width=width).print(table)


def show_json(row: Row) -> None:
    """Print one JSON object on one line."""
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")


def show_lines(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines of which parts come from documents: controls are spelled out."""
    out = stream or sys.stdout
    for line in lines:
        out.write(visible(line) + "\n")


def when(moment: datetime | None) -> str | None:
    """Return an RFC 3339 time in UTC, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def short(version: str | None) -> str:
    """Return a version id that fits into a table; `--json` gives it whole."""
    return version.removeprefix("sha256:")[:12] if version else ""


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return short(value) if value.startswith("sha256:") else value
    if isinstance(value, Sequence):
        return ", ".join(map(_cell, value))
    return str(value)
