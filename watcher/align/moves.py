"""Text that moved, exactly or edited, among words that nobody has claimed.

One-to-one claims are what keeps a deleted clause from landing on a clause that
resembles it: the near-duplicate is itself matched and so is no candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from watcher.align.chain import Block, Budget, grams, unique_blocks
from watcher.align.residue import align_words, refine
from watcher.align.runs import RawRun, byte_runs, links_of
from watcher.align.tokens import BARRIER_NEW, BARRIER_OLD, Texts, Words

_MANY = 60_000
"""Free words above which only long stretches are looked for."""
_REACH = 40
"""Words that may lie between two seeds of one moved passage."""


class Claims:
    """Two word sequences, and which of their words are still free."""

    def __init__(self, old: Words, new: Words, texts: Texts) -> None:
        self.old, self.new = old, new
        self.texts = texts
        self.old_free = bytearray(b"\x01") * len(old.symbols)
        self.new_free = bytearray(b"\x01") * len(new.symbols)

    def take(self, a: int, b: int, c: int, d: int) -> None:
        """Claim words `a:b` of old and `c:d` of new."""
        self.old_free[a:b] = bytes(b - a)
        self.new_free[c:d] = bytes(d - c)

    def release(self, a: int, b: int, c: int, d: int) -> None:
        """Take back a claim."""
        self.old_free[a:b] = b"\x01" * (b - a)
        self.new_free[c:d] = b"\x01" * (d - c)

    def few(self) -> bool:
        """Tell whether what is free is a part of the texts, not another text altogether."""
        free = sorted((self.old_free.count(1), self.new_free.count(1)))
        return free[0] > 0 and free[1] <= _MANY

    def is_free(self, a: int, b: int, c: int, d: int) -> bool:
        """Tell whether nobody claims any word of the two ranges."""
        return self.old_free.find(0, a, b) < 0 and self.new_free.find(0, c, d) < 0

    def masked(self) -> tuple[Words, Words]:
        """Return both sequences with barriers in the place of claimed words."""
        return (
            _masked(self.old, self.old_free, BARRIER_OLD),
            _masked(self.new, self.new_free, BARRIER_NEW),
        )

    def seeds(self, size: int) -> list[Block]:
        """Return the free stretches of at least `size` words that stand once on each side."""
        old, new = self.masked()
        blocks = unique_blocks(grams(old.symbols, size), grams(new.symbols, size))
        return [Block(o, n, length + size - 1) for o, n, length in blocks]

    def move(self, seeds: Iterable[Block], budget: Budget) -> list[RawRun]:
        """Return the runs of the sentences around `seeds`, and claim those sentences."""
        runs: list[RawRun] = []
        for cluster in sorted(_clusters(seeds), key=_weight):
            runs += self._move_cluster(cluster, budget)
        return runs

    def _move_cluster(self, cluster: Sequence[Block], budget: Budget) -> list[RawRun]:
        runs: list[RawRun] = []
        for hull in self._free_hulls(cluster):
            a, b = _sentences(hull[0], hull[1], self.old, self.old_free)
            c, d = _sentences(hull[2], hull[3], self.new, self.new_free)
            old, new = self.old.part(a, b), self.new.part(c, d)
            blocks = refine(align_words(old.symbols, new.symbols, budget), old, new, self.texts)
            if blocks:
                links = links_of(blocks, old, new, self.texts)
                runs += byte_runs(links, old, new, self.texts, moved=True)
                self.take(a, b, c, d)
        return runs

    def _free_hulls(self, cluster: Sequence[Block]) -> list[tuple[int, int, int, int]]:
        """Return the hulls of the seeds, cut where somebody claims what lies between two."""
        hulls: list[tuple[int, int, int, int]] = []
        for o, n, length in cluster:
            hull = (o, o + length, n, n + length)
            if hulls:
                longer = (hulls[-1][0], hull[1], hulls[-1][2], hull[3])
                if self.is_free(*longer):
                    hulls[-1] = longer
                    continue
            if self.is_free(*hull):
                hulls.append(hull)
        return hulls


def _masked(words: Words, free: bytearray, barrier: str) -> Words:
    if free.find(0) < 0:
        return words
    symbols = [s if f else barrier for s, f in zip(words.symbols, free, strict=True)]
    return words._replace(symbols="".join(symbols))


def _clusters(seeds: Iterable[Block]) -> list[list[Block]]:
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


def _weight(cluster: Sequence[Block]) -> tuple[int, Block]:
    return -sum(seed.length for seed in cluster), cluster[0]


def _sentences(start: int, end: int, side: Words, free: bytearray) -> tuple[int, int]:
    """Widen to whole sentences, as far as they are free."""
    segments = side.segments
    first, last = segments[start], segments[end - 1]
    while start and free[start - 1] and segments[start - 1] == first:
        start -= 1
    while end < len(segments) and free[end] and segments[end] == last:
        end += 1
    return start, end
