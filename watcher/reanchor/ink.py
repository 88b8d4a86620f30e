"""Crossing from one rendition of the same bytes to another: by the ink on the page.

Two engines read the same document into texts that differ in blanks, ligatures
and hyphens, while the ink is the same. Where it is, every passage crosses
exactly; nothing the publisher did is involved and nothing is material.
"""

from __future__ import annotations

from collections.abc import Sequence

from watcher.align import align
from watcher.domain.keys import Key, KeyKind, make_key
from watcher.domain.ranges import Range
from watcher.domain.statements import How, Statement, Status, TextEdit
from watcher.reanchor.reanchor import ALGORITHM, pages_of, reanchor, similarity

METHOD = "ink"


def reanchor_by_ink(old: bytes, new: bytes, passages: Sequence[Range]) -> list[Statement]:
    """Return where each passage of `old` is in `new`, another rendition of the same bytes.

    Same ink on both sides: every passage crosses exactly, character by
    character (method `ink`). Otherwise the map of the texts decides, and a
    place whose ink is not that of the passage is an edited one, reported as
    material: the engines read different words, and a person should look.
    """
    old_key, new_key = make_key(old, KeyKind.INK), make_key(new, KeyKind.INK)
    if old_key.text == new_key.text:
        return [_cross(old, new, old_key, new_key, passage) for passage in passages]
    placed = reanchor(old, new, align(old, new), passages)
    return [_checked(old, new, p, s) for p, s in zip(passages, placed, strict=True)]


def _cross(old: bytes, new: bytes, old_key: Key, new_key: Key, passage: Range) -> Statement:
    first, last = old_key.from_source(passage.start, passage.end)
    if first >= last:
        return Statement(Status.GONE, method=METHOD, algorithm=ALGORITHM)
    return _found(old, new, passage, new_key.to_source(first, last))


def _found(old: bytes, new: bytes, passage: Range, place: Range) -> Statement:
    before, after = old[passage.start : passage.end], new[place.start : place.end]
    if before == after:
        same = passage == place
        return Statement(
            Status.UNCHANGED if same else Status.MOVED,
            pages_of(new, place),
            how=None if same else How.SHIFTED,
            similarity=1.0,
            coverage=1.0,
            method=METHOD,
            algorithm=ALGORITHM,
        )
    return Statement(
        Status.EDITED,
        pages_of(new, place),
        material=False,
        similarity=similarity(before, after),
        coverage=1.0,
        edits=(TextEdit(passage, place),),
        method=METHOD,
        algorithm=ALGORITHM,
    )


def _checked(old: bytes, new: bytes, passage: Range, statement: Statement) -> Statement:
    """Return an edited statement as harmless if the ink at its place is the passage's."""
    if statement.status is not Status.EDITED:
        return statement
    place = Range(statement.ranges[0].start, statement.ranges[-1].end)
    ink = make_key(old[passage.start : passage.end], KeyKind.INK).text
    if ink and ink == make_key(new[place.start : place.end], KeyKind.INK).text:
        return _found(old, new, passage, place)
    return statement
