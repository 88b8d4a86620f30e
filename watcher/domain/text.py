"""The canonical text: its pages, its units and its slices.

A canonical text is UTF-8 bytes. Pages are separated by one U+000C that belongs
to no page, so the text alone carries its page boundaries. Three units address
it: `utf-8-bytes` (canonical), `utf-16-code-units` (browsers, JavaScript, Java)
and `code-points` (Python). Converting is exact or an error, never rounded.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from enum import StrEnum
from functools import cached_property

from watcher.domain.ids import VersionId, version_of
from watcher.domain.ranges import Range
from watcher.domain.resolution import RangeInvalidError, UnitInvalidError
from watcher.errors import UsageError

PAGE_BREAK = 0x0C
_STEP = 1024
"""Bytes between two checkpoints of the unit index: small enough that counting
inside one step is a few microseconds, large enough that 10 MB need 80 kB."""


class Unit(StrEnum):
    """The units in which an offset may be given."""

    UTF8 = "utf-8-bytes"
    UTF16 = "utf-16-code-units"
    CODE_POINTS = "code-points"

    @classmethod
    def parse(cls, value: str | None) -> Unit:
        """Return the unit named `value`.

        Raises:
            UnitInvalidError: no such unit, or none given.
        """
        try:
            return cls(value or "")
        except ValueError:
            known = ", ".join(unit.value for unit in cls)
            raise UnitInvalidError(
                f"{value!r} is not a unit of offsets", hint=f"use one of {known}"
            ) from None


def _require_integers(*offsets: int) -> None:
    """Refuse what only looks like an integer: JSON's true, 0.0 and "0"."""
    for offset in offsets:
        if type(offset) is not int:
            raise RangeInvalidError(
                f"offset {offset!r} is not an integer", hint="give offsets as JSON integers"
            )


def _is_boundary(data: bytes, offset: int) -> bool:
    return offset == len(data) or (offset < len(data) and data[offset] & 0xC0 != 0x80)


def _utf16_length(data: bytes) -> int:
    """Count UTF-16 code units of valid UTF-8 `data`.

    Every byte that is not a continuation starts a character (one unit); a lead
    byte >= 0xF0 starts one beyond the BMP (one more).
    """
    return _code_points(data) + sum(data.count(lead) for lead in _ASTRAL_LEADS)


_ASTRAL_LEADS = [bytes([lead]) for lead in range(0xF0, 0xF5)]
_CONTINUATIONS = bytes(range(0x80, 0xC0))


def _code_points(data: bytes) -> int:
    if data.isascii():
        return len(data)
    return len(data.translate(None, _CONTINUATIONS))


