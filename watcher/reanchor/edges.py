"""Where an edited passage begins and ends in the new text.

The words of the passage that survive give a hull. Its ends are right only if
the first and the last word survived. Otherwise the boundary has the same
nature as before: a passage that began a sentence begins one now, as far as
the new text there belongs to no other passage.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from watcher.align.model import TextMap
from watcher.domain.ranges import Range

_CLOSERS = rb"(?:[\"')\]*_`]|\xe2\x80[\x99\x9d]|\xc2\xbb|\xe3\x80[\x8d\x8f]|\xef\xbc\x89)*"
_WIDE = (
    rb"(?:\xe3\x80\x82|\xef\xbc[\x81\x9a\x9b\x9f]|\xe0\xa5\xa4|\xd8[\x9b\x9f])"  # 。！：；？।؛؟
)
_BOUNDARY = re.compile(
    rb"(?P<stop>[.!?;:|]" + _CLOSERS + rb"(?=[ \t\n\f]|$)|" + _WIDE + _CLOSERS + rb"|(?=[\n\f]))"
    rb"[ \t\n\f]*"
)
_BACK = 24
"""Bytes before an offset that tell whether a sentence begins there."""


def begins(text: bytes, at: int) -> bool:
    """Tell whether a sentence, a cell or a line begins at `at`."""
    if at == 0:
        return True
    before = text[max(0, at - _BACK) : at]
    bare = before.rstrip(b" \t\n\f")
    if not bare or b"\n" in before[len(bare) :] or b"\f" in before[len(bare) :]:
        return True
    match = None
    for match in _BOUNDARY.finditer(before):
        pass
    return match is not None and match.end() == len(before)


def stops(text: bytes, at: int) -> bool:
    """Tell whether a sentence, a cell or a line ends at `at`."""
    if at >= len(text) or not text[at : at + 64].lstrip(b" \t") or text[at : at + 64].lstrip(b" \t")[:1] in b"\n\f|":
        return True
    before = text[max(0, at - _BACK) : at]
    match = None
    for match in _BOUNDARY.finditer(before + text[at : at + 1]):
        if match.end("stop") == len(before):
            return True
    return False


def starts_between(text: bytes, start: int, end: int) -> list[int]:
    """Return where sentences begin in `start:end`, `end` left out."""
    found = [m.end() for m in _BOUNDARY.finditer(text, max(0, start - _BACK), end)]
    return sorted({at for at in found if start <= at < end} | ({start} if begins(text, start) else set()))


def stops_between(text: bytes, start: int, end: int) -> list[int]:
    """Return where sentences end in `start:end`, `start` left out."""
    found = {m.end("stop") for m in _BOUNDARY.finditer(text, start, min(end + 1, len(text)))}
    if stops(text, end):
        found.add(end)
    return sorted(at for at in found if start < at <= end)


class NewSide:
    """The runs of a map in the order of the new text."""

    def __init__(self, text_map: TextMap) -> None:
        order = sorted(range(len(text_map.kinds)), key=text_map.new_starts.__getitem__)
        self.starts = [text_map.new_starts[i] for i in order]
        self.ends = [text_map.new_ends[i] for i in order]

    def free_before(self, at: int) -> int:
        """Return the end of the last run that ends at or before `at`."""
        index = bisect_right(self.ends, at) - 1
        return self.ends[index] if index >= 0 else 0

    def free_after(self, at: int, size: int) -> int:
        """Return the start of the first run that starts at or after `at`."""
        index = bisect_left(self.starts, at)
        return self.starts[index] if index < len(self.starts) else size


def widen(
    old: bytes, new: bytes, side: NewSide, passage: Range, hull: Range, covered: Range
) -> Range:
    """Return `hull` with its ends moved to where the passage begins and ends now.

    `covered` is the part of the passage whose place the hull is.
    """
    start = _first(old, new, side.free_before(hull.start), passage.start, covered.start, hull)
    end = _last(
        old, new, side.free_after(hull.end, len(new)), passage.end, covered.end, hull
    )
    return Range(start, end)


def _first(old: bytes, new: bytes, free: int, start: int, covered: int, hull: Range) -> int:
    missing = len(old[start:covered].strip())
    at = hull.start
    gap = new[free:at]
    gap_text = gap.strip()
    if not gap_text:
        return at
    if not begins(old, start):
        return at
    limit = _limit(missing, hull)
    candidates = [p for p in starts_between(new, max(free, at - limit), at) if new[p:at].strip()]
    if begins(new, at):
        candidates.append(at)
    if not candidates:
        return at
    if not missing:
        return max(candidates)
    return min(candidates, key=lambda p: (abs(len(new[p:at].strip()) - missing), -p))


def _last(old: bytes, new: bytes, free: int, end: int, covered: int, hull: Range) -> int:
    missing = len(old[covered:end].strip())
    at = hull.end
    gap_text = new[at:free].strip()
    if not gap_text:
        return at
    if not stops(old, end):
        return at
    limit = _limit(missing, hull)
    candidates = [p for p in stops_between(new, at, min(free, at + limit)) if new[at:p].strip()]
    if stops(new, at):
        candidates.append(at)
    if not candidates:
        return at
    if not missing:
        return min(candidates)
    return min(candidates, key=lambda p: (abs(len(new[at:p].strip()) - missing), p))


def _limit(missing: int, hull: Range) -> int:
    """Return how many bytes an end may move: by what is missing, or by half the hull."""
    return 3 * missing + 32 if missing else max(hull.length // 2, 16)
