"""Builds the canonical text of one page from blocks, lines, cells and runs.

HTML and DOCX walks say what they meet; this class decides about white space,
keeps byte offsets and resolves marks (headings, links, landmarks), so that the
rules of `canon` hold by construction and a mark's range is exact at once.
"""

from __future__ import annotations

import re

from watcher.domain.ranges import Range
from watcher.extract.canon import clean

LINE = 1
PARAGRAPH = 2
"""Line ends around a block: 2 leave one empty line."""

_WHITE_SPACE = re.compile(r"[ \t\n]+")


class Mark:
    """A range in the making: begins at the next character, ends at the last one."""

    __slots__ = ("end", "start")

    def __init__(self) -> None:
        self.start = -1
        self.end = -1

    @property
    def range(self) -> Range:
        """The range; empty where nothing was written while the mark was open."""
        return Range(self.start, self.end)


class TextBuilder:
    """Collects text in document order.

    White space is held back until a character follows it, so blanks at line
    ends and empty lines at the ends of the page never come to be.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._opening: list[Mark] = []
        self._breaks = 0
        self._blank = ""
        self._separators = 0
        self._cells = 0
        self.size = 0
        self.characters = 0

    def open(self) -> Mark:
        """Return a mark that begins where the next character will stand."""
        mark = Mark()
        self._opening.append(mark)
        return mark

    def close(self, mark: Mark) -> Mark:
        """End `mark` after the last character written."""
        if mark.start < 0:
            self._opening.remove(mark)
            mark.start = self.size
        mark.end = self.size
        return mark

    def block(self, line_ends: int) -> None:
        """Begin or end a block: at least `line_ends` line ends before what follows."""
        if self._cells:
            self._blank = " "
            return
        self._end_row()
        self._breaks = max(self._breaks, line_ends)
        self._blank = ""

    def line_break(self) -> None:
        """End the line; twice in a row leaves one empty line."""
        if self._cells:
            self._blank = " "
            return
        self._breaks = min(self._breaks + 1, PARAGRAPH)
        self._blank = ""

    def begin_cell(self, *, first: bool) -> None:
        """Enter a table cell: until `end_cell` line ends are spaces."""
        if not first:
            self._separators += 1
        self._blank = " " if self._cells else ""
        self._cells += 1

    def end_cell(self) -> None:
        """Leave a table cell."""
        self._cells -= 1
        self._blank = " " if self._cells else ""

    def text(self, text: str, *, preserve: bool = False) -> None:
        """Write a run; white space is collapsed unless `preserve` (as in `pre`)."""
        text = clean(text, "\n" if preserve else " ")
        if preserve and not self._cells:
            self._preserved(text)
            return
        body = _WHITE_SPACE.sub(" ", text)
        if body[:1] == " ":
            self._blank = self._blank or " "
            body = body[1:]
        if not body:
            return
        trailing = body[-1] == " "
        self._write(body[:-1] if trailing else body, "" if self._at_line_start() else self._blank)
        self._blank = " " if trailing else ""

    def finish(self) -> bytes:
        """Return the canonical bytes: empty, or ending with one LF."""
        self._end_row()
        return ("".join(self._parts) + "\n").encode() if self.size else b""

    def _preserved(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self.line_break()
            body = line.rstrip(" \t")
            if body:
                self._write(body, self._blank)
                self._blank = ""
            self._blank += line[len(body) :]

    def _at_line_start(self) -> bool:
        return (self.size == 0 or self._breaks > 0) and not self._separators

    def _write(self, body: str, blank: str) -> None:
        if self.size == 0:
            body = body.lstrip("\ufeff")
            if not body:
                return
        lead = "\n" * self._breaks if self.size else ""
        self._breaks = 0
        if self._separators:
            lead += " |" * self._separators + " "
            self._separators = 0
        else:
            lead += blank
        self._append(lead)
        for mark in self._opening:
            mark.start = self.size
        self._opening.clear()
        self._append(body)
        self.characters += len(body)

    def _append(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self.size += len(text) if text.isascii() else len(text.encode())

    def _end_row(self) -> None:
        """Write the separators of the empty cells that end a row."""
        if not self._separators:
            return
        lead = "\n" * self._breaks if self.size else ""
        self._breaks = 0
        self._append(lead + " |" * self._separators)
        self._separators = 0
