"""Where a passage went, read from the map: pieces, clusters, a hull."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import Indel

from watcher.align.model import KEPT, MOVED, TextMap
from watcher.align.tokens import Vocabulary, words


class Piece(NamedTuple):
    """A part of the passage in one run, with its place in the new text."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    kind: int


@dataclass(slots=True)
class Cluster:
    """Pieces that follow each other on both sides; `weight` counts equal bytes."""

    pieces: list[Piece]
    weight: int

    @property
    def start(self) -> int:
        """The first new byte."""
        return self.pieces[0].new_start

    @property
    def end(self) -> int:
        """The end of the last new byte."""
        return self.pieces[-1].new_end


def pieces_of(text_map: TextMap, old: bytes, new: bytes, start: int, end: int) -> list[Piece]:
    """Return the pieces of `start:end` in old order; edited runs are cut by their characters."""
    index = max(bisect_right(text_map.old_starts, start) - 1, 0)
    pieces: list[Piece] = []
    while index < len(text_map.kinds) and text_map.old_starts[index] < end:
        a, b = text_map.old_starts[index], text_map.old_ends[index]
        c, d = text_map.new_starts[index], text_map.new_ends[index]
        kind = text_map.kinds[index]
        index += 1
        if b <= start:
            continue
        left, right = max(a, start), min(b, end)
        if kind in (KEPT, MOVED):
            pieces.append(Piece(left, right, c + left - a, c + right - a, kind))
            continue
        first, last = c, d
        if left > a:
            first = c + project(old[a:b], new[c:d], left - a, end=False)
        if right < b:
            last = c + project(old[a:b], new[c:d], right - a, end=True)
        if first < last:
            pieces.append(Piece(left, right, first, last, kind))
    return pieces


def project(old: bytes, new: bytes, at: int, *, end: bool) -> int:
    """Return where offset `at` of `old` is in its edited form `new`, between two characters.

    Where both have the same words, only blanks, case or marks changed: then a
    word's start is that word's start and (for an `end`) its end is its end.
    """
    vocabulary = Vocabulary()
    left = words(old, 0, len(old), vocabulary)
    right = words(new, 0, len(new), vocabulary)
    if left.symbols != right.symbols or not left.symbols:
        return _by_characters(old, new, at)
    index = bisect_left(left.ends, at) if end else bisect_right(left.starts, at) - 1
    if end:
        index = min(index, len(left.ends) - 1)
        if left.starts[index] >= at:
            return right.ends[index - 1] if index else right.starts[0]
    elif index < 0 or left.ends[index] <= at:
        return right.starts[index + 1] if index + 1 < len(right.starts) else right.ends[-1]
    a, b = left.starts[index], left.ends[index]
    c, d = right.starts[index], right.ends[index]
    if at == (b if end else a):
        return d if end else c
    return c + _by_characters(old[a:b], new[c:d], at - a)


_COMPARED = 1_000_000
"""Product of lengths above which an offset inside an edit is placed by proportion."""


def _by_characters(old: bytes, new: bytes, at: int) -> int:
    place = len(new) * at // max(len(old), 1)
    if len(old) * len(new) <= _COMPARED:
        for match in Indel.opcodes(old, new).as_matching_blocks():
            if match.a <= at <= match.a + match.size and match.size:
                place = match.b + at - match.a
                break
    while 0 < place < len(new) and new[place] & 0xC0 == 0x80:
        place -= 1
    return place


def clusters_of(pieces: list[Piece], span: int) -> list[Cluster]:
    """Group pieces that follow each other in the new text, the heaviest group first."""
    reach = 2 * span + 200
    clusters: list[Cluster] = []
    for piece in pieces:
        weight = piece.old_end - piece.old_start if piece.kind in (KEPT, MOVED) else 0
        best: Cluster | None = None
        for cluster in clusters:
            gap = piece.new_start - cluster.end
            if 0 <= gap <= reach and (best is None or gap < piece.new_start - best.end):
                best = cluster
        if best is None:
            clusters.append(Cluster([piece], weight))
        else:
            best.pieces.append(piece)
            best.weight += weight
    clusters.sort(key=lambda c: (-c.weight, c.start))
    return clusters
