"""One map between two texts: lines first, then words of what is left, then moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import eq

from watcher.align.chain import Block, Budget
from watcher.align.gaps import align_gaps
from watcher.align.lines import LineMatch, Lines, lines_of, match_lines
from watcher.align.model import KEPT, MOVED, TextMap
from watcher.align.quick import align_alike
from watcher.align.runs import RawRun, join
from watcher.align.tokens import (
    BARRIER_NEW,
    BARRIER_OLD,
    Texts,
    Vocabulary,
    Words,
    concat,
    split,
    words,
)

ALGORITHM = "align/1"
_WORK = 2_400_000_000
_WORK_PER_BYTE = 1_200
"""Symbol pairs that may be compared for one pair of texts: the larger of the two bounds."""

_Gap = tuple[int, int, int, int]
_Span = tuple[int, int]


def align(old: bytes, new: bytes) -> TextMap:
    """Return the map from `old` to `new` (both UTF-8; anything is taken as bytes).

    Deterministic: the bound on work is counted, not timed. Where it is reached
    the map says `complete=False`.
    """
    if old == new:
        runs = [(0, len(old), 0, len(new), KEPT)] if old else []
        return TextMap.of(len(old), len(new), runs, ALGORITHM)
    budget = Budget(max(_WORK, _WORK_PER_BYTE * (len(old) + len(new))))
    runs = _with_equal_end(_runs(Texts(old, new), budget), old, new)
    return TextMap.of(len(old), len(new), runs, ALGORITHM, complete=not budget.exhausted)


def _with_equal_end(runs: list[RawRun], old: bytes, new: bytes) -> list[RawRun]:
    """Return the runs with the last kept one grown over the texts' equal ends.

    A line's end belongs to no line, so the one at the end of a text would be
    in no run, and a passage that takes it in would count as edited.
    """
    last = max(range(len(runs)), key=lambda i: runs[i][1], default=None)
    if last is None:
        return runs
    a, b, c, d, kind = runs[last]
    tail = old[b:]
    if kind != KEPT or not tail or tail != new[d:] or any(run[3] > d for run in runs):
        return runs
    return [*runs[:last], (a, len(old), c, len(new), kind), *runs[last + 1 :]]


def _runs(texts: Texts, budget: Budget) -> list[RawRun]:
    long = _has_long_lines(texts.old) or _has_long_lines(texts.new)
    old_lines, new_lines = lines_of(texts.old, long=long), lines_of(texts.new, long=long)
    match = match_lines(old_lines, new_lines, budget)
    vocabulary = Vocabulary()
    found, gaps = _from_lines(match, old_lines, new_lines, texts)
    moved = list(_moved_lines(match.moved, old_lines, new_lines, texts))
    found += moved
    rest: list[_Gap] = []
    failed = 0
    for gap in gaps:
        alike = None if moved or failed > _HOPELESS else align_alike(gap, texts, vocabulary)
        if alike is None:
            rest.append(gap)
            failed += gap[1] - gap[0] + gap[3] - gap[2]
        else:
            found += alike
            failed -= gap[1] - gap[0] + gap[3] - gap[2]
    if any(a < b for a, b, _, _ in rest) and any(c < d for _, _, c, d in rest):
        if _too_many(rest, texts):
            budget.exhausted = True
        else:
            found += align_gaps(_words_of(rest, moved, texts, vocabulary), texts, budget)
    return join(found, texts)


_LONG_TEXT, _LONG_LINE = 20_000, 2_000
"""Bytes of a text, and of its lines on average, from which sentences stand for lines."""


def _has_long_lines(text: bytes) -> bool:
    return len(text) >= _LONG_TEXT and text.count(b"\n") * _LONG_LINE < len(text)


_HOPELESS = 200_000
"""Bytes by which what the short way refused exceeds what it took, where it is given up."""
_MOST_WORDS = 600_000
"""Words and blanks, both sides together, up to which what no line matched is aligned by words."""
_SAMPLE = 2_048
_USUAL, _FRESH = 4, 4
"""One part in so many is a word not seen before in a sample of prose; where more are, each
costs as much as so many further parts."""


def _too_many(gaps: Sequence[_Gap], texts: Texts) -> bool:
    """Tell whether the gaps hold more words than can be aligned, by samples of both sides."""
    total = 0.0
    for text, parts in (
        (texts.old, [(a, b) for a, b, _, _ in gaps]),
        (texts.new, [(c, d) for _, _, c, d in gaps]),
    ):
        size = sum(b - a for a, b in parts)
        if size * 2 <= _MOST_WORDS:
            total += size  # there are no more words than bytes
            continue
        step = max(size // 16, 1)
        seen = count = passed = 0
        distinct: set[bytes] = set()
        for a, b in parts:
            for at in range(a + (-passed) % step, b, step):
                stop = min(b, at + _SAMPLE)
                seen += stop - at
                found = split(text, at, stop)
                count += len(found)
                distinct.update(found)
            passed += b - a
        fresh = max(len(distinct) - count // _USUAL, 0)
        total += size * (count + _FRESH * fresh) / max(seen, 1)
    return total > _MOST_WORDS


def _from_lines(
    match: LineMatch, old: Lines, new: Lines, texts: Texts
) -> tuple[list[RawRun], list[_Gap]]:
    """Return the byte-equal stretches of the spine as runs, and what lies between them."""
    found: list[RawRun] = []
    gaps: list[_Gap] = []
    at_old = at_new = 0
    for a, b, c, d, equal in _pairs(match, old, new, texts):
        gaps.append((at_old, a, at_new, c))
        if equal:
            found.append((a, b, c, d, KEPT))
        else:
            gaps.append((a, b, c, d))
        at_old, at_new = b, d
    gaps.append((at_old, len(texts.old), at_new, len(texts.new)))
    return found, [
        (a, b, c, d)
        for a, b, c, d in gaps
        if (a < b and not texts.old[a:b].isspace()) or (c < d and not texts.new[c:d].isspace())
    ]


def _pairs(
    match: LineMatch, old: Lines, new: Lines, texts: Texts
) -> Iterator[tuple[int, int, int, int, bool]]:
    """Yield the stretches of the spine, in order: byte-equal ones, and single unequal lines."""
    for o, n, length in match.spine:
        a, b = old.starts[o], old.ends[o + length - 1]
        c, d = new.starts[n], new.ends[n + length - 1]
        if texts.old[a:b] == texts.new[c:d]:
            yield a, b, c, d, True
            continue
        flags = list(map(eq, old.raw[o : o + length], new.raw[n : n + length]))
        at = 0
        for equal, group in groupby(flags):
            size = len(list(group))
            first, last = at, at + size
            at = last
            a, b = old.starts[o + first], old.ends[o + last - 1]
            c, d = new.starts[n + first], new.ends[n + last - 1]
            if equal and texts.old[a:b] == texts.new[c:d]:
                yield a, b, c, d, True
                continue
            for i in range(first, last):
                yield old.starts[o + i], old.ends[o + i], new.starts[n + i], new.ends[n + i], equal


def _moved_lines(blocks: Sequence[Block], old: Lines, new: Lines, texts: Texts) -> Iterator[RawRun]:
    for o, n, length in blocks:
        for i in range(length):
            a, b = old.starts[o + i], old.ends[o + i]
            c, d = new.starts[n + i], new.ends[n + i]
            if texts.old[a:b] == texts.new[c:d]:
                yield a, b, c, d, MOVED


def _words_of(
    gaps: Sequence[_Gap], moved: Sequence[RawRun], texts: Texts, vocabulary: Vocabulary
) -> list[tuple[Words, Words]]:
    """Return the words of each gap on both sides, moved lines left out."""
    old_taken = sorted((r[0], r[1]) for r in moved)
    new_taken = sorted((r[2], r[3]) for r in moved)

    def side(text: bytes, parts: list[_Span], barrier: str) -> Words:
        return concat([words(text, a, b, vocabulary) for a, b in parts], barrier)

    olds = _free_parts([(a, b) for a, b, _, _ in gaps], old_taken)
    news = _free_parts([(c, d) for _, _, c, d in gaps], new_taken)
    return [
        (side(texts.old, left, BARRIER_OLD), side(texts.new, right, BARRIER_NEW))
        for left, right in zip(olds, news, strict=True)
    ]


def _free_parts(spans: Sequence[_Span], taken: Sequence[_Span]) -> Iterator[list[_Span]]:
    """Yield, for each of `spans`, its parts that no range of `taken` covers; both sorted."""
    at = 0
    for start, end in spans:
        parts: list[_Span] = []
        position = start
        while at < len(taken) and taken[at][0] < end:
            a, b = taken[at]
            if a > position:
                parts.append((position, a))
            position = max(position, b)
            at += 1
        if position < end:
            parts.append((position, end))
        yield parts
