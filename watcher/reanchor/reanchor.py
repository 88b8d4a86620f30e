"""The verdict on each passage of a version pair."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import compress, count
from operator import eq

from rapidfuzz.distance import Indel

from watcher.align.model import KEPT, MOVED, TextMap
from watcher.domain.changes import Atom
from watcher.domain.ranges import Range
from watcher.domain.statements import How, Statement, Status
from watcher.reanchor.context import HeadingPath, Surroundings
from watcher.reanchor.edges import NewSide, begins, fits, widen
from watcher.reanchor.material import Atoms, edits_of
from watcher.reanchor.place import Cluster, Piece, clusters_of, pieces_of
from watcher.reanchor.verbatim import Unclaimed

ALGORITHM = "reanchor/1"
_EQUAL = frozenset({KEPT, MOVED})
_UNCHANGED, _MOVED = Status.UNCHANGED, Status.MOVED
_SHIFTED, _RELOCATED = How.SHIFTED, How.RELOCATED
"""Read once: looking a member up in its class takes as long as the search for its run."""
_COVERED = 0.5
"""Share of the passage's bytes that must survive, or ..."""
_SIMILAR, _SIMILAR_LONG, _SHORT = 0.5, 0.57, 64
"""... likeness that the place must have, for the passage to be there at all: more for one
of more bytes than `_SHORT`, since long texts of one language resemble each other."""
_PART, _PART_BYTES = 0.25, 12
"""Share and bytes of the passage from which a second place is a part of it."""
_COMPARED = 100_000_000
"""Product of lengths above which likeness is taken by words instead of characters."""


def reanchor(
    old: bytes,
    new: bytes,
    text_map: TextMap,
    passages: Sequence[Range],
    atoms: Sequence[Atom] | None = None,
    *,
    headings: tuple[HeadingPath, HeadingPath] | None = None,
) -> list[Statement]:
    """Return the statement of every passage of `old`, in the order given.

    `text_map` is the map of exactly these two texts. `atoms` are the
    classifier's, if it judged this change; without them every edit is
    material. `headings` are the heading paths of the old and the new text.
    A statement depends on its passage alone, never on the others or their order.
    """
    pair = _Pair(old, new, text_map, atoms, headings)
    return [pair.state(passage) for passage in passages]


def similarity(old: bytes, new: bytes) -> float:
    """Return how alike two texts are, 0 to 1: 1 - indel distance / total length.

    Case and compatibility forms do not count.
    """
    left, right = _folded(old), _folded(new)
    if len(left) * len(right) > _COMPARED:
        return Indel.normalized_similarity(left.split(), right.split())
    return Indel.normalized_similarity(left, right)


def _folded(text: bytes) -> str:
    if text.isascii():
        return text.decode("ascii").lower()
    return unicodedata.normalize("NFKC", text.decode("utf-8", "replace").casefold())


