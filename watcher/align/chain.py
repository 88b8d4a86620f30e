"""Matching two sequences of symbols: unique anchors, heaviest chain, LCS."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress, count
from operator import lt
from typing import NamedTuple, TypeVar

from rapidfuzz.distance import LCSseq

Symbols = TypeVar("Symbols", str, bytes)
Symbol = TypeVar("Symbol", str, int)


class Block(NamedTuple):
    """`length` symbols from `old` on equal those from `new` on."""

    old: int
    new: int
    length: int


class Budget:
    """Counts work, so that the same input stops at the same place everywhere."""

    def __init__(self, limit: int) -> None:
        self.left = limit
        self.exhausted = False

    def take(self, amount: int) -> bool:
        """Tell whether `amount` is still there, and take it."""
        if amount > self.left:
            self.exhausted = True
            return False
        self.left -= amount
        return True


def heaviest_chain(blocks: Sequence[Block], weigh: Callable[[Block], int]) -> list[int]:
    """Return the positions of the heaviest subset increasing in both coordinates.

    `blocks` are sorted by `old` and do not overlap on either side. A Fenwick
    tree over the rank of `new` keeps the best chain so far: O(n log n).
    """
    news = [block.new for block in blocks]
    if all(map(lt, news, news[1:])):
        return list(range(len(blocks)))
    order = sorted(news)
    size = len(order)
    best = [0] * (size + 1)
    last = [-1] * (size + 1)
    previous = [-1] * size
    top, top_at = -1, -1
    for index, value in enumerate(news):
        rank = bisect_left(order, value)
        total, before = 0, -1
        node = rank
        while node:
            if best[node] > total:
                total, before = best[node], last[node]
            node &= node - 1
        previous[index] = before
        total += weigh(blocks[index])
        if total > top:
            top, top_at = total, index
        node = rank + 1
        while node <= size:
            if total > best[node]:
                best[node], last[node] = total, index
            node += node & -node
    chain = []
    while top_at >= 0:
        chain.append(top_at)
        top_at = previous[top_at]
    return chain[::-1]


def unique_blocks(old: Sequence[Symbol], new: Sequence[Symbol]) -> list[Block]:
    """Return the maximal runs of items that occur once on each side."""
    common = set(old)
    common.intersection_update(new)
    if not common:
        return []
    here, there = _once(old, common), _once(new, common)
    blocks: list[Block] = []
    first_old = first_new = -1
    length = 0
    for item, place in here.items():
        other = there.get(item, -1)
        if other < 0:
            continue
        if length and place == first_old + length and other == first_new + length:
            length += 1
            continue
        if length:
            blocks.append(Block(first_old, first_new, length))
        first_old, first_new, length = place, other, 1
    if length:
        blocks.append(Block(first_old, first_new, length))
    return blocks


def _once(items: Sequence[Symbol], wanted: set[Symbol]) -> dict[Symbol, int]:
    """Return the places of those of `wanted` that occur once, in order."""
    flags = list(map(wanted.__contains__, items))
    chosen = list(compress(items, flags))
    places = dict(zip(chosen, compress(count(), flags), strict=True))
    if len(places) == len(chosen):
        return places
    counts = Counter(chosen)
    return {item: place for item, place in places.items() if counts[item] == 1}


def grams(symbols: str, size: int) -> list[str]:
    """Return all substrings of `size` symbols."""
    return [symbols[i : i + size] for i in range(len(symbols) - size + 1)]


def lcs(old: str, new: str, budget: Budget) -> list[Block]:
    """Return a longest common subsequence as blocks; bit-parallel (Hyyrö 2004)."""
    if not budget.take(len(old) * (len(new) + 64)):
        return []
    found = LCSseq.opcodes(old, new).as_matching_blocks()
    return [Block(match.a, match.b, match.size) for match in found if match.size]


def common_prefix(old: Symbols, new: Symbols) -> int:
    """Return how many symbols agree from the left."""
    limit = min(len(old), len(new))
    if old[:limit] == new[:limit]:
        return limit
    low, high = 0, limit
    while high - low > 1:
        middle = (low + high) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_suffix(old: Symbols, new: Symbols) -> int:
    """Return how many symbols agree from the right."""
    return common_prefix(old[::-1], new[::-1])


def merge(blocks: Sequence[Block]) -> list[Block]:
    """Join blocks (sorted) that follow each other directly on both sides."""
    merged: list[Block] = []
    for block in blocks:
        if merged:
            last = merged[-1]
            if last.old + last.length == block.old and last.new + last.length == block.new:
                merged[-1] = Block(last.old, last.new, last.length + block.length)
                continue
        merged.append(block)
    return merged
