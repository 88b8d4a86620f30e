"""Truth by construction: real texts edited by a piece table that keeps every offset.

A text is a list of atoms (words, blanks, punctuation). Each has its place in
the old text, or none if it was inserted. Edits replace, drop, insert and move
atoms; where the atoms of a passage ended up is its true place.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterator

from benchmarks.reanchor.pieces import Atom, Edit, Piece, Truth
from benchmarks.reanchor.structure import STRUCTURE, Build

_QUOTES = str.maketrans({'"': "”", "'": "’", "-": "–", " ": "\u00a0"})


def _typography(text: str) -> str:
    return text.translate(_QUOTES)


def _emphasis(text: str) -> str:
    return f"**{text}**" if text[0].isalpha() else text


def _next_number(text: str) -> str:
    return str(int(text) + 1) if text.isascii() and text.isdigit() and len(text) < 5 else text


def _wrap(text: str) -> str:
    return "\n" if text == " " else text


def _nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def cases(text: str, seed: int) -> Iterator[Truth]:
    """Yield one case of every kind that `text` allows."""
    for kind, build in _KINDS.items():
        rng = random.Random(f"{seed}/{kind}")
        edit = Edit(text, rng)
        if len(edit.sentences) < 12 or len(edit.paragraphs) < 6:
            return
        case = build(kind, edit, rng)
        if case is not None:
            yield case


def _edited(share: float) -> Build:
    def build(kind: str, edit: Edit, _rng: random.Random) -> Truth | None:
        piece = edit.pick()
        edit.noise(piece)
        edit.reword(piece, share)
        return edit.truth(kind, piece)

    return build


def _rewritten(change: Callable[[str], str], share: float) -> Build:
    def build(kind: str, edit: Edit, _rng: random.Random) -> Truth | None:
        piece = edit.pick()
        edit.noise(piece, 0.03)
        edit.everywhere(change, share)
        return edit.truth(kind, piece)

    return build


def _moved(share: float) -> Build:
    def build(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
        piece = rng.choice(edit.paragraphs)
        others = [p for p in edit.paragraphs if p.last < piece.first or p.first > piece.last + 1]
        if not others or not edit.unique(piece) or edit.length(piece) < 60:
            return None
        edit.noise(piece, 0.04)
        edit.reword(piece, share)
        edit.move(piece, rng.choice(others).first)
        return edit.truth(kind, piece)

    return build


def _untouched(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    piece = edit.pick()
    edit.noise(piece, 0.3)
    for _ in range(2):
        other = rng.choice(edit.paragraphs)
        if other.last <= piece.first or other.first >= piece.last:
            edit.move(other, rng.choice(edit.paragraphs).first)
    return edit.truth(kind, piece)


def _deleted(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    piece = rng.choice(edit.sentences)
    if not edit.unique(piece) or edit.length(piece) < 40:
        return None
    edit.noise(piece, 0.1)
    edit.drop(piece)
    return edit.truth(kind, piece, gone=True)


def _doubled(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a passage of the first half of a page that holds its text twice."""
    text = "".join(a.text for a in edit.old)
    edit = Edit(text + "\n\n" + text, rng)
    half = len(edit.sentences) // 2
    piece = edit.sentences[rng.randrange(half)]
    edit.noise(piece, 0.03)
    return edit.truth(kind, piece)


def _with_copy(edit: Edit, rng: random.Random, *, near: bool) -> tuple[Edit, Piece, Piece] | None:
    """Return a text that holds a paragraph twice (changed by one word if `near`)."""
    piece = rng.choice(edit.paragraphs)
    text = edit.text(piece)
    if not edit.unique(piece) or not 60 <= len(text) <= 1500:
        return None
    target = rng.choice(edit.paragraphs)
    if not near and (target == piece or 0 <= piece.first - target.last <= 3):
        return None  # two equal neighbours: no one could tell which of them goes
    copy = text
    if near:
        parts = [a.text for a in edit.old[piece.first : piece.last]]
        spots = [i for i, part in enumerate(parts) if part[0].isalnum()]
        if len(spots) < 6:
            return None
        parts[rng.choice(spots)] = edit.word()
        copy = "".join(parts)
        if copy == text:
            return None
    atoms = [a.text for a in edit.old]
    doubled = "".join(atoms[: target.last]) + "\n\n" + copy + "".join(atoms[target.last :])
    twice = Edit(doubled, rng)
    first, second = doubled.find(text), doubled.find(copy)
    if near is False:
        second = doubled.find(text, first + 1)
    size = 0
    found: dict[int, int] = {}
    for index, atom in enumerate(twice.old):
        found[size] = index
        size += len(atom.text)
    if first not in found or second not in found:
        return None
    count = piece.last - piece.first
    if target.last > piece.first:
        mine, other = found[first], found[second]
    else:
        mine, other = found[doubled.rfind(text)], found[second if near else first]
    return twice, Piece(mine, mine + count), Piece(other, other + count)


