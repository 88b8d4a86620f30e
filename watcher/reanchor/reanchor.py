"""The verdict on each passage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import unicodedata
from rapidfuzz.distance import Indel

from watcher.align.model import KEPT, MOVED, TextMap
from watcher.domain.changes import Atom
from watcher.domain.ranges import Range
from watcher.domain.statements import How, Statement, Status, TextEdit
from watcher.reanchor.edges import NewSide, fits, widen
from watcher.reanchor.place import Cluster, Piece, clusters_of, pieces_of

ALGORITHM = "reanchor/1"
_COVERED = 0.5
_SIMILAR = 0.5
_PART = 0.25


def reanchor(
    old: bytes,
    new: bytes,
    text_map: TextMap,
    passages: Sequence[Range],
    atoms: Sequence[Atom] | None = None,
) -> list[Statement]:
    """Return the statement of every passage of `old`, in the order given."""
    side = NewSide(text_map)
    return [_one(old, new, text_map, passage, atoms, side) for passage in passages]


def _one(
    old: bytes, new: bytes, text_map: TextMap, passage: Range, atoms: Sequence[Atom] | None, side: NewSide
) -> Statement:
    start, end = passage
    index = bisect_right(text_map.old_starts, start) - 1
    if index >= 0 and end <= text_map.old_ends[index] and text_map.kinds[index] in (KEPT, MOVED):
        shift = text_map.new_starts[index] - text_map.old_starts[index]
        at_edge = start == text_map.old_starts[index] or end == text_map.old_ends[index]
        place = Range(start + shift, end + shift)
        if at_edge and not fits(old, new, passage, place):
            kind = text_map.kinds[index]
            whole = Cluster([Piece(start, end, place.start, place.end, kind)], end - start)
            return _placed(old, new, text_map, passage, [whole], side)
        how = None
        if shift:
            how = How.SHIFTED if text_map.kinds[index] == KEPT else How.RELOCATED
        return Statement(
            Status.MOVED if shift else Status.UNCHANGED,
            (Range(start + shift, end + shift),),
            how=how,
            similarity=1.0,
            coverage=1.0,
            method="map",
            algorithm=ALGORITHM,
        )
    pieces = pieces_of(text_map, old, new, start, end)
    clusters = clusters_of(pieces, end - start)
    if not clusters:
        return _nowhere(text_map, ())
    return _placed(old, new, text_map, passage, clusters, side)


def _nowhere(text_map: TextMap, candidates: tuple[Range, ...]) -> Statement:
    status = Status.GONE if text_map.complete else Status.NOT_COMPUTED
    return Statement(status, candidates=candidates, method="map", algorithm=ALGORITHM)


def similarity(old: bytes, new: bytes) -> float:
    """Return how alike two texts are, 0 to 1: 1 - indel distance / total length, folded."""
    left, right = _folded(old), _folded(new)
    if len(left) * len(right) > _COMPARED:
        return Indel.normalized_similarity(left.split(), right.split())
    return Indel.normalized_similarity(left, right)


_COMPARED = 400_000_000


def _folded(text: bytes) -> str:
    return unicodedata.normalize("NFKC", text.decode("utf-8", "replace").casefold())


def _placed(
    old: bytes,
    new: bytes,
    text_map: TextMap,
    passage: Range,
    clusters: list[Cluster],
    side: NewSide,
) -> Statement:
    main = clusters[0]
    span = passage.length
    coverage = main.weight / span
    covered = Range(main.pieces[0].old_start, main.pieces[-1].old_end)
    hull = widen(old, new, side, passage, Range(main.start, main.end), covered)
    alike = similarity(old[passage.start : passage.end], new[hull.start : hull.end])
    others = [c for c in clusters[1:] if c.weight >= max(_PART * span, 12)]
    if coverage < _COVERED and alike < _SIMILAR and not others:
        return _nowhere(text_map, (hull,))
    if others:
        parts = sorted([main, *others], key=lambda c: c.pieces[0].old_start)
        return Statement(
            Status.SPLIT,
            tuple(Range(c.start, c.end) for c in parts),
            material=True,
            similarity=alike,
            coverage=sum(c.weight for c in parts) / span,
            method="map",
            algorithm=ALGORITHM,
        )
    if old[passage.start : passage.end] == new[hull.start : hull.end]:
        same = hull == passage
        return Statement(
            Status.UNCHANGED if same else Status.MOVED,
            (hull,),
            how=None if same else How.SHIFTED,
            similarity=1.0,
            coverage=1.0,
            method="map",
            algorithm=ALGORITHM,
        )
    return Statement(
        Status.EDITED,
        (hull,),
        material=True,
        similarity=alike,
        coverage=coverage,
        edits=_edits(main.pieces),
        method="map",
        algorithm=ALGORITHM,
    )


def _edits(pieces: list[Piece]) -> tuple[TextEdit, ...]:
    return tuple(
        TextEdit(Range(p.old_start, p.old_end), Range(p.new_start, p.new_end))
        for p in pieces
        if p.kind not in (KEPT, MOVED)
    )
