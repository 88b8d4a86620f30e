"""The line stage: most of a text stands in lines that did not change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from watcher.align.chain import Block, Budget, heaviest_chain, lcs, unique_blocks

_MASK = bytes.maketrans(
    b"123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ\f", b"000000000abcdefghijklmnopqrstuvwxyz\n"
)
_IGNORED = b" \t\r*_#>`"
_LCS_CAP = 20_000_000


class Lines(NamedTuple):
    """The lines of a text that hold more than white space.

    `keys[i]` is line `i` with digits masked and case, blanks and markup
    ignored: lines that merely got another number keep their key. (Raw keys
    would pair line 3.1 of one part with line 3.1 of the part that follows it
    when both were renumbered.)
    """

    keys: Sequence[bytes]
    starts: Sequence[int]
    ends: Sequence[int]


def lines_of(text: bytes) -> Lines:
    """Return the lines of `text`; a page break ends a line, too."""
    masked = text.translate(_MASK, _IGNORED).split(b"\n")
    raw = (text.replace(b"\f", b"\n") if b"\f" in text else text).split(b"\n")
    starts = list(accumulate((len(line) + 1 for line in raw), initial=0))
    kept = [index for index, key in enumerate(masked) if key]
    return Lines(
        [masked[index] for index in kept],
        [starts[index] for index in kept],
        [starts[index + 1] - 1 for index in kept],
    )


class LineMatch(NamedTuple):
    """Blocks of lines with equal keys: in order on both sides, and out of order."""

    spine: list[Block]
    moved: list[Block]


def match_lines(old: Lines, new: Lines, budget: Budget) -> LineMatch:
    """Return the matching lines of two texts."""
    symbols: dict[bytes, int] = {}
    old_ids = [symbols.setdefault(key, len(symbols)) for key in old.keys]
    new_ids = [symbols.setdefault(key, len(symbols)) for key in new.keys]
    weights = [len(key) for key in symbols]
    spine: list[Block] = []
    _match(old_ids, new_ids, (0, len(old_ids), 0, len(new_ids)), weights, budget, spine)
    spine.sort()
    spine = _merge(spine)
    return LineMatch(spine, _moves(old_ids, new_ids, spine, weights))


Gap = tuple[int, int, int, int]


def _match(
    old: list[int],
    new: list[int],
    gap: Gap,
    weights: list[int],
    budget: Budget,
    spine: list[Block],
) -> None:
    """Append the in-order blocks of `gap` to `spine`, any order."""
    todo = [gap]
    while todo:
        a, b, c, d = todo.pop()
        start = a
        while a < b and c < d and old[a] == new[c]:
            a += 1
            c += 1
        if a > start:
            spine.append(Block(start, c - (a - start), a - start))
        stop = b
        while b > a and d > c and old[b - 1] == new[d - 1]:
            b -= 1
            d -= 1
        if b < stop:
            spine.append(Block(b, d, stop - b))
        if a == b or c == d:
            continue
        found = unique_blocks(old[a:b], new[c:d])
        if found:
            heavy = [sum(weights[i] for i in old[a + o : a + o + n]) for o, _, n in found]
            chain = [found[index] for index in heaviest_chain(found, heavy)]
        else:
            chain = _lcs_lines(old[a:b], new[c:d], budget)
        chain = [Block(a + block.old, c + block.new, block.length) for block in chain]
        if not chain:
            continue
        spine += chain
        if found:
            ends = [(a, c), *((x.old + x.length, x.new + x.length) for x in chain)]
            starts = [*((x.old, x.new) for x in chain), (b, d)]
            for (a1, c1), (b1, d1) in zip(ends, starts, strict=True):
                if a1 < b1 and c1 < d1:
                    todo.append((a1, b1, c1, d1))


def _lcs_lines(old: list[int], new: list[int], budget: Budget) -> list[Block]:
    if len(old) * len(new) > _LCS_CAP or not set(old) & set(new):
        return []
    local: dict[int, str] = {}
    left = "".join([local.setdefault(i, chr(len(local))) for i in old])
    right = "".join([local.setdefault(i, chr(len(local))) for i in new])
    return lcs(left, right, budget)


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


def _moves(old: list[int], new: list[int], spine: list[Block], weights: list[int]) -> list[Block]:
    """Return blocks of unclaimed lines that stand once on each side, grown to their ends."""
    old_free, new_free = bytearray(b"\x01") * len(old), bytearray(b"\x01") * len(new)
    for o, n, length in spine:
        old_free[o : o + length] = bytes(length)
        new_free[n : n + length] = bytes(length)
    old_rest = [i for i, free in enumerate(old_free) if free]
    new_rest = [i for i, free in enumerate(new_free) if free]
    if not old_rest or not new_rest:
        return []
    found: list[Block] = []
    for o, n, length in unique_blocks([old[i] for i in old_rest], [new[i] for i in new_rest]):
        for step in range(length):
            i, j = old_rest[o + step], new_rest[n + step]
            if weights[old[i]] >= 16 and old_free[i] and new_free[j]:
                found.append(_grow(old, new, i, j, old_free, new_free))
    return found


def _grow(
    old: list[int], new: list[int], i: int, j: int, old_free: bytearray, new_free: bytearray
) -> Block:
    a, c = i, j
    while a and c and old_free[a - 1] and new_free[c - 1] and old[a - 1] == new[c - 1]:
        a -= 1
        c -= 1
    b, d = i + 1, j + 1
    while b < len(old) and d < len(new) and old_free[b] and new_free[d] and old[b] == new[d]:
        b += 1
        d += 1
    old_free[a:b] = bytes(b - a)
    new_free[c:d] = bytes(b - a)
    return Block(a, c, b - a)
