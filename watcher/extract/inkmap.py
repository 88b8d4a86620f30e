"""From one rendition of a source to another: the same ink, so the same place, or none."""

from __future__ import annotations

from functools import cached_property

from watcher.domain.keys import Key, KeyKind, make_key
from watcher.domain.ranges import Range
from watcher.domain.text import CanonicalText


class InkMap:
    """Carries ranges between two texts of the same bytes.

    Engines set white space differently and read the same characters. Where a
    page has the same ink in both texts, every range on it has exactly one
    counterpart; where it has not, nothing is said.
    """

    def __init__(self, old: CanonicalText, new: CanonicalText) -> None:
        self._old = old
        self._new = new

    @cached_property
    def exact_pages(self) -> frozenset[int]:
        """The pages, from 1, whose ink is the same in both."""
        return frozenset(
            number
            for number, (ours, theirs) in enumerate(self._pairs, start=1)
            if ours.text == theirs.text
        )

    def cross(self, start: int, end: int) -> Range | None:
        """Return where the bytes `start:end` of the old text stand in the new one.

        None where the page's ink differs, the range spans pages or has no ink.
        """
        number = self._old.page_of(start)
        if number not in self.exact_pages or end > self._old.pages[number - 1].end:
            return None
        ours, theirs = self._pairs[number - 1]
        before, after = self._old.pages[number - 1].start, self._new.pages[number - 1].start
        first, last = ours.from_source(start - before, end - before)
        if first == last:
            return None
        found = theirs.to_source(first, last)
        return Range(after + found.start, after + found.end)

    @cached_property
    def _pairs(self) -> list[tuple[Key, Key]]:
        return list(zip(self._keys(self._old), self._keys(self._new), strict=False))

    @staticmethod
    def _keys(text: CanonicalText) -> list[Key]:
        return [make_key(text.data[page.start : page.end], KeyKind.INK) for page in text.pages]
