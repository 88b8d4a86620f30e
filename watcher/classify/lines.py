"""Tell the lines of a text apart by their form: headings, items, rows, text.

Language-free. A number or a bullet that begins a line is taken for a list
number only where a list can begin: in wrapped text, "section" may end one line
and "4. The provider pays" begin the next.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple


class LineKind(StrEnum):
    """What a line is by its form."""

    TEXT = "text"
    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    BLANK = "blank"
    MARKUP = "markup"


class Line(NamedTuple):
    """One line of a folded text; `body` is where its text begins."""

    kind: LineKind
    start: int
    end: int
    body: int
    marker: tuple[int, int] | None = None


_PREFIX = re.compile(
    r"[ \t]*(?:>[ \t]?)*[ \t]*"
    r"(?:(?P<hash>\#{1,6})(?=[ \t]|$)[ \t]*)?"
    r"(?P<marker>(?:[-+\u2022\u2023\u25e6\u00b7\u25aa\u25cf\u25cb\u2013]"
    r"|\\?[*\u2020\u2021])(?=[ \t])"
    r"|:(?=[ \t])"
    r"|\[\^[^\]\s]{1,80}\]:"
    r"|[\u00b9\u00b2\u00b3](?=[ \t])"
    r"|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]{1,2}|[ivxlcIVXLC]{1,6})\)(?=[ \t])"
    r"|(?!\d{1,2}\.[ \t]+[^\W\d_]+\.?[ \t]+(?:19|20)\d\d)"
    r"(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxlcIVXLC]{1,5})\.(?=[ \t]|$)"
    r"|\d{1,3}[\u00b0\u00ba](?=[ \t]+(?!Celsius|Fahrenheit)"
    r"[A-Z\u00c0-\u00de][a-z\u00df-\u00ff])"
    r"|\d{1,3}(?:\.\d{1,3})+(?=[ \t]))?"
    r"[ \t]*",
    re.MULTILINE,
)
_RULE_LINE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$|[ \t]*```.*$")
_ALIGN_SIGNS = frozenset("|:- \t")
_OPEN_END = re.compile(r"(?:[.:;!?)\]\"'*_|]|[;,][ \t]+[^\W\d_]{1,4})[ \t]*$")
_REFERENCE_END = re.compile(
    r"(?<![^\W_])(?:art|arts|nr|no|nos|abs|sec|par|para|lit|ziff|rn|n|num|núm|pkt|ust|poz|cl|ch|"
    r"kap|cap|p|pp|s|str|pag|pág|bl|vol|fig|lid|al|rdnr|anm|u|v)\.[ \t]*$",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"[A-Z]\.")


def _follows_break(lines: list[Line], text: str) -> bool:
    """Tell whether a number at a line's start may be a list number.

    In wrapped text "section" can end one line and "4. The Provider" begin the
    next; a list number follows a finished line, another item or a heading.
    """
    if not lines:
        return True
    last = lines[-1]
    if last.kind is not LineKind.TEXT:
        return True
    if _REFERENCE_END.search(text, last.start, last.end):
        return False
    return _OPEN_END.search(text, last.start, last.end) is not None


def _aligns(content: str) -> bool:
    """Tell whether a line is the rule below a table's header ("|---|:--|")."""
    rule = "--" in content or ":-" in content or "-:" in content
    return "|" in content and rule and set(content) <= _ALIGN_SIGNS


def _may_be_marker(marker: str, before: list[Line], text: str) -> bool:
    """Tell whether what stands at a line's start is a list number, not a part of the text."""
    if not any(c.isalnum() for c in marker):
        return True
    if _INITIAL.fullmatch(marker):
        # "A. Smith pays": an initial, unless a list of such letters has begun.
        return any(
            line.marker and _INITIAL.fullmatch(text[slice(*line.marker)]) for line in before
        ) or text[slice(*_first_word(before, text))] in {"A.", "I."}
    return _follows_break(before, text)


def _first_word(before: list[Line], text: str) -> tuple[int, int]:
    """Return the span of the two characters that begin the last line with text."""
    lines = [line for line in before if line.kind is not LineKind.BLANK]
    start = lines[-1].start if lines else len(text)
    return start, start + 2


def split_lines(text: str) -> list[Line]:
    """Return the lines of a folded text with their kind and where each body begins."""
    lines: list[Line] = []
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        lines.append(_line(text, start, end, lines))
        start = end + 1
    return lines


def _line(text: str, start: int, end: int, before: list[Line]) -> Line:
    content = text[start:end]
    if not content or content.isspace():
        return Line(LineKind.BLANK, start, end, end)
    if _RULE_LINE.match(content) or _aligns(content):
        return Line(LineKind.MARKUP, start, end, end)
    prefix = _PREFIX.match(text, start, end)
    assert prefix is not None
    body, marker = prefix.end(), prefix["marker"]
    if "|" in content and (content.lstrip().startswith("|") or " | " in content):
        return Line(LineKind.ROW, start, end, start)
    heading = prefix["hash"] is not None
    if marker and not heading and not _may_be_marker(marker, before, text):
        marker = None
    if marker and marker[-1].isdigit() and not heading and marker.count(".") < 2:
        marker = None
    span = prefix.span("marker") if marker else None
    if not marker:
        body = prefix.end("hash") if heading else start
    kind = LineKind.HEADING if heading else LineKind.ITEM if marker else LineKind.TEXT
    return Line(kind, start, end, body, span)
