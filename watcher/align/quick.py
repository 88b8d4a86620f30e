"""The short way for a gap whose two sides are plainly one sentence, edited.

Most gaps of a real change are: a few words in the middle of a line. They need
no anchors, no search for moves and no judgement of chance.
"""

from __future__ import annotations

from itertools import accumulate

from rapidfuzz.distance import LCSseq

from watcher.align.chain import common_prefix, common_suffix
from watcher.align.model import EDITED, KEPT
from watcher.align.runs import RawRun
from watcher.align.tokens import SPACE, Texts, Vocabulary, split

_ALIKE = 0.6
"""Share of the words of the longer side that must agree, in order."""
_LIMIT = 20_000
"""Bytes of a side above which a gap takes the long way."""


def align_alike(
    gap: tuple[int, int, int, int], texts: Texts, vocabulary: Vocabulary
) -> list[RawRun] | None:
    """Return the runs of a gap, or None if it takes the long way.

    The short way is taken if the words agree up to one stretch within one
    sentence on both sides, and nothing there could be matched differently.
    """
    a, b, c, d = gap
    if a == b or c == d or b - a > _LIMIT or d - c > _LIMIT:
        return None
    old_parts, new_parts = split(texts.old, a, b), split(texts.new, c, d)
    old_all = "".join(map(vocabulary.__getitem__, old_parts))
    new_all = "".join(map(vocabulary.__getitem__, new_parts))
    old, new = old_all.replace(SPACE, ""), new_all.replace(SPACE, "")
    left = common_prefix(old, new)
    right = common_suffix(old[left:], new[left:])
    old_middle, new_middle = old[left : len(old) - right], new[left : len(new) - right]
    if not vocabulary.breaks.isdisjoint(old_middle) or not vocabulary.breaks.isdisjoint(new_middle):
        return None
    if not old_middle or not new_middle:
        middle = old_middle or new_middle
        if not middle or (left and old[left - 1] == middle[-1]):
            return None
        blocks = []
    else:
        blocks = [
            (left + m.a, left + m.b, m.size)
            for m in LCSseq.opcodes(old_middle, new_middle).as_matching_blocks()
            if m.size
        ]
    same = left + right + sum(block[2] for block in blocks)
    if same < _ALIKE * max(len(old), len(new)):
        return None
    if left:
        blocks.insert(0, (0, 0, left))
    if right:
        blocks.append((len(old) - right, len(new) - right, right))
    return _byte_runs(
        blocks,
        _places(old_all, old_parts, a),
        _places(new_all, new_parts, c),
        texts,
    )


def _places(symbols: str, parts: list[bytes], start: int) -> tuple[list[int], list[int]]:
    """Return the starts and ends of the words among `parts`."""
    ends = list(accumulate(map(len, parts), initial=start))
    kept = [i for i, symbol in enumerate(symbols) if symbol != SPACE]
    return [ends[i] for i in kept], [ends[i + 1] for i in kept]


def _byte_runs(
    blocks: list[tuple[int, int, int]],
    old: tuple[list[int], list[int]],
    new: tuple[list[int], list[int]],
    texts: Texts,
) -> list[RawRun] | None:
    runs: list[RawRun] = []
    at_old = at_new = 0
    for o, n, length in [*blocks, (len(old[0]), len(new[0]), 0)]:
        if at_old < o and at_new < n:
            runs.append((old[0][at_old], old[1][o - 1], new[0][at_new], new[1][n - 1], EDITED))
        at_old, at_new = o + length, n + length
        if length:
            a, b, c, d = old[0][o], old[1][at_old - 1], new[0][n], new[1][at_new - 1]
            if texts.old[a:b] != texts.new[c:d]:
                return None
            runs.append((a, b, c, d, KEPT))
    return runs
