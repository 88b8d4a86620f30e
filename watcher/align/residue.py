"""The word stage: what the line stage left between two matched lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from watcher.align.chain import (
    Block,
    Budget,
    common_prefix,
    common_suffix,
    grams,
    heaviest_chain,
    lcs,
    merge,
    unique_blocks,
)
from watcher.align.parts import parts_of, sentence_size, weights_of
from watcher.align.runs import dense
from watcher.align.tokens import Texts, Words

_LCS_CAP = 100_000_000
_DIRECT = 16_384
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
    old: str, new: str, budget: Budget, anchors: Sequence[Block] = (), longest: int = 8
) -> list[Block]:
    """Return the in-order blocks of equal symbols: anchors first, then the LCS between.

    `longest` is the length in words of the first anchors that are looked for.
    """
    blocks: list[Block] = list(anchors)
    ends = [(0, 0), *((x.old + x.length, x.new + x.length) for x in anchors)]
    starts = [*((x.old, x.new) for x in anchors), (len(old), len(new))]
    todo = [(a, b, c, d, longest) for (a, c), (b, d) in zip(ends, starts, strict=True)]
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
        chain, size = _best_anchors(old[a:b], new[c:d], size, budget)
        if not chain:
            if (b - a) * (d - c) <= _LCS_CAP:
                blocks += [
                    Block(a + x.old, c + x.new, x.length) for x in lcs(old[a:b], new[c:d], budget)
                ]
            elif _related(old[a:b], new[c:d]):
                budget.exhausted = True
            continue
        chain = [Block(a + x.old, c + x.new, x.length) for x in chain]
        blocks += chain
        if min(b - a, d - c) > _MANY:
            size -= 1  # what is still that large between two anchors has none of its own
        ends = [(a, c), *((x.old + x.length, x.new + x.length) for x in chain)]
        starts = [*((x.old, x.new) for x in chain), (b, d)]
        for (a1, c1), (b1, d1) in zip(ends, starts, strict=True):
            if a1 < b1 and c1 < d1:
                todo.append((a1, b1, c1, d1, size))
    blocks.sort()
    return merge(blocks)


def _best_anchors(old: str, new: str, size: int, budget: Budget) -> tuple[list[Block], int]:
    """Return the chain of the longest unique stretches of at most `size` words, and that size."""
    least = 3 if min(len(old), len(new)) <= _MANY else _LONG
    while size >= least:
        if not budget.take(_GRAM * (len(old) + len(new))):
            return [], 0
        chain = _anchors(old, new, size)
        if chain:
            return chain, size
        size -= 2
    return [], size


_MANY, _LONG = 20_000, 8
"""In a gap of more words than this only stretches this long are anchors."""
_GRAM = 4_000
"""Symbol pairs of an LCS that take as long as one stretch that is looked up."""
_PROBE = 50_000
_RELATED = 0.1


def _related(old: str, new: str) -> bool:
    """Tell whether two stretches share so many short sequences that one may be the other.

    If not, that nothing was found there is an answer, not a limit.
    """
    left, right = set(grams(old[:_PROBE], 4)), set(grams(new[:_PROBE], 4))
    return len(left & right) >= _RELATED * min(len(left), len(right), 1 << 60)


def _anchors(old: str, new: str, size: int) -> list[Block]:
    found = unique_blocks(grams(old, size), grams(new, size))
    if not found:
        return []
    found = [Block(o, n, length + size - 1) for o, n, length in found]
    chain = [found[i] for i in heaviest_chain(found, lambda x: x.length)]
    out = [chain[0]]
    for block in chain[1:]:
        last = out[-1]
        over = max(last.old + last.length - block.old, last.new + last.length - block.new, 0)
        if over < block.length:
            out.append(Block(block.old + over, block.new + over, block.length - over))
    return out


def slide(blocks: list[Block], old: Words, new: Words, texts: Texts) -> list[Block]:
    """Shift one-sided gaps to where a sentence or paragraph begins.

    Between two matched stretches with text on one side only, the gap may stand
    at several places with the same count of matches ("X Y" became "Y", where X
    and Y begin alike). The best place starts and ends at a line or a sentence.
    """
    out = list(blocks)
    marks: list[Block] = []
    for index in range(1, len(out)):
        first, second = out[index - 1], out[index]
        old_gap = second.old - first.old - first.length
        new_gap = second.new - first.new - first.length
        if (old_gap == 0) == (new_gap == 0):
            if old_gap:
                marks += _rejoin_mark(out, index, old, new, texts)
            continue
        if old_gap:
            start = first.old + first.length
            shift = _best_shift(old, texts.old, start, old_gap, first.length, second.length)
        else:
            start = first.new + first.length
            shift = _best_shift(new, texts.new, start, new_gap, first.length, second.length)
        if shift:
            out[index - 1] = Block(first.old, first.new, first.length + shift)
            out[index] = Block(second.old + shift, second.new + shift, second.length - shift)
    return merge(sorted([*(block for block in out if block.length), *marks]))


_MARK = 3
"""Words of a mark that begins a line, at most: "|", "-", "12."."""


def _rejoin_mark(
    blocks: list[Block], index: int, old: Words, new: Words, texts: Texts
) -> list[Block]:
    """Return the mark at the end of the block before `index`, put beside its own line.

    Where lines came before "| x" (or went) and x was edited, an LCS may leave
    the mark with the first of the lines that came.
    """
    first, second = blocks[index - 1], blocks[index]
    a, c = first.old + first.length, first.new + first.length
    size = next(
        (
            s
            for s in range(1, min(_MARK, first.length) + 1)
            if _begins_line(old, texts.old, a - s) and _begins_line(new, texts.new, c - s)
        ),
        0,
    )
    if not size:
        return []
    left = [i for i in range(a, second.old) if _begins_line(old, texts.old, i)]
    right = [i for i in range(c, second.new) if _begins_line(new, texts.new, i)]
    mark = old.symbols[a - size : a]
    if bool(left) == bool(right):
        return []
    side, places = (new, right) if right else (old, left)
    limit = second.new if right else second.old
    place = next(
        (i for i in reversed(places) if i + size < limit and side.symbols.startswith(mark, i)), -1
    )
    if place < 0:
        return []
    blocks[index - 1] = Block(first.old, first.new, first.length - size)
    return [Block(a - size, place, size) if right else Block(place, c - size, size)]


def _begins_line(side: Words, text: bytes, at: int) -> bool:
    return at == 0 or text.find(b"\n", side.ends[at - 1], side.starts[at]) >= 0


_SLIDE = 256
"""Words by which a gap may slide."""


def _best_shift(side: Words, text: bytes, start: int, gap: int, before: int, after: int) -> int:
    symbols = side.symbols
    low = 0
    while -low < min(before, _SLIDE) and symbols[start + low - 1] == symbols[start + gap + low - 1]:
        low -= 1
    high = 0
    while high < min(after, _SLIDE) and symbols[start + high] == symbols[start + gap + high]:
        high += 1
    if low == high:
        return 0

    def score(shift: int) -> tuple[int, int]:
        at = start + shift
        return _strength(side, text, at) + _strength(side, text, at + gap), -abs(shift)

    return max(range(low, high + 1), key=score)


def _strength(side: Words, text: bytes, at: int) -> int:
    """Return how strong the boundary before word `at` is: 0 inside a sentence, 4 an end."""
    if at in (0, len(side.symbols)):
        return 4
    blank = text[side.ends[at - 1] : side.starts[at]]
    if b"\n" in blank or b"\f" in blank:
        return 3
    return 2 if side.segments[at - 1] != side.segments[at] else 1 if blank else 0


def refine(blocks: list[Block], old: Words, new: Words, texts: Texts) -> list[Block]:
    """Return `blocks` with gaps at sentence ends and chance matches dropped."""
    blocks = regroup(slide(blocks, old, new, texts), old, new)
    return dense(without_specks(blocks, old, new), old, new)


_MINOR = 0.34
"""Share of a sentence's matches below which a match with another sentence is chance..."""
_OWN = 0.5
"""... unless it covers this share of the other sentence, which is then a part of it."""


