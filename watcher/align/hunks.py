"""Changed blocks of a map: whole lines, for the classifier and the diff view."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from watcher.align.model import KEPT, TextMap
from watcher.domain.changes import HunkKind
from watcher.domain.ranges import Range


@dataclass(frozen=True, slots=True)
class BlockPair:
    """A changed block: whole lines on each side; one side is empty unless replaced or moved."""

    kind: HunkKind
    old: Range
    new: Range


def hunks(text_map: TextMap, old: bytes, new: bytes) -> tuple[BlockPair, ...]:
    """Return the changed blocks of `text_map`, sorted by old, then new, start.

    A block is widened to whole lines (a line ends with LF or U+000C, which the
    block leaves out); changes on one line are one block. Text that moved is a
    block of kind `moved`, never removed here and inserted there. Every
    differing byte outside line ends lies in a block.
    """
    moved = _moved(text_map)
    found = list(moved)
    moved_old = sorted(pair.old for pair in moved)
    moved_new = sorted(pair.new for pair in moved)
    for old_part, new_part in _line_regions(text_map, old, new):
        olds = [
            part for part in _without(old_part, moved_old) if old[part.start : part.end].strip()
        ]
        news = [
            part for part in _without(new_part, moved_new) if new[part.start : part.end].strip()
        ]
        if len(olds) <= 1 and len(news) <= 1 and olds and news:
            found.append(BlockPair(HunkKind.REPLACED, olds[0], news[0]))
            continue
        if olds and news:
            found.append(
                BlockPair(
                    HunkKind.REPLACED,
                    Range(olds[0].start, olds[-1].end),
                    Range(news[0].start, news[-1].end),
                )
            )
            continue
        found += [
            BlockPair(HunkKind.REMOVED, part, Range(new_part.start, new_part.start))
            for part in olds
        ]
        found += [
            BlockPair(HunkKind.INSERTED, Range(old_part.start, old_part.start), part)
            for part in news
        ]
        if not olds and not news and not _covered(old_part, new_part, moved_old, moved_new):
            found.append(BlockPair(HunkKind.REPLACED, old_part, new_part))
    return tuple(sorted(found, key=lambda pair: (pair.old, pair.new)))


def _covered(old: Range, new: Range, moved_old: list[Range], moved_new: list[Range]) -> bool:
    return any(part.overlaps(old) for part in moved_old) or any(
        part.overlaps(new) for part in moved_new
    )


def _moved(text_map: TextMap) -> list[BlockPair]:
    """Return the moved blocks: out-of-order runs that follow each other on both sides."""
    pairs: list[BlockPair] = []
    for run in text_map.runs:
        if run.kind.value in ("kept", "edited"):
            continue
        if pairs:
            last = pairs[-1]
            if 0 <= run.old.start - last.old.end < 3 and 0 <= run.new.start - last.new.end < 3:
                pairs[-1] = BlockPair(
                    HunkKind.MOVED,
                    Range(last.old.start, run.old.end),
                    Range(last.new.start, run.new.end),
                )
                continue
        pairs.append(BlockPair(HunkKind.MOVED, run.old, run.new))
    return pairs


def _line_regions(text_map: TextMap, old: bytes, new: bytes) -> Iterator[tuple[Range, Range]]:
    """Yield the differing regions between kept runs, widened to lines, joined where they meet."""
    pending: tuple[Range, Range] | None = None
    for difference in _differences(text_map):
        left, right = _widened(difference, old, new)
        if pending and (left.start <= pending[0].end or right.start <= pending[1].end):
            pending = (
                Range(pending[0].start, max(left.end, pending[0].end)),
                Range(pending[1].start, max(right.end, pending[1].end)),
            )
            continue
        if pending:
            yield pending
        pending = (left, right)
    if pending:
        yield pending


def _widened(difference: tuple[int, int, int, int], old: bytes, new: bytes) -> tuple[Range, Range]:
    """Return the lines that a difference touches, line ends at its own ends left out."""
    a, b, c, d = difference
    while a < b and c < d and old[a] in _LINE_ENDS and new[c] in _LINE_ENDS:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] in _LINE_ENDS and new[d - 1] in _LINE_ENDS:
        b, d = b - 1, d - 1
    if a == b and c < d and (whole := _whole_lines(new, c, d, old, a)):
        return Range(a, a), whole
    if c == d and a < b and (whole := _whole_lines(old, a, b, new, c)):
        return whole, Range(c, c)
    return (
        Range(_line_start(old, a), _line_end(old, b)),
        Range(_line_start(new, c), _line_end(new, d)),
    )


_LINE_ENDS = b"\n\f"


def _whole_lines(text: bytes, start: int, end: int, other: bytes, at: int) -> Range | None:
    """Return `start:end` without the line ends around it if it is whole lines.

    That is so if the place `at` in the other text is the end or the start of a
    line and the text there ends or starts with a line end to match.
    """
    part = text[start:end]
    bare = part.strip(_LINE_ENDS)
    at_end = at == len(other) or other[at] in _LINE_ENDS
    at_start = at == 0 or other[at - 1] in _LINE_ENDS
    if not bare or not (
        (at_end and part[0] in _LINE_ENDS)
        or (at_start and part[-1] in _LINE_ENDS)
        or (at_start and at_end)
    ):
        return None
    first = start + len(part) - len(part.lstrip(_LINE_ENDS))
    return Range(first, first + len(bare))


def _differences(text_map: TextMap) -> Iterator[tuple[int, int, int, int]]:
    a = c = 0
    for index, kind in enumerate(text_map.kinds):
        if kind != KEPT:
            continue
        b, d = text_map.old_starts[index], text_map.new_starts[index]
        if a < b or c < d:
            yield a, b, c, d
        a, c = text_map.old_ends[index], text_map.new_ends[index]
    if a < text_map.old_size or c < text_map.new_size:
        yield a, text_map.old_size, c, text_map.new_size


def _line_start(text: bytes, at: int) -> int:
    return max(text.rfind(b"\n", 0, at), text.rfind(b"\f", 0, at)) + 1


def _line_end(text: bytes, at: int) -> int:
    ends = [end for end in (text.find(b"\n", at), text.find(b"\f", at)) if end >= 0]
    return min(ends, default=len(text))


def _without(part: Range, taken: list[Range]) -> list[Range]:
    """Return the pieces of `part` that no range of `taken` (sorted) covers."""
    pieces, start = [], part.start
    index = bisect_left(taken, part)
    index -= index > 0 and taken[index - 1].end > part.start
    while index < len(taken) and taken[index].start < part.end:
        if taken[index].start > start:
            pieces.append(Range(start, taken[index].start))
        start = max(start, taken[index].end)
        index += 1
    if start < part.end or part.start == part.end:
        pieces.append(Range(start, part.end))
    return pieces
