"""Changed blocks of a map: whole lines, for the classifier and the diff view."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from watcher.align.model import EDITED, KEPT, TextMap
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
    pending: tuple[int, int, int, int] | None = None
    for a, b, c, d in _differences(text_map):
        back_old, back_new = _line_start(old, a), _line_start(new, c)
        ahead_old, ahead_new = _line_end(old, b), _line_end(new, d)
        if pending and (back_old <= pending[1] or back_new <= pending[3]):
            pending = (pending[0], ahead_old, pending[2], ahead_new)
            continue
        if pending:
            yield Range(*pending[:2]), Range(*pending[2:])
        pending = (back_old, ahead_old, back_new, ahead_new)
    if pending:
        yield Range(*pending[:2]), Range(*pending[2:])


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


__all__ = ["EDITED", "BlockPair", "hunks"]
