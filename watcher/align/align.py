"""One map between two texts: lines first, then words of what is left, then moves."""

from __future__ import annotations

from collections.abc import Iterator

from watcher.align.chain import Block, Budget
from watcher.align.lines import LineMatch, Lines, lines_of, match_lines
from watcher.align.model import KEPT, MOVED, TextMap
from watcher.align.gaps import align_gaps
from watcher.align.moves import Claims
from watcher.align.runs import RawRun, join
from watcher.align.tokens import BARRIER_NEW, BARRIER_OLD, Texts, Vocabulary, Words, concat, words

ALGORITHM = "align/1"
_SEEDS = (6, 4)
"""Words in the seeds of moved and edited text: long ones first, since they are surer."""
_WORK = 3_000_000_000
"""Symbol pairs that may be compared for one pair of texts."""


def align(old: bytes, new: bytes) -> TextMap:
    """Return the map from `old` to `new` (both UTF-8; anything is taken as bytes).

    Deterministic: the bound on work is counted, not timed. Where it is reached
    the map says `complete=False`.
    """
    if old == new:
        runs = [(0, len(old), 0, len(new), KEPT)] if old else []
        return TextMap.of(len(old), len(new), runs, ALGORITHM)
    budget = Budget(_WORK)
    aligner = _Aligner(old, new, budget)
    return TextMap.of(len(old), len(new), aligner.runs(), ALGORITHM, complete=not budget.exhausted)


class _Aligner:
    def __init__(self, old: bytes, new: bytes, budget: Budget) -> None:
        self.old, self.new, self.budget = old, new, budget
        self.vocabulary = Vocabulary()

    def runs(self) -> list[RawRun]:
        old_lines, new_lines = lines_of(self.old), lines_of(self.new)
        match = match_lines(old_lines, new_lines, self.budget)
        found: list[RawRun] = []
        gaps: list[tuple[int, int, int, int]] = []
        at_old = at_new = 0
        for a, b, c, d, equal in _pairs(match, old_lines, new_lines, self.old, self.new):
            gaps.append((at_old, a, at_new, c))
            if equal:
                found.append((a, b, c, d, KEPT))
            else:
                gaps.append((a, b, c, d))
            at_old, at_new = b, d
        gaps.append((at_old, len(self.old), at_new, len(self.new)))
        found += self._moved_lines(match.moved, old_lines, new_lines)
        taken_old = sorted((r[0], r[1]) for r in found if r[4] == MOVED)
        taken_new = sorted((r[2], r[3]) for r in found if r[4] == MOVED)
        pairs = [
            (self._words(self.old, taken_old, a, b, BARRIER_OLD),
             self._words(self.new, taken_new, c, d, BARRIER_NEW))
            for a, b, c, d in gaps
            if a < b or c < d
        ]
        found += align_gaps(pairs, Texts(self.old, self.new), self.budget)
        claims = self._free_words(found)
        for size in _SEEDS:
            found += claims.move(claims.seeds(size), self.budget)
        return join(found, self.old, self.new)

    def _words(
        self, text: bytes, taken: list[tuple[int, int]], start: int, end: int, barrier: str
    ) -> Words:
        parts = [words(text, a, b, self.vocabulary) for a, b in _free(taken, start, end)]
        return concat(parts, barrier)

    def _moved_lines(self, blocks: list[Block], old: Lines, new: Lines) -> list[RawRun]:
        runs: list[RawRun] = []
        for o, n, length in blocks:
            for step in range(length):
                a, b = old.starts[o + step], old.ends[o + step]
                c, d = new.starts[n + step], new.ends[n + step]
                if self.old[a:b] == self.new[c:d]:
                    runs.append((a, b, c, d, MOVED))
        return runs

    def _free_words(self, found: list[RawRun]) -> Claims:
        old_free = _free(sorted((r[0], r[1]) for r in found), 0, len(self.old))
        new_free = _free(sorted((r[2], r[3]) for r in found), 0, len(self.new))
        old = concat([words(self.old, a, b, self.vocabulary) for a, b in old_free], BARRIER_OLD)
        new = concat([words(self.new, a, b, self.vocabulary) for a, b in new_free], BARRIER_NEW)
        return Claims(old, new, Texts(self.old, self.new))


def _free(taken: list[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of `start:end` that no range of `taken` (sorted) covers."""
    for a, b in taken:
        if b <= start:
            continue
        if a >= end:
            break
        if a > start:
            yield start, a
        start = max(start, b)
    if start < end:
        yield start, end


def _pairs(
    match: LineMatch, old: Lines, new: Lines, old_text: bytes, new_text: bytes
) -> Iterator[tuple[int, int, int, int, bool]]:
    """Yield the stretches of the spine, in order: byte-equal ones, and single unequal lines."""
    for o, n, length in match.spine:
        a, b = old.starts[o], old.ends[o + length - 1]
        c, d = new.starts[n], new.ends[n + length - 1]
        if old_text[a:b] == new_text[c:d]:
            yield a, b, c, d, True
            continue
        for step in range(length):
            a, b = old.starts[o + step], old.ends[o + step]
            c, d = new.starts[n + step], new.ends[n + step]
            yield a, b, c, d, old_text[a:b] == new_text[c:d]