class CanonicalText:
    """One immutable canonical text with its page table and unit index.

    Raises:
        UsageError: `data` is not valid UTF-8.
    """

    def __init__(self, data: bytes) -> None:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"the text is not UTF-8 (byte {error.start})",
                hint="a canonical text is UTF-8; extract the source again",
            ) from None
        self.data = data

    def __len__(self) -> int:
        """Return the length in UTF-8 bytes."""
        return len(self.data)

    @cached_property
    def version(self) -> VersionId:
        """`sha256:` of the bytes."""
        return version_of(self.data)

    @cached_property
    def pages(self) -> tuple[Range, ...]:
        """The pages in order; with one form feed between two they tile the text."""
        pages, start = [], 0
        while (stop := self.data.find(PAGE_BREAK, start)) >= 0:
            pages.append(Range(start, stop))
            start = stop + 1
        pages.append(Range(start, len(self.data)))
        return tuple(pages)

    @cached_property
    def _page_starts(self) -> list[int]:
        return [page.start for page in self.pages]

    def page_of(self, offset: int) -> int:
        """Return the page, counted from 1, that holds byte `offset`."""
        return bisect_right(self._page_starts, offset)

    def is_boundary(self, offset: int) -> bool:
        """Tell whether `offset` lies between two characters (or at an end)."""
        return offset >= 0 and _is_boundary(self.data, offset)

    def check_range(self, start: int, end: int) -> Range:
        """Return `Range(start, end)` if an anchor may have it.

        Raises:
            RangeInvalidError: empty, reversed, out of bounds, inside a
                character, or across a page.
        """
        size = len(self.data)
        _require_integers(start, end)
        if not 0 <= start < end <= size:
            raise RangeInvalidError(
                f"range {start}:{end} is not inside the text (0:{size}) or is empty",
                hint="give 0 <= start < end <= length, in UTF-8 bytes",
            )
        for offset in (start, end):
            if not _is_boundary(self.data, offset):
                raise RangeInvalidError(
                    f"offset {offset} lies inside a character",
                    hint="offsets are UTF-8 bytes; name the unit if yours are another",
                )
        if self.data.find(PAGE_BREAK, start, end) >= 0:
            raise RangeInvalidError(
                f"range {start}:{end} crosses a page",
                hint="cite one segment for each page",
            )
        return Range(start, end)

    def slice(self, start: int, end: int) -> bytes:
        """Return the bytes of a checked range (see `check_range` for errors)."""
        self.check_range(start, end)
        return self.data[start:end]

    def split_at_pages(self, start: int, end: int) -> tuple[Range, ...]:
        """Return `start:end` cut into one non-empty range for each page it touches."""
        first, last = self.page_of(start), self.page_of(max(start, end - 1))
        parts = (
            Range(max(start, page.start), min(end, page.end))
            for page in self.pages[first - 1 : last]
        )
        return tuple(part for part in parts if part.start < part.end)

    @cached_property
    def _index(self) -> tuple[list[int], list[int], list[int]]:
        """Checkpoints: byte offsets, and the code points and UTF-16 units before each."""
        data = self.data
        at, points, units = [0], [0], [0]
        position = 0
        while position < len(data):
            stop = min(position + _STEP, len(data))
            while not _is_boundary(data, stop):
                stop += 1
            part = data[position:stop]
            at.append(stop)
            points.append(points[-1] + _code_points(part))
            units.append(units[-1] + _utf16_length(part))
            position = stop
        return at, points, units

    def from_bytes(self, offset: int, unit: Unit) -> int:
        """Convert the byte offset `offset` to `unit`.

        Raises:
            RangeInvalidError: out of bounds or inside a character.
        """
        if not self.is_boundary(offset):
            raise RangeInvalidError(
                f"byte offset {offset} is outside the text or inside a character",
                hint=f"the text has {len(self.data)} bytes",
            )
        if unit is Unit.UTF8:
            return offset
        at, points, units = self._index
        step = bisect_right(at, offset) - 1
        part = self.data[at[step] : offset]
        if unit is Unit.CODE_POINTS:
            return points[step] + _code_points(part)
        return units[step] + _utf16_length(part)

    def to_bytes(self, offset: int, unit: Unit) -> int:
        """Convert `offset`, given in `unit`, to a byte offset.

        Raises:
            RangeInvalidError: out of bounds, or between the two halves of a
                surrogate pair or the bytes of a character.
        """
        _require_integers(offset)
        if unit is Unit.UTF8:
            self.from_bytes(offset, unit)
            return offset
        at, points, units = self._index
        counts = points if unit is Unit.CODE_POINTS else units
        if not 0 <= offset <= counts[-1]:
            raise RangeInvalidError(
                f"offset {offset} is outside the text",
                hint=f"the text has {counts[-1]} {unit.value}",
            )
        step = min(bisect_right(counts, offset) - 1, len(at) - 1)
        part = self.data[at[step] : at[step + 1]] if step + 1 < len(at) else b""
        if unit is Unit.CODE_POINTS:
            return at[step] + len(part.decode()[: offset - counts[step]].encode())
        encoded = part.decode().encode("utf-16-le")[: 2 * (offset - counts[step])]
        try:
            return at[step] + len(encoded.decode("utf-16-le").encode())
        except UnicodeDecodeError:
            raise RangeInvalidError(
                f"offset {offset} splits a surrogate pair",
                hint="give an offset between two characters",
            ) from None

    def sha256(self, start: int, end: int) -> str:
        """Return the lowercase hex SHA-256 of a checked range."""
        return hashlib.sha256(self.slice(start, end)).hexdigest()