def _copy(near: bool, drop: bool, share: float) -> Build:
    def build(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
        made = _with_copy(edit, rng, near=near)
        if made is None:
            return None
        edit, piece, other = made
        if piece == other:
            return None
        edit.insert(0, edit.sentence() + "\n\n")
        if drop:
            edit.drop(piece)
        if share:
            edit.reword(piece, share)
        return edit.truth(kind, piece, gone=drop)

    return build


def _copied_in(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    piece = rng.choice(edit.paragraphs)
    if not edit.unique(piece):
        return None
    target = rng.choice(edit.paragraphs)
    if target == piece or 0 <= target.first - piece.last <= 3:
        return None
    edit.insert(target.first, edit.text(piece) + "\n\n")
    return edit.truth(kind, piece)


def _parts(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a clause of two near-identical numbered parts whose numbering shifts."""
    lines = [edit.text(p) for p in edit.paragraphs if "\n" not in edit.text(p)][:40]
    if len(lines) < 6:
        return None
    mark = edit.word()
    both = [*lines, *(line.replace(mark, "other") for line in lines)]
    old = "".join(f"{i + 1}. {line}\n\n" for i, line in enumerate(both))
    new = f"1. {edit.sentence()}\n\n" + "".join(
        f"{i + 2}. {line}\n\n" for i, line in enumerate(both)
    )
    at = rng.randrange(len(both))
    start = sum(len(f"{i + 1}. {line}\n\n".encode()) for i, line in enumerate(both[:at]))
    begin = new.encode().find(f"\n{at + 2}. {both[at]}\n".encode()) + 1
    head, size = len(f"{at + 1}. "), len(both[at].encode())
    first = begin + len(f"{at + 2}. ")
    return Truth(
        kind,
        old.encode(),
        new.encode(),
        start + head,
        start + head + size,
        (first, first + size),
    )


def _replaced(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    piece = rng.choice(edit.sentences)
    if edit.length(piece) < 40:
        return None
    edit.new = [Atom(-1, " ".join(edit.sentence() for _ in range(40)))]
    return edit.truth(kind, piece, gone=True)


def _apart(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    piece = rng.choice(edit.sentences)
    spots = [i for i in range(piece.first + 3, piece.last - 3) if edit.old[i].text == " "]
    if not spots:
        return None
    spot = rng.choice(spots)
    edit.noise(piece)
    edit.insert(spot, " " + edit.sentence())
    case = edit.truth(kind, piece)
    if case is None:
        return None
    parts = [edit.truth(kind, Piece(piece.first, spot)), edit.truth(kind, Piece(spot, piece.last))]
    acceptable = tuple(
        place
        for p in parts
        if p is not None and p.expected is not None
        for place in (p.expected, *p.acceptable)
    )
    return Truth(kind, case.old, case.new, case.start, case.end, case.expected, acceptable)


_KINDS: dict[str, Build] = {
    "edit-light": _edited(0.07),
    "edit-medium": _edited(0.22),
    "edit-heavy": _edited(0.42),
    "untouched": _untouched,
    "moved": _moved(0.0),
    "moved-edited": _moved(0.15),
    "typography": _rewritten(_typography, 0.5),
    "emphasis": _rewritten(_emphasis, 0.05),
    "renumber": _rewritten(_next_number, 1.0),
    "rewrap": _rewritten(_wrap, 0.12),
    "case": _rewritten(str.upper, 1.0),
    "nfd": _rewritten(_nfd, 1.0),
    "deleted": _deleted,
    "replaced": _replaced,
    "split": _apart,
    "doubled": _doubled,
    "dup-shift": _copy(near=False, drop=False, share=0.0),
    "dup-edited": _copy(near=False, drop=False, share=0.15),
    "dup-deleted": _copy(near=False, drop=True, share=0.0),
    "neardup-kept": _copy(near=True, drop=False, share=0.0),
    "neardup-deleted": _copy(near=True, drop=True, share=0.0),
    "copied-in": _copied_in,
    "parts": _parts,
    **STRUCTURE,
}
