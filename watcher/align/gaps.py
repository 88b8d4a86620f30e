"""All gaps that the line stage left, aligned by words."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.align.chain import Block, Budget, heaviest_chain
from watcher.align.moves import Claims
from watcher.align.residue import align_words, disjoint, refine
from watcher.align.runs import RawRun, byte_runs, links_of
from watcher.align.tokens import BARRIER_NEW, BARRIER_OLD, Texts, Words, concat

_LONG_WORDS, _LONG_BYTES = 8, 32
"""What a stretch has at least that is taken for moved before its gap was aligned."""


def align_gaps(pairs: Sequence[tuple[Words, Words]], texts: Texts, budget: Budget) -> list[RawRun]:
    """Return the runs of all gaps: `pairs[i]` are the words of gap i on both sides.

    Long stretches that stand once on each side are looked for over all gaps at
    once. The heaviest chain of them is in order; the others moved, and are out
    of the way before a gap is aligned by itself. What is left at the end is
    looked for once more, by shorter stretches.
    """
    old = concat([pair[0] for pair in pairs], BARRIER_OLD, keep_empty=True)
    new = concat([pair[1] for pair in pairs], BARRIER_NEW, keep_empty=True)
    claims = Claims(old, new, texts)
    blocks = disjoint(claims.seeds(_LONG_WORDS))
    weights = [old.ends[x.old + x.length - 1] - old.starts[x.old] for x in blocks]
    chain = heaviest_chain(blocks, lambda x: old.ends[x.old + x.length - 1] - old.starts[x.old])
    anchors = [blocks[index] for index in chain]
    for o, n, length in anchors:
        claims.take(o, o + length, n, n + length)
    inside = set(chain)
    runs = claims.move(
        [
            block
            for index, block in enumerate(blocks)
            if index not in inside and block.length >= _LONG_WORDS and weights[index] >= _LONG_BYTES
        ],
        budget,
    )
    for o, n, length in anchors:
        claims.release(o, o + length, n, n + length)
    runs += _in_order(pairs, anchors, claims, budget)
    for size in _SEEDS:
        if claims.few():
            runs += claims.move(claims.seeds(size), budget)
    return runs


_SEEDS = (6, 4)
"""Words in the seeds of moved and edited text: long ones first, since they are surer."""


def _in_order(
    pairs: Sequence[tuple[Words, Words]], anchors: list[Block], claims: Claims, budget: Budget
) -> list[RawRun]:
    """Return the runs of each gap by itself, and claim what they cover."""
    old, new = claims.masked()
    runs: list[RawRun] = []
    # In one gap alone the longest anchors were just looked for, all over it.
    longest = _LONG_WORDS if anchors or len(pairs) > 1 else _LONG_WORDS - 2
    a = c = at = 0
    for old_words, new_words in pairs:
        b, d = a + len(old_words.symbols), c + len(new_words.symbols)
        inside: list[Block] = []
        while at < len(anchors) and anchors[at].old < b:
            if c <= anchors[at].new < d:
                inside.append(Block(anchors[at].old - a, anchors[at].new - c, anchors[at].length))
            at += 1
        if a < b and c < d:
            left, right = old.part(a, b), new.part(c, d)
            blocks = align_words(left.symbols, right.symbols, budget, inside, longest)
            links = links_of(refine(blocks, left, right, claims.texts), left, right, claims.texts)
            runs += byte_runs(links, left, right, claims.texts, moved=False)
            for link in links:
                claims.take(a + link.old, a + link.old_end, c + link.new, c + link.new_end)
        a, c = b + 1, d + 1
    return runs
