"""The line stage: most of a text stands in lines that did not change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, compress, count
from operator import add
from typing import NamedTuple

from watcher.align.chain import Block, Budget, heaviest_chain, lcs, merge, unique_blocks

_MASK = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\f", b"abcdefghijklmnopqrstuvwxyz\n")
_IGNORED = b"0123456789 \t\r*_#>`"
_LCS_CAP = 20_000_000


class Lines(NamedTuple):
    """The lines of a text that hold more than blanks, digits and markup.

    `keys[i]` is line `i` with digits, case, blanks and markup
    ignored: lines that merely got another number keep their key. (Raw keys
    would pair line 3.1 of one part with line 3.1 of the part that follows it
    when both were renumbered.) `raw[i]` is the line as it is.
    """

    keys: Sequence[bytes]
    raw: Sequence[bytes]
    starts: Sequence[int]
    ends: Sequence[int]


def lines_of(text: bytes, *, long: bool = False) -> Lines:
    """Return the lines of `text`; a page break ends a line, too, and a full stop if `long`."""
    if long:
        text = text.replace(b". ", b".\n")
    keys = text.translate(_MASK, _IGNORED).split(b"\n")
    raw = (text.replace(b"\f", b"\n") if b"\f" in text else text).split(b"\n")
    lengths = list(map(len, raw))
    starts = list(accumulate(map((1).__add__, lengths), initial=0))
    ends = map(add, starts, lengths)
    return Lines(
        list(compress(keys, keys)),
        list(compress(raw, keys)),
        list(compress(starts, keys)),
        list(compress(ends, keys)),
    )


class LineMatch(NamedTuple):
    """Blocks of lines with equal keys: in order on both sides, and out of order."""

    spine: list[Block]
    moved: list[Block]


def match_lines(old: Lines, new: Lines, budget: Budget) -> LineMatch:
    """Return the matching lines of two texts."""
    old_ids, new_ids, weights = _ids(old, new)
    spine: list[Block] = []
    _match(old_ids, new_ids, (0, len(old_ids), 0, len(new_ids)), weights, budget, spine)
    spine.sort()
    single = _single(old_ids) & _single(new_ids)
    spine = _slide(merge(spine), old_ids, new_ids, old, new)
    spine = _supported(spine, old_ids, new_ids, weights, single)
    return LineMatch(spine, _moves(old_ids, new_ids, spine, weights, single))


def _single(ids: Sequence[int]) -> set[int]:
    return {i for i, n in Counter(ids).items() if n == 1}


_ISOLATED = 24
"""Key bytes below which a block of repeated lines proves nothing by itself."""


def _supported(
    blocks: list[Block],
    old: Sequence[int],
    new: Sequence[int],
    weights: Sequence[int],
    single: set[int],
) -> list[Block]:
    """Drop short lines that stand several times, where nothing beside them matches.

    Which "a) general" became which is then decided by the words around them.
    """
    out: list[Block] = []
    ends = [Block(0, 0, 0), *blocks, Block(len(old), len(new), 0)]
    for before, block, after in zip(ends, blocks, ends[2:], strict=False):
        o, n, length = block
        ids = old[o : o + length]
        if length <= _ISOLATED and not single.issuperset(ids):
            apart = before.old + before.length < o and before.new + before.length < n
            apart = apart and o + length < after.old and n + length < after.new
            if apart and sum(map(weights.__getitem__, ids)) < _ISOLATED:
                continue
        out.append(block)
    return out


def _ids(old: Lines, new: Lines) -> tuple[list[int], list[int], list[int]]:
    """Return a number for each line, equal for lines that count as equal, and their weights.

    Lines count as equal by key. Where several lines share a key and one text
    has all that the other has, byte for byte, nothing was renumbered there:
    those count as equal by their bytes (rows of a table that was sorted anew).
    """
    distinct = dict.fromkeys(old.keys) | dict.fromkeys(new.keys)
    keys = dict(zip(distinct, count(), strict=False))
    old_ids = list(map(keys.__getitem__, old.keys))
    new_ids = list(map(keys.__getitem__, new.keys))
    weights = [len(key) for key in keys]
    many = {i for i, n in Counter(old_ids).items() if n > 1}
    many |= {i for i, n in Counter(new_ids).items() if n > 1}
    many &= set(old_ids) & set(new_ids)
    if not many:
        return old_ids, new_ids, weights
    old_places = [place for place, i in enumerate(old_ids) if i in many]
    new_places = [place for place, i in enumerate(new_ids) if i in many]
    left_pairs = [(old_ids[place], old.raw[place]) for place in old_places]
    right_pairs = [(new_ids[place], new.raw[place]) for place in new_places]
    left, right = Counter(left_pairs), Counter(right_pairs)
    lost = {pair[0] for pair in left if left[pair] > right[pair]}
    added = {pair[0] for pair in right if right[pair] > left[pair]}
    varied = {i for i, n in Counter([pair[0] for pair in left | right]).items() if n > 1}
    exact = varied - (lost & added)
    numbers: dict[tuple[int, bytes], int] = {}
    for ids, places, pairs in (
        (old_ids, old_places, left_pairs),
        (new_ids, new_places, right_pairs),
    ):
        for place, pair in zip(places, pairs, strict=True):
            if pair[0] in exact:
                if pair not in numbers:
                    numbers[pair] = len(weights)
                    weights.append(weights[pair[0]])
                ids[place] = numbers[pair]
    return old_ids, new_ids, weights


_REACH = 256
"""Lines by which a one-sided gap may slide."""


def _slide(
    blocks: list[Block], old_ids: list[int], new_ids: list[int], old: Lines, new: Lines
) -> list[Block]:
    """Shift one-sided gaps between lines to where most lines are byte-equal.

    Among equally good places, the gap is best where it begins and ends beside
    an empty line.
    """
    out = list(blocks)
    for index in range(1, len(out)):
        first, second = out[index - 1], out[index]
        a, c = first.old + first.length, first.new + first.length
        old_gap, new_gap = second.old - a, second.new - c
        if (old_gap == 0) == (new_gap == 0):
            continue
        ids, side, start, gap = (
            (old_ids, old, a, old_gap) if old_gap else (new_ids, new, c, new_gap)
        )
        low, high = _freedom(ids, start, gap, first.length, second.length)
        if low == high:
            continue
        best, shift = (0, -1, 0), 0
        gains = _gains(old, new, (a, second.old), (c, second.new), low, high)
        for step, gain in gains:
            score = (gain, _beside_empty(side, start + step, gap), -abs(step))
            if step == low or score > best:
                best, shift = score, step
        if shift:
            out[index - 1] = Block(first.old, first.new, first.length + shift)
            out[index] = Block(second.old + shift, second.new + shift, second.length - shift)
    return [block for block in out if block.length]


def _freedom(ids: list[int], start: int, gap: int, before: int, after: int) -> tuple[int, int]:
    low = high = 0
    while -low < min(before, _REACH) and ids[start + low - 1] == ids[start + gap + low - 1]:
        low -= 1
    while high < min(after, _REACH) and ids[start + high] == ids[start + gap + high]:
        high += 1
    return low, high


def _gains(
    old: Lines, new: Lines, olds: tuple[int, int], news: tuple[int, int], low: int, high: int
) -> Iterator[tuple[int, int]]:
    """Yield each shift from `low` to `high` with how many byte-equal lines it has more.

    `olds` and `news` are the end of the first block and the start of the second.
    """
    gain = 0
    for step in range(low, high + 1):
        yield step, gain
        if step < high:
            gain += old.raw[olds[0] + step] == new.raw[news[0] + step]
            gain -= old.raw[olds[1] + step] == new.raw[news[1] + step]


def _beside_empty(side: Lines, start: int, gap: int) -> int:
    """Count the ends of the gap at which an empty line stands."""
    count = 0
    for at in (start, start + gap):
        count += at in (0, len(side.starts)) or side.starts[at] - side.ends[at - 1] > 1
    return count


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
        if a == b or c == d or (b - a == 1 and d - c == 1):
            continue
        left, right = old[a:b], new[c:d]
        if set(left).isdisjoint(right):
            continue
        found = unique_blocks(left, right)
        if not found:
            spine += [
                Block(a + x.old, c + x.new, x.length) for x in _lcs_lines(left, right, budget)
            ]
            continue
        weigh = partial(_weight, left, weights)
        links = [
            Block(a + found[i].old, c + found[i].new, found[i].length)
            for i in heaviest_chain(found, weigh)
        ]
        spine += links
        ends = [(a, c), *((x.old + x.length, x.new + x.length) for x in links)]
        starts = [*((x.old, x.new) for x in links), (b, d)]
        for (a1, c1), (b1, d1) in zip(ends, starts, strict=True):
            if a1 < b1 and c1 < d1:
                todo.append((a1, b1, c1, d1))


def _weight(ids: list[int], weights: list[int], block: Block) -> int:
    return sum(weights[i] for i in ids[block.old : block.old + block.length])


def _lcs_lines(old: list[int], new: list[int], budget: Budget) -> list[Block]:
    if len(old) * len(new) > _LCS_CAP:
        return []
    local: dict[int, str] = {}
    left = "".join([local.setdefault(i, chr(len(local))) for i in old])
    right = "".join([local.setdefault(i, chr(len(local))) for i in new])
    return lcs(left, right, budget)


_LONG, _LEAST = 16, 4
"""Key bytes from which an unclaimed line may have moved: if it stands once among the
unclaimed ones, and if it stands once in each whole text."""


def _moves(
    old: list[int], new: list[int], spine: list[Block], weights: list[int], single: set[int]
) -> list[Block]:
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
            least = _LEAST if old[i] in single else _LONG
            if weights[old[i]] >= least and old_free[i] and new_free[j]:
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
