"""A change as a reviewer reads it: hunks with their place, their class, and marked text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from watcher.domain.changes import Atom, ChangeClass, Hunk, HunkKind
from watcher.domain.ranges import Range
from watcher.domain.reading import Reading
from watcher.domain.text import CanonicalText

_CONTEXT = 160
"""Bytes of unchanged text that are shown beside a difference."""


class Mark(StrEnum):
    """How a piece of a redline is shown."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text with its mark; `SKIPPED` stands for unchanged text left out."""

    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class ShownHunk:
    """One hunk: where it stands on both sides, what it is, and its redline."""

    kind: HunkKind
    change_class: ChangeClass
    old: Range
    new: Range
    old_page: int
    new_page: int
    heading: tuple[str, ...]
    reasons: tuple[str, ...]
    pieces: tuple[Piece, ...]


def redline(
    old: CanonicalText, new: CanonicalText, hunks: tuple[Hunk, ...], reading: Reading | None
) -> Iterator[ShownHunk]:
    """Yield the hunks in the order of the new text.

    `reading` is the new text's, for its headings; without it there are none.
    """
    for hunk in sorted(hunks, key=lambda h: (h.new.start, h.old.start)):
        yield ShownHunk(
            hunk.kind,
            hunk.change_class,
            hunk.old,
            hunk.new,
            old.page_of(hunk.old.start),
            new.page_of(hunk.new.start),
            reading.heading_path(hunk.new.start) if reading else (),
            tuple(dict.fromkeys(atom.why for atom in hunk.atoms if atom.why)),
            tuple(_pieces(old.data, new.data, hunk)),
        )


def _pieces(old: bytes, new: bytes, hunk: Hunk) -> Iterator[Piece]:
    """Yield the redline of one hunk: the old text with the atoms' changes in place."""
    if hunk.kind is HunkKind.REMOVED or (not hunk.new.length and not hunk.atoms):
        yield Piece(Mark.REMOVED, _cut(old, hunk.old))
        return
    if hunk.kind is HunkKind.INSERTED or not hunk.old.length:
        yield Piece(Mark.ADDED, _cut(new, hunk.new))
        return
    if hunk.kind is HunkKind.MOVED and not hunk.atoms:
        yield Piece(Mark.SAME, _cut(new, hunk.new))
        return
    yield from _between_atoms(old, new, hunk)


def _between_atoms(old: bytes, new: bytes, hunk: Hunk) -> Iterator[Piece]:
    atoms: list[Atom] = sorted(hunk.atoms, key=lambda a: (a.new.start, a.old.start))
    position = hunk.new.start
    for number, atom in enumerate(atoms):
        start = max(position, atom.new.start)
        yield from _same(new, Range(position, start), first=number == 0, last=False)
        if atom.old.length:
            yield Piece(Mark.REMOVED, _cut(old, atom.old))
        if atom.new.end > start:
            yield Piece(Mark.ADDED, _cut(new, Range(start, atom.new.end)))
        position = max(position, atom.new.end)
    yield from _same(new, Range(position, hunk.new.end), first=False, last=True)


def _same(data: bytes, place: Range, *, first: bool, last: bool) -> Iterator[Piece]:
    """Yield unchanged text, its middle left out where it is long."""
    room = _CONTEXT if first or last else 2 * _CONTEXT
    if place.length <= room:
        if place.length:
            yield Piece(Mark.SAME, _cut(data, place))
        return
    if not first:
        yield Piece(Mark.SAME, _cut(data, Range(place.start, place.start + _CONTEXT)))
    yield Piece(Mark.SKIPPED, " … ")
    if not last:
        yield Piece(Mark.SAME, _cut(data, Range(place.end - _CONTEXT, place.end)))


def _cut(data: bytes, place: Range) -> str:
    """Return the text of a range; a character cut by the context's edge is left out."""
    return data[place.start : place.end].decode(errors="ignore")