def regroup(blocks: list[Block], old: Words, new: Words) -> list[Block]:
    """Match the words of a sentence with those of its own counterpart.

    An LCS may close "X." with the full stop of a sentence after it, or pair the
    last words of a heading with the first ones of the text below. Where two
    sentences are clearly each other's counterpart, chance matches with others
    are dropped and the two are matched anew.
    """
    parts = [part for block in blocks for part in parts_of(block, old, new)]
    weights = weights_of(parts)
    old_best: dict[int, tuple[int, int]] = {}
    new_best: dict[int, tuple[int, int]] = {}
    for pair, weight in weights.items():
        if weight > weights[old_best.get(pair[0], (-1, -1))]:
            old_best[pair[0]] = pair
        if weight > weights[new_best.get(pair[1], (-1, -1))]:
            new_best[pair[1]] = pair
    minor = set()
    for pair, weight in weights.items():
        less_old = weight < _MINOR * weights[old_best[pair[0]]]
        less_new = weight < _MINOR * weights[new_best[pair[1]]]
        if (
            (less_old and less_new)
            or (less_new and weight < _OWN * sentence_size(old, pair[0]))
            or (less_old and weight < _OWN * sentence_size(new, pair[1]))
        ):
            minor.add(pair)
    if not minor:
        return blocks
    again = {old_best[pair[0]] for pair in minor} | {new_best[pair[1]] for pair in minor}
    kept = [part for part in parts if part.pair not in minor]
    partners = Counter(pair[0] for pair in weights if pair not in minor)
    others = Counter(pair[1] for pair in weights if pair not in minor)
    again = {
        pair
        for pair in again
        if pair not in minor and partners[pair[0]] == 1 and others[pair[1]] == 1
    }
    out = [Block(p.old, p.new, p.length) for p in kept if p.pair not in again]
    for a, c in again:
        o, b = bisect_left(old.segments, a), bisect_right(old.segments, a)
        n, d = bisect_left(new.segments, c), bisect_right(new.segments, c)
        found = _matching(old.symbols[o:b], new.symbols[n:d])
        out += [Block(o + x.old, n + x.new, x.length) for x in found]
    out.sort()
    return merge(out)