class _Pair:
    """One version pair, with what is made once for all its passages."""

    def __init__(
        self,
        old: bytes,
        new: bytes,
        text_map: TextMap,
        atoms: Sequence[Atom] | None,
        headings: tuple[HeadingPath, HeadingPath] | None,
    ) -> None:
        self.old, self.new, self.map = old, new, text_map
        self.atoms = None if atoms is None else Atoms(atoms)
        self.around = Surroundings(old, new, headings)
        self.paged = b"\f" in new
        self.beside = _beside_insertions(text_map)

    @cached_property
    def side(self) -> NewSide:
        return NewSide(self.map)

    @cached_property
    def unclaimed(self) -> Unclaimed:
        return Unclaimed(self.new, self.map)

    def state(self, passage: Range) -> Statement:
        """Return the statement of one passage."""
        start, end = passage
        runs = self.map
        index = bisect_right(runs.old_starts, start) - 1
        if index >= 0 and end <= runs.old_ends[index]:
            kind = runs.kinds[index]
            if kind in _EQUAL:
                first = runs.old_starts[index]
                shift = runs.new_starts[index] - first
                place = Range(start + shift, end + shift)
                other = self._twin(passage, place, index) if index in self.beside else None
                if other is not None:
                    return _ambiguous((place, other), "map")
                inside = first < start and end < runs.old_ends[index]
                if inside or fits(self.old, self.new, passage, place):
                    return self._same(passage, place, kind)
                piece = Piece(start, end, place.start, place.end, kind)
                return self._placed(passage, [Cluster([piece], end - start)])
        pieces = pieces_of(self.map, self.old, self.new, start, end)
        if not pieces:
            return self._nowhere(passage, ())
        return self._placed(passage, clusters_of(pieces, end - start))

    def _twin(self, passage: Range, place: Range, index: int) -> Range | None:
        """Return the equally good place of a passage beside an inserted copy of it, if any.

        Where "of the court" became "of the court and of the court", no one can
        tell which of the two is the old one. A copy that begins a sentence or
        a line of its own is told from the old text by that.
        """
        runs = self.map
        for left in (index, index - 1):
            right = left + 1
            if not _insertion_after(runs, left):
                continue
            old_gap, gap = runs.old_ends[left], runs.new_starts[right] - runs.new_ends[left]
            before = left == index
            span = old_gap - passage.start if before else passage.end - old_gap
            if span > gap:
                continue
            if before:
                old = self.old[passage.start : old_gap]
                new = self.new[runs.new_starts[right] - span : runs.new_starts[right]]
            else:
                old = self.old[old_gap : passage.end]
                new = self.new[runs.new_ends[left] : runs.new_ends[left] + span]
            if old == new and not begins(self.new, runs.new_ends[left]):
                move = gap if before else -gap
                return Range(place.start + move, place.end + move)
        return None

    def _same(self, passage: Range, place: Range, kind: int) -> Statement:
        """Return the statement of a passage that is found byte for byte."""
        same = passage == place
        how = None if same else _SHIFTED if kind == KEPT else _RELOCATED
        return Statement(
            _UNCHANGED if same else _MOVED,
            pages_of(self.new, place) if self.paged else (place,),
            how=how,
            context_changed=self.around.changed(passage, place),
            similarity=1.0,
            coverage=1.0,
            method="map",
            algorithm=ALGORITHM,
        )

    def _nowhere(self, passage: Range, candidates: tuple[Range, ...]) -> Statement:
        """Return the statement of a passage that the map does not place."""
        found = self.unclaimed.find(self.old[passage.start : passage.end])
        if len(found) == 1:
            return self._same(passage, found[0], MOVED)
        if found:
            return _ambiguous(tuple(found), "verbatim")
        status = Status.GONE if self.map.complete else Status.NOT_COMPUTED
        return Statement(status, candidates=candidates, method="map", algorithm=ALGORITHM)

    def _placed(self, passage: Range, clusters: list[Cluster]) -> Statement:
        """Return the statement of a passage of which the map knows pieces."""
        main, span = clusters[0], passage.length
        covered = Range(main.pieces[0].old_start, main.pieces[-1].old_end)
        hull = widen(self.old, self.new, self.side, passage, Range(main.start, main.end), covered)
        if self.old[passage.start : passage.end] == self.new[hull.start : hull.end]:
            return self._same(passage, hull, main.pieces[0].kind)
        alike = similarity(self.old[passage.start : passage.end], self.new[hull.start : hull.end])
        parts = [c for c in clusters[1:] if c.weight >= max(_PART * span, _PART_BYTES)]
        least = _SIMILAR if span <= _SHORT else _SIMILAR_LONG
        if main.weight < _COVERED * span and alike < least and not parts:
            return self._nowhere(passage, pages_of(self.new, hull))
        if parts:
            return self._split(passage, [main, *parts], alike)
        second = next((c for c in clusters[1:] if c.weight), None)
        edits = edits_of(main.pieces, passage, hull)
        harmless = self.atoms is not None and self.atoms.harmless(edits, self.old, self.new)
        return Statement(
            Status.EDITED,
            pages_of(self.new, hull),
            material=not harmless,
            context_changed=self.around.changed(passage, hull),
            similarity=alike,
            coverage=main.weight / span,
            margin=(main.weight - second.weight) / span if second else 1.0,
            runner_up=Range(second.start, second.end) if second else None,
            edits=edits,
            method="map",
            algorithm=ALGORITHM,
        )

    def _split(self, passage: Range, clusters: list[Cluster], alike: float) -> Statement:
        """Return the statement of a passage whose parts are apart now."""
        parts = sorted(clusters, key=lambda c: c.pieces[0].old_start)
        ranges = tuple(r for c in parts for r in pages_of(self.new, Range(c.start, c.end)))
        return Statement(
            Status.SPLIT,
            ranges,
            material=True,
            context_changed=True,
            similarity=alike,
            coverage=sum(c.weight for c in parts) / passage.length,
            method="map",
            algorithm=ALGORITHM,
        )


def _beside_insertions(runs: TextMap) -> set[int]:
    """Return the kept runs beside which text was inserted and none removed."""
    found: set[int] = set()
    for left in compress(count(), map(eq, runs.old_ends, runs.old_starts[1:])):
        if _insertion_after(runs, left):
            found |= {left, left + 1}
    return found


def _insertion_after(runs: TextMap, left: int) -> bool:
    """Tell whether text was inserted between run `left` and the one after it, both kept."""
    right = left + 1
    return (
        left >= 0
        and right < len(runs.kinds)
        and runs.kinds[left] == runs.kinds[right] == KEPT
        and runs.old_ends[left] == runs.old_starts[right]
        and runs.new_starts[right] > runs.new_ends[left]
    )


def _ambiguous(candidates: tuple[Range, ...], method: str) -> Statement:
    return Statement(
        Status.AMBIGUOUS,
        candidates=tuple(sorted(candidates)),
        similarity=1.0,
        margin=0.0,
        method=method,
        algorithm=ALGORITHM,
    )


def pages_of(text: bytes, place: Range) -> tuple[Range, ...]:
    """Return `place` cut at page breaks: no range of a citation holds one."""
    if text.find(b"\f", place.start, place.end) < 0:
        return (place,)
    parts: list[Range] = []
    start = place.start
    for part in text[place.start : place.end].split(b"\f"):
        left = start + len(part) - len(part.lstrip())
        right = start + len(part.rstrip())
        if left < right:
            parts.append(Range(left, right))
        start += len(part) + 1
    return tuple(parts) or (place,)
