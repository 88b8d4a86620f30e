"""Rectangles on pages, and the boxes of a page's characters that they are made of."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from watcher.domain.text import CanonicalText

_SAME_LINE = 0.5
"""Boxes that share this part of the lower one's height stand on one line."""
_WORD_GAP = 1.5
"""Boxes further apart than this many heights are two rectangles (columns)."""


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle on a page as it is shown: crop box and rotation applied.

    Points from the upper left corner; `page` from 1.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Place:
    """The rectangles of a passage, and the share of its ink that they cover (0 to 1)."""

    rects: tuple[Rect, ...]
    coverage: float


@dataclass(frozen=True, slots=True)
class PageBoxes:
    """The boxes of one page's ink for one text.

    `starts` (type I): the byte offset in the text of each ink character, rising.
    `boxes` (type f): x0, y0, x1, y1 of each, as in `Rect`; not a number where
    the character has no box.
    """

    page: int
    starts: array[int]
    boxes: array[float]

    def rects(self, start: int, end: int) -> tuple[list[Rect], int, int]:
        """Return a rectangle for each line of the bytes `start:end`.

        With it the number of its ink characters that have boxes, and of all.
        """
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        merged: list[list[float]] = []
        covered = 0
        for at in range(first, last):
            box = self.boxes[4 * at : 4 * at + 4]
            if box[0] != box[0]:
                continue
            covered += 1
            if merged and _joins(merged[-1], box):
                before = merged[-1]
                before[0], before[1] = min(before[0], box[0]), min(before[1], box[1])
                before[2], before[3] = max(before[2], box[2]), max(before[3], box[3])
            else:
                merged.append(list(box))
        return (
            [Rect(self.page, *(round(at, 2) for at in box)) for box in merged],
            covered,
            last - first,
        )


def place(
    text: CanonicalText,
    ranges: Iterable[tuple[int, int]],
    boxes: Callable[[int], PageBoxes | None],
) -> Place:
    """Return where byte ranges of `text` stand; `boxes` gives those of a page, if it has any."""
    rects: list[Rect] = []
    ink = covered = 0
    for start, end in ranges:
        for part in text.split_at_pages(start, end):
            page = boxes(text.page_of(part.start))
            if page is not None:
                found, with_box, all_ink = page.rects(part.start, part.end)
                rects, covered, ink = rects + found, covered + with_box, ink + all_ink
    return Place(tuple(rects), covered / ink if ink else 0.0)


def _joins(last: list[float], box: array[float]) -> bool:
    """Tell whether `box` continues the line of `last`, across or (on turned pages) down."""
    for low, high in ((1, 3), (0, 2)):
        shared = min(last[high], box[high]) - max(last[low], box[low])
        least = min(last[high] - last[low], box[high] - box[low])
        along = 1 - low
        gap = max(box[along] - last[along + 2], last[along] - box[along + 2])
        if shared > _SAME_LINE * least and gap <= _WORD_GAP * max(least, 1.0):
            return True
    return False
