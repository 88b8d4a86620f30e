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
_WIDE = rb"(?:\xe3\x80\x82|\xef\xbc[\x81\x9a\x9b\x9f]|\xe0\xa5\xa4|\xd8[\x9b\x9f])"  # 。！：；？।؛؟
_BLANK = rb"(?:[ \t\n\f]|\xc2\xa0|\xe3\x80\x80)"
_BOUNDARY = re.compile(
    rb"(?P<stop>[.!?;:|]"
    + _CLOSERS
    + rb"(?="
    + _BLANK
    + rb"|$)|"
    + _WIDE
    + _CLOSERS
    + rb"|(?=[\n\f]))"
    + _BLANK
    + rb"*+"
)
_BLANKS_BEFORE = re.compile(_BLANK + rb"+\Z")
_BACK = 24
"""Bytes before an offset that tell whether a sentence begins there."""


def begins(text: bytes, at: int) -> bool:
    """Tell whether a sentence, a cell or a line begins at `at`."""
    if at == 0:
        return True
    before = text[max(0, at - _BACK) : at]
    blanks = _BLANKS_BEFORE.search(before)
    bare = before[: blanks.start()] if blanks else before
    if not bare or b"\n" in before[len(bare) :] or b"\f" in before[len(bare) :]:
        return True
    return any(match.end() == len(before) for match in _BOUNDARY.finditer(before))


def stops(text: bytes, at: int, *, row: bool = False) -> bool:
    """Tell whether a sentence, a cell (unless `row`) or a line ends at `at`."""
    after = text[at : at + 64].lstrip(b" \t")
    if not after or after[:1] in b"\n\f" or (after[:1] == b"|" and not row):
        return True
    before = text[max(0, at - _BACK) : at]
    wide = after[:2] == b"\xc2\xa0" or after[:3] == b"\xe3\x80\x80"
    if row and before[-1:] == b"|":
        return False
    return any(
        match.end("stop") == len(before)
        for match in _BOUNDARY.finditer(before + (b" " if wide else text[at : at + 1]))
    )


def starts_between(text: bytes, start: int, end: int) -> list[int]:
    """Return where sentences begin in `start:end`, `end` left out."""
    found = [m.end() for m in _BOUNDARY.finditer(text, max(0, start - _BACK), end)]
    return sorted(
        {at for at in found if start <= at < end} | ({start} if begins(text, start) else set())
    )


def stops_between(text: bytes, start: int, end: int, *, row: bool) -> list[int]:
    """Return where sentences end in `start:end`, `start` left out."""
    found = {
        match.end("stop")
        for match in _BOUNDARY.finditer(text, start, min(end + 1, len(text)))
        if not row or match["stop"][:1] != b"|"
    }
    if stops(text, end, row=row):
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


def fits(old: bytes, new: bytes, passage: Range, place: Range) -> bool:
    """Tell whether `place`, byte-equal to `passage`, begins and ends what `passage` does.

    "Delete the data" is not found whole in "Delete the data unless asked not to".
    """
    row = _is_row(old, passage)
    return (begins(new, place.start) or not begins(old, passage.start)) and (
        stops(new, place.end, row=row) or not stops(old, passage.end, row=row)
    )


def widen(
    old: bytes, new: bytes, side: NewSide, passage: Range, hull: Range, covered: Range
) -> Range:
    """Return `hull` with its ends moved to where the passage begins and ends now.

    `covered` is the part of the passage whose place the hull is.
    """
    start, end = hull
    if begins(old, passage.start):
        start = _first(new, side.free_before(start), hull, old[passage.start : covered.start])
    if stops(old, passage.end, row=_is_row(old, passage)):
        end = _last(
            new,
            side.free_after(end, len(new)),
            hull,
            old[covered.end : passage.end],
            row=_is_row(old, passage),
        )
    return _trimmed(old[passage.start : passage.end], new, Range(start, end))


def _is_row(text: bytes, passage: Range) -> bool:
    """Tell whether `passage` is a whole row of a table, of which a cell is no end."""
    return (
        text[passage.start : passage.start + 1] == b"|"
        and text[passage.end : passage.end + 1] in b"\n\f"
    )


def _first(new: bytes, free: int, hull: Range, missing: bytes) -> int:
    at = hull.start
    lost = len(missing.strip())
    low = max(free, at - _limit(lost, hull))
    if not new[low:at].strip():
        return at
    candidates = [
        p
        for p in starts_between(new, low, at)
        if new[p:at].strip() and _breaks(new[p:at]) <= _breaks(missing)
    ]
    if begins(new, at):
        candidates.append(at)
    if not lost:
        return max(candidates, default=at)
    return min(candidates, key=lambda p: (abs(len(new[p:at].strip()) - lost), -p), default=at)


def _last(new: bytes, free: int, hull: Range, missing: bytes, *, row: bool) -> int:
    at = hull.end
    lost = len(missing.strip())
    high = min(free, at + _limit(lost, hull))
    if not new[at:high].strip():
        return at
    candidates = [
        p
        for p in stops_between(new, at, high, row=row)
        if new[at:p].strip() and _breaks(new[at:p]) <= _breaks(missing)
    ]
    if stops(new, at, row=row):
        candidates.append(at)
    if not lost:
        return min(candidates, default=at)
    return min(candidates, key=lambda p: (abs(len(new[at:p].strip()) - lost), p), default=at)


def _breaks(text: bytes) -> int:
    return text.count(b"\n\n") + text.count(b"\f")


def _limit(missing: int, hull: Range) -> int:
    """Return how many bytes an end may move: by what is missing, or by half the hull."""
    return 3 * missing + 32 if missing else max(hull.length // 2, 16)


_OPENERS, _ENDERS = b" \t\n\f([{", b" \t\n\f:;,.)]}"


def _trimmed(passage: bytes, new: bytes, hull: Range) -> Range:
    """Leave out blanks, and closing marks in front and opening ones behind, not cited before."""
    start, end = hull
    if passage[:1] not in _ENDERS:
        while start < end - 1 and (size := _edge(new[start : start + 3], _ENDERS)):
            start += size
    if passage[-1:] not in _OPENERS:
        while end > start + 1 and (size := _edge(new[max(start, end - 3) : end][::-1], _OPENERS)):
            end -= size
    return Range(start, end)


def _edge(text: bytes, marks: bytes) -> int:
    """Return the bytes of the mark or the blank at the start of `text`, of either direction."""
    if text[:1] in marks:
        return 1
    if text[:2] in {b"\xc2\xa0", b"\xa0\xc2"}:
        return 2
    return 3 if text in {b"\xe3\x80\x80", b"\x80\x80\xe3"} else 0
