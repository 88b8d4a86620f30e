"""The last stage: text that moved and was edited, among what nobody has claimed.

One-to-one claims are what keeps a deleted clause from landing on a clause that
resembles it: the near-duplicate is itself matched and so is no candidate.
"""

from __future__ import annotations

from collections.abc import Iterator

from watcher.align.chain import Block, Budget, grams, unique_blocks
from watcher.align.residue import align_words, slide
from watcher.align.runs import RawRun, byte_runs, dense
from watcher.align.tokens import Words

_SEEDS = (6, 4)
"""Lengths in words of the seeds: long ones first, since they are surer."""
_REACH = 40
"""Words that may lie between two seeds of one moved passage."""


def moved_runs(
    old: Words, new: Words, old_text: bytes, new_text: bytes, budget: Budget
) -> list[RawRun]:
    """Return the runs between unclaimed words, each byte claimed at most once."""
    runs: list[RawRun] = []
    old_free = bytearray(b"\x01") * len(old.symbols)
    new_free = bytearray(b"\x01") * len(new.symbols)
    for size in _SEEDS:
        seeds = _seeds(old, new, old_free, new_free, size)
        for cluster in sorted(_clusters(seeds), key=_weight):
            a, b, c, d = _widen(cluster, old, new, old_free, new_free)
            if a == b or c == d:
                continue
            old_part, new_part = old.part(a, b), new.part(c, d)
            blocks = align_words(old_part.symbols, new_part.symbols, budget)
            blocks = dense(slide(blocks, old_part, new_part), old_part, new_part)
            if not blocks:
                continue
            runs += byte_runs(blocks, old_part, new_part, old_text, new_text, moved=True)
            old_free[a:b] = bytes(b - a)
            new_free[c:d] = bytes(d - c)
    return runs


def _seeds(
    old: Words, new: Words, old_free: bytearray, new_free: bytearray, size: int
) -> Iterator[Block]:
    for o, n, length in unique_blocks(grams(old.symbols, size), grams(new.symbols, size)):
        reach = length + size - 1
        if all(old_free[o : o + reach]) and all(new_free[n : n + reach]):
            yield Block(o, n, reach)


def _clusters(seeds: Iterator[Block]) -> list[list[Block]]:
    clusters: list[list[Block]] = []
    for seed in seeds:
        if clusters:
            last = clusters[-1][-1]
            old_gap = seed.old - last.old - last.length
            new_gap = seed.new - last.new - last.length
            if old_gap <= _REACH and -last.length < new_gap <= _REACH:
                clusters[-1].append(seed)
                continue
        clusters.append([seed])
    return clusters


def _weight(cluster: list[Block]) -> tuple[int, Block]:
    return -sum(seed.length for seed in cluster), cluster[0]


def _widen(
    cluster: list[Block], old: Words, new: Words, old_free: bytearray, new_free: bytearray
) -> tuple[int, int, int, int]:
    """Return the words of the sentences in which the seeds stand, as far as they are free."""
    a, c = cluster[0].old, cluster[0].new
    b, d = cluster[-1].old + cluster[-1].length, cluster[-1].new + cluster[-1].length
    if not all(old_free[a:b]) or not all(new_free[c:d]):
        return 0, 0, 0, 0
    a, b = _sentences(a, b, old, old_free)
    c, d = _sentences(c, d, new, new_free)
    return a, b, c, d


def _sentences(start: int, end: int, side: Words, free: bytearray) -> tuple[int, int]:
    segments = side.segments
    first, last = segments[start], segments[end - 1]
    while start and free[start - 1] and segments[start - 1] == first:
        start -= 1
    while end < len(segments) and free[end] and segments[end] == last:
        end += 1
    return start, end
