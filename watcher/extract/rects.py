"""Rectangles on pages."""

from __future__ import annotations

from dataclasses import dataclass


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