def _matching(old: str, new: str) -> list[Block]:
    left = common_prefix(old, new)
    right = common_suffix(old[left:], new[left:])
    blocks = [Block(0, 0, left)] if left else []
    middle = lcs(old[left : len(old) - right], new[left : len(new) - right], Budget(1 << 40))
    blocks += [Block(left + x.old, left + x.new, x.length) for x in middle]
    if right:
        blocks.append(Block(len(old) - right, len(new) - right, right))
    return blocks


_SPECK = 6
"""Bytes up to which a match between two larger replacements is chance."""


def without_specks(blocks: list[Block], old: Words, new: Words) -> list[Block]:
    """Drop tiny matches inside a replaced stretch: one ideograph of a replaced word."""
    out: list[Block] = []
    for index, block in enumerate(blocks):
        if 0 < index < len(blocks) - 1 and block.length <= 2:
            size = old.ends[block.old + block.length - 1] - old.starts[block.old]
            before, after = blocks[index - 1], blocks[index + 1]
            if (
                size <= _SPECK
                and _gap_size(before, block, old, new) >= size
                and _gap_size(block, after, old, new) >= size
            ):
                continue
        out.append(block)
    return out


def _gap_size(first: Block, second: Block, old: Words, new: Words) -> int:
    """Return the bytes of the larger side between two blocks; 0 if one side is empty."""
    a, b = first.old + first.length, second.old
    c, d = first.new + first.length, second.new
    if a == b or c == d:
        return 0
    return max(old.ends[b - 1] - old.starts[a], new.ends[d - 1] - new.starts[c])
