"""A change as a reviewer reads it: hunks with their place, their class, and marked text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    MOVED = "moved"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text with its mark.

    `MOVED` is text that reads the same and stands elsewhere; `SKIPPED` stands
    for unchanged text left out.
    """

    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class ShownHunk:
    """One hunk: where it stands on both sides, what it is, and its redline.

    `old_heading` and `heading` are the titles above it, outermost first.
    """

    kind: HunkKind
    change_class: ChangeClass
    old: Range
    new: Range
    old_page: int
    new_page: int
    old_heading: tuple[str, ...]
    heading: tuple[str, ...]
    reasons: tuple[str, ...]
    pieces: tuple[Piece, ...]


def redline(
    old: CanonicalText,
    new: CanonicalText,
    hunks: tuple[Hunk, ...],
    readings: tuple[Reading, Reading] | None,
) -> Iterator[ShownHunk]:
    """Yield the hunks in the order of the new text.

    `readings` are those of the two texts, for their headings; without them
    there are none.
    """
    before, after = readings or (None, None)
    for hunk in sorted(hunks, key=lambda h: (h.new.start, h.old.start)):
        yield ShownHunk(
            hunk.kind,
            hunk.change_class,
            hunk.old,
            hunk.new,
            old.page_of(hunk.old.start),
            new.page_of(hunk.new.start),
            before.heading_path(hunk.old.start) if before else (),
            after.heading_path(hunk.new.start) if after else (),
            tuple(dict.fromkeys(atom.why for atom in hunk.atoms if atom.why)),
            tuple(_pieces(old.data, new.data, hunk)),
        )


def places(hunk: ShownHunk) -> tuple[str, ...]:
    """Return where a hunk stands, a line for each side that is to be named.

    Page, headings and bytes; for what moved, from where and to where.
    """
    old, new = _under(hunk.old_heading), _under(hunk.heading)
    before = f"{hunk.old_page}{old}, bytes {hunk.old.start}:{hunk.old.end}"
    after = f"{hunk.new_page}{new}, bytes {hunk.new.start}:{hunk.new.end}"
    if hunk.kind is HunkKind.INSERTED:
        return (f"page {after}",)
    if hunk.kind is HunkKind.REMOVED:
        return (f"was on page {before}",)
    if hunk.kind is HunkKind.MOVED:
        return (f"from page {before}", f"to page {after}")
    if hunk.old_page != hunk.new_page:
        return (f"page {hunk.old_page} \N{RIGHTWARDS ARROW} {after}",)
    return (f"page {after}",)


def _under(heading: tuple[str, ...]) -> str:
    return f", {' > '.join(heading)}" if heading else ""


def sides(pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Return the same redline as two texts: what was, and what is."""
    return (
        [piece for piece in pieces if piece.mark is not Mark.ADDED],
        [piece for piece in pieces if piece.mark is not Mark.REMOVED],
    )


def marked(data: bytes, place: Range, changed: Iterable[Range], mark: Mark) -> list[Piece]:
    """Return the text of `place` with the ranges of `changed` that lie in it marked."""
    pieces, position = [], place.start
    for part in sorted(changed):
        start, end = max(part.start, position), min(part.end, place.end)
        if start >= end:
            continue
        if start > position:
            pieces.append(Piece(Mark.SAME, _cut(data, Range(position, start))))
        pieces.append(Piece(mark, _cut(data, Range(start, end))))
        position = end
    if position < place.end:
        pieces.append(Piece(Mark.SAME, _cut(data, Range(position, place.end))))
    return pieces


def _pieces(old: bytes, new: bytes, hunk: Hunk) -> Iterator[Piece]:
    """Yield the redline of one hunk: the old text with the atoms' changes in place."""
    if hunk.kind is HunkKind.REMOVED or (not hunk.new.length and not hunk.atoms):
        yield Piece(Mark.REMOVED, _cut(old, hunk.old))
        return
    if hunk.kind is HunkKind.INSERTED or not hunk.old.length:
        yield Piece(Mark.ADDED, _cut(new, hunk.new))
        return
    moved, atoms = hunk.kind is HunkKind.MOVED, _inner_atoms(old, new, hunk)
    if not atoms:
        yield Piece(Mark.MOVED if moved else Mark.SAME, _cut(new, hunk.new))
        return
    for piece in _between_atoms(old, new, hunk, atoms):
        same = piece.mark is Mark.SAME
        yield Piece(Mark.MOVED, piece.text) if moved and same else piece


def _inner_atoms(old: bytes, new: bytes, hunk: Hunk) -> list[Atom]:
    """Return the atoms to mark: those that read differently, by their place.

    The atom that says of a whole block that it moved marks nothing inside it.
    """
    moved = hunk.kind is HunkKind.MOVED
    different = [
        atom
        for atom in hunk.atoms
        if old[atom.old.start : atom.old.end] != new[atom.new.start : atom.new.end]
        and not (moved and (atom.old, atom.new) == (hunk.old, hunk.new))
    ]
    return sorted(different, key=lambda a: (a.new.start, a.old.start))


def _between_atoms(old: bytes, new: bytes, hunk: Hunk, atoms: list[Atom]) -> Iterator[Piece]:
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
