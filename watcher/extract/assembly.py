"""Runs of characters with their places on a page, to lines of text.

pypdf decides about spaces and line ends while it reads, and its rules change
with its releases: a quarter of policy pages between two of them. Here those
decisions are one small set of rules of our own with a version, so that a pypdf
upgrade changes text only where it reads other characters. The order is the
content stream's, except within lines of right-to-left script.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ASSEMBLY = "1"
"""The version of these rules; part of the rendition."""

_SAME_DIRECTION = 0.9
"""Cosine above which two runs are written in one direction."""
_LINE = 0.7
"""Baselines further apart than this part of the (mean) font size are two lines."""
_OVERPRINT = 0.15
"""Equal runs closer than this part of the font size are one, painted twice."""
_BACK = 1.0
"""A run that goes back by more than this many font sizes begins a line."""
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LTR = re.compile(r"[A-Za-z\u00c0-\u058f\u0900-\u1fff\u2c00-\ud7ff]")
_ARABIC_NUMBER = "0-9\u0660-\u0669\u06f0-\u06f9"
_VISUAL = re.compile(
    rf"[{_ARABIC_NUMBER}]+(?:[.,:/\-][{_ARABIC_NUMBER}]+)*%?"
    r"|[A-Za-z\u00c0-\u058f\u0900-\u1fff\u2c00-\ud7ff]"
    rf"(?:[^\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]*[A-Za-z\u00c0-\u058f{_ARABIC_NUMBER}])?"
)
"""What is read from left to right inside a right-to-left line."""


@dataclass(slots=True)
class Run:
    """Characters shown at once.

    `x, y` is where the first begins and `ax, ay` the way to the end of the
    last, in points of the page; `size` the font size there; `space` the width
    that a word space has in this font at this size.
    """

    text: str
    x: float
    y: float
    ax: float
    ay: float
    size: float
    space: float


class Lines:
    """Takes runs in content order; `text` gives the page."""

    def __init__(self) -> None:
        self._done: list[str | list[Run]] = []
        self._line: list[tuple[str, Run]] = []
        self._last: Run | None = None
        self._placed: dict[str, Run] = {}

    def add(self, run: Run) -> None:
        """Write a run after the last one, with the separator that their places ask for."""
        if self._is_overprint(run):
            return
        if self._last is not None and _covers(self._last, run):
            self._drop_blank()
        between = _between(self._last, run) if self._last is not None else ""
        if between == "\n":
            self._end_line()
        self._line.append((between if between != "\n" else "", run))
        self._last = run

    def _is_overprint(self, run: Run) -> bool:
        """Tell whether the same characters stand there already: bold or shadow made by hand."""
        if run.text.isspace():
            return False
        before = self._placed.get(run.text)
        self._placed[run.text] = run
        near = _OVERPRINT * run.size
        return before is not None and abs(run.x - before.x) < near and abs(run.y - before.y) < near

    def _drop_blank(self) -> None:
        """Forget a blank that the next run is painted over: nobody sees it."""
        self._line.pop()
        self._last = self._line[-1][1] if self._line else None

    def text(self) -> str:
        """Return all lines, those with right-to-left script in reading order."""
        self._end_line()
        visual = [line if isinstance(line, str) else _by_place(line) for line in self._done]
        turned = "".join(
            text for text, line in zip(visual, self._done, strict=True) if not isinstance(line, str)
        )
        if not turned:
            return "\n".join(visual)
        page = "".join(visual)
        mostly = len(_RTL.findall(page)) >= len(_LTR.findall(page))
        return "\n".join(
            text if isinstance(line, str) else logical(text, right_to_left=mostly)
            for text, line in zip(visual, self._done, strict=True)
        )

    def _end_line(self) -> None:
        if not self._line:
            return
        if any(_RTL.search(run.text) for _, run in self._line):
            self._done.append([run for _, run in self._line])
        else:
            self._done.append("".join(between + run.text for between, run in self._line))
        self._line = []


def _between(last: Run, run: Run) -> str:
    """Return what separates two runs that follow each other: nothing, a space, a line end."""
    length = (last.ax * last.ax + last.ay * last.ay) ** 0.5
    if length == 0:
        ux, uy = _direction(run)
        if not (ux or uy):
            ux = 1.0
    else:
        ux, uy = last.ax / length, last.ay / length
    own = ux * run.ax + uy * run.ay
    reach = (run.ax * run.ax + run.ay * run.ay) ** 0.5
    if reach and own < _SAME_DIRECTION * reach:
        return "\n"
    dx, dy = run.x - last.x - last.ax, run.y - last.y - last.ay
    along, across = ux * dx + uy * dy, abs(ux * dy - uy * dx)
    size = (last.size + run.size) / 2
    if across > _LINE * size:
        return "\n"
    bound = min(last.space, run.space) / 2
    if along >= 0:
        return "" if along < bound or _is_spaced(last.text, run.text) else " "
    if along + own <= -length:
        # It lies wholly before the last run: right-to-left script, or a jump.
        if _RTL.search(run.text) or _RTL.search(last.text):
            return " " if -length - along - own >= bound else ""
        return "\n"
    return "\n" if -along > _BACK * size and reach > size else ""


def _covers(blank: Run, run: Run) -> bool:
    """Tell whether `run` begins where `blank`, which is only white space, does."""
    if blank.text.strip() or not run.text.strip():
        return False
    near = 0.2 * (abs(blank.ax) + abs(blank.ay))
    return near > 0 and abs(run.x - blank.x) <= near and abs(run.y - blank.y) <= near


def _direction(run: Run) -> tuple[float, float]:
    length = (run.ax * run.ax + run.ay * run.ay) ** 0.5
    return (run.ax / length, run.ay / length) if length else (0.0, 0.0)


def _is_spaced(before: str, after: str) -> bool:
    return before[-1:] in (" ", "\u00a0", "\n") or after[:1] in (" ", "\u00a0")


def _by_place(runs: list[Run]) -> str:
    """Return a line in the order of its places, left to right.

    Fonts draw from left to right whatever the script, so this is how a line
    with right-to-left script is read first; `logical` turns it.
    """
    ux, uy = _direction(runs[0])
    if not (ux or uy):
        ux = 1.0
    placed = sorted(
        ((ux * run.x + uy * run.y, index, run) for index, run in enumerate(runs)),
        key=lambda item: (item[0], item[1]),
    )
    visual, end = "", None
    for at, _, run in placed:
        if end is not None and at - end >= run.space / 2 and not _is_spaced(visual, run.text):
            visual += " "
        visual += run.text
        end = max(at + ux * run.ax + uy * run.ay, end if end is not None else at)
    return visual


def logical(visual: str, *, right_to_left: bool) -> str:
    """Return the reading order of a line given in the order of its places.

    A line is read from its right end where the page is mostly right-to-left
    or the line is; numbers and words of other scripts keep their inner order.
    Elsewhere only the right-to-left phrases inside it are turned.
    """
    if right_to_left or len(_RTL.findall(visual)) >= len(_LTR.findall(visual)):
        return "".join(reversed(_pieces(visual)))
    return _PHRASE.sub(lambda found: "".join(reversed(_pieces(found[0]))), visual)


_PHRASE = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
    "(?:[^A-Za-z\u00c0-\u058f\u0900-\u1fff\u2c00-\ud7ff]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc])?"
)


def _pieces(visual: str) -> list[str]:
    """Split into what keeps its inner order (numbers, Latin) and single characters."""
    pieces: list[str] = []
    position = 0
    while position < len(visual):
        found = _VISUAL.match(visual, position)
        piece = found[0] if found else visual[position]
        pieces.append(piece)
        position += len(piece)
    return pieces
