"""Matched stretches cut at sentence ends, and how much of a sentence they are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from watcher.align.chain import Block
from watcher.align.tokens import Words


class Part(NamedTuple):
    """A stretch of a block inside one sentence on each side; `weight` in old bytes."""

    old: int
    new: int
    length: int
    pair: tuple[int, int]
    weight: int


def parts_of(block: Block, old: Words, new: Words) -> Iterator[Part]:
    """Yield the parts of `block`, in order."""
    o, n, length = block
    stop = o + length
    while o < stop:
        pair = (old.segments[o], new.segments[n])
        size = min(
            bisect_right(old.segments, pair[0], o, stop) - o,
            bisect_right(new.segments, pair[1], n, n + stop - o) - n,
        )
        yield Part(o, n, size, pair, old.ends[o + size - 1] - old.starts[o])
        o, n = o + size, n + size


def weights_of(parts: Iterable[Part]) -> Counter[tuple[int, int]]:
    """Return the bytes that each pair of sentences shares."""
    weights: Counter[tuple[int, int]] = Counter()
    for part in parts:
        weights[part.pair] += part.weight
    return weights


def sentence_size(words: Words, segment: int) -> int:
    """Return the bytes of a sentence, from its first word to its last."""
    first = bisect_left(words.segments, segment)
    last = bisect_right(words.segments, segment, first) - 1
    return words.ends[last] - words.starts[first]
