"""The word stage: what the line stage left between two matched lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from watcher.align.chain import (
    Block,
    Budget,
    common_prefix,
    common_suffix,
    grams,
    heaviest_chain,
    lcs,
    unique_blocks,
)
from watcher.align.runs import dense
from watcher.align.tokens import Words

_LCS_CAP = 4_000_000
_DIRECT = 4_096
"""Product of lengths below which the LCS needs no anchors."""


def disjoint(blocks: list[Block]) -> list[Block]:
    """Cut blocks so that no symbol is in two of them, on either side; the longer one wins."""
    out: list[Block] = []
    for block in blocks:
        over = max(out[-1].old + out[-1].length - block.old, 0) if out else 0
        if over < block.length:
            out.append(Block(block.old + over, block.new + over, block.length - over))
    order = sorted(range(len(out)), key=lambda i: out[i].new)
    end = 0
    for index in order:
        o, n, length = out[index]
        over = max(end - n, 0)
        out[index] = Block(o + over, n + over, max(length - over, 0))
        end = max(end, n + length)
    return [block for block in out if block.length]


def align_words(
    old: str, new: str, budget: Budget, anchors: Sequence[Block] = ()
) -> list[Block]:
    """Return the in-order blocks of equal symbols: anchors first, then the LCS between."""
    blocks: list[Block] = list(anchors)
    ends = [(0, 0), *((x.old + x.length, x.new + x.length) for x in anchors)]
    starts = [*((x.old, x.new) for x in anchors), (len(old), len(new))]
    todo = [(a, b, c, d, 8) for (a, c), (b, d) in zip(ends, starts, strict=True)]
    while todo:
        a, b, c, d, size = todo.pop()
        left = common_prefix(old[a:b], new[c:d])
        if left:
            blocks.append(Block(a, c, left))
            a, c = a + left, c + left
        right = common_suffix(old[a:b], new[c:d])
        if right:
            b, d = b - right, d - right
            blocks.append(Block(b, d, right))
        if a == b or c == d:
            continue
        if (b - a) * (d - c) <= _DIRECT:
            blocks += [
                Block(a + x.old, c + x.new, x.length) for x in lcs(old[a:b], new[c:d], budget)
            ]
            continue
        chain: list[Block] = []
        while size >= 3 and not chain:
            chain = _anchors(old[a:b], new[c:d], size)
            size = size if chain else size - 2
        if not chain:
            if (b - a) * (d - c) <= _LCS_CAP:
                blocks += [
                    Block(a + x.old, c + x.new, x.length) for x in lcs(old[a:b], new[c:d], budget)
                ]
            else:
                budget.exhausted = True
            continue
        chain = [Block(a + x.old, c + x.new, x.length) for x in chain]
        blocks += chain
        ends = [(a, c), *((x.old + x.length, x.new + x.length) for x in chain)]
        starts = [*((x.old, x.new) for x in chain), (b, d)]
        for (a1, c1), (b1, d1) in zip(ends, starts, strict=True):
            if a1 < b1 and c1 < d1:
                todo.append((a1, b1, c1, d1, size))
    blocks.sort()
    return _merge(blocks)


def _anchors(old: str, new: str, size: int) -> list[Block]:
    found = unique_blocks(grams(old, size), grams(new, size))
    if not found:
        return []
    found = [Block(o, n, length + size - 1) for o, n, length in found]
    chain = [found[i] for i in heaviest_chain(found, [x.length for x in found])]
    out = [chain[0]]
    for block in chain[1:]:
        last = out[-1]
        over = max(last.old + last.length - block.old, last.new + last.length - block.new, 0)
        if over < block.length:
            out.append(Block(block.old + over, block.new + over, block.length - over))
    return out


def _merge(blocks: list[Block]) -> list[Block]:
    merged: list[Block] = []
    for block in blocks:
        if merged:
            last = merged[-1]
            if last.old + last.length == block.old and last.new + last.length == block.new:
                merged[-1] = Block(last.old, last.new, last.length + block.length)
                continue
        merged.append(block)
    return merged


def slide(blocks: list[Block], old: Words, new: Words) -> list[Block]:
    """Shift one-sided gaps to where a sentence or paragraph begins.

    Between two matched stretches with text on one side only, the gap may stand
    at several places with the same count of matches ("X Y" became "Y", where X
    and Y begin alike). The best place starts and ends at a segment boundary.
    """
    out = list(blocks)
    for index in range(1, len(out)):
        first, second = out[index - 1], out[index]
        old_gap = second.old - first.old - first.length
        new_gap = second.new - first.new - first.length
        if (old_gap == 0) == (new_gap == 0):
            continue
        side, gap = (old, old_gap) if old_gap else (new, new_gap)
        start = first.old + first.length if old_gap else first.new + first.length
        shift = _best_shift(side, start, gap, first.length, second.length)
        if shift:
            out[index - 1] = Block(first.old, first.new, first.length + shift)
            out[index] = Block(second.old + shift, second.new + shift, second.length - shift)
    return [block for block in out if block.length]


def _best_shift(side: Words, start: int, gap: int, before: int, after: int) -> int:
    symbols, segments = side.symbols, side.segments
    low = 0
    while -low < before and symbols[start + low - 1] == symbols[start + gap + low - 1]:
        low -= 1
    high = 0
    while high < after and symbols[start + high] == symbols[start + gap + high]:
        high += 1
    if low == high:
        return 0

    def score(shift: int) -> tuple[int, int]:
        at = start + shift
        begins = at == 0 or segments[at - 1] != segments[at]
        stops = at + gap == len(symbols) or segments[at + gap - 1] != segments[at + gap]
        return begins + stops, -abs(shift)

    return max(range(low, high + 1), key=score)


def refine(blocks: list[Block], old: Words, new: Words) -> list[Block]:
    """Return `blocks` with gaps at sentence ends and chance matches dropped."""
    return dense(settle(slide(blocks, old, new), old, new), old, new)


_TAIL = 3
"""Words at the end of a sentence that may be matched with the wrong copy of themselves."""


def settle(blocks: list[Block], old: Words, new: Words) -> list[Block]:
    """Close a sentence with its own last words, not with those of a sentence after it.

    Where "X." became "Y. More text." an LCS may pair the first full stop with
    the second one; then the sentence would seem to end where the text after it
    ends. The same with sentences that went.
    """
    out: list[Block] = []
    for block in blocks:
        if not out:
            out.append(block)
            continue
        moved = _closing(out[-1], block, old, new)
        if moved:
            out.append(moved)
            block = Block(
                block.old + moved.length, block.new + moved.length, block.length - moved.length
            )
        if block.length:
            out.append(block)
    return out


def _closing(first: Block, second: Block, old: Words, new: Words) -> Block | None:
    a, c = first.old + first.length, first.new + first.length
    b, d = second.old, second.new
    if a == b or c == d:
        return None
    old_end, new_end = _sentence_end(a - 1, old), _sentence_end(c - 1, new)
    if old_end >= b and new_end < d:
        size = old_end - b + 1
        place = Block(b, new_end - size + 1, size)
    elif new_end >= d and old_end < b:
        size = new_end - d + 1
        place = Block(old_end - size + 1, d, size)
    else:
        return None
    if size > min(_TAIL, second.length) or place.old < a or place.new < c:
        return None
    left = old.symbols[place.old : place.old + size]
    return place if left == new.symbols[place.new : place.new + size] else None


def _sentence_end(at: int, side: Words) -> int:
    """Return the last word of the sentence in which word `at` stands."""
    segments = side.segments
    return bisect_right(segments, segments[at], at) - 1
