"""Half-open byte ranges."""

from __future__ import annotations

from typing import NamedTuple


class Range(NamedTuple):
    """`[start, end)` in UTF-8 bytes of one canonical text; may be empty in a hunk."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """Bytes in the range."""
        return self.end - self.start

    def overlaps(self, other: Range) -> bool:
        """Tell whether the two share at least one byte."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: Range) -> bool:
        """Tell whether `other` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end
