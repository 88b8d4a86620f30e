"""Truth by construction: real texts edited by a piece table that keeps every offset.

A text is a list of atoms (words, blanks, punctuation). Each has its place in
the old text, or none if it was inserted. Edits replace, drop, insert and move
atoms; where the atoms of a passage ended up is its true place.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

_ATOM = re.compile(r"\w+|\n+|[^\S\n]+|[^\w\s]")
_STOP = re.compile(r"[.!?。！？；]$")


class Atom(NamedTuple):
    """A piece of text; `origin` is its index in the old text, -1 if inserted."""

    origin: int
    text: str


@dataclass(frozen=True, slots=True)
class Truth:
    """A passage of `old` and its place in `new`: None if gone."""

    kind: str
    old: bytes
    new: bytes
    start: int
    end: int
    expected: tuple[int, int] | None
    acceptable: tuple[tuple[int, int], ...] = ()


class Piece(NamedTuple):
    """A passage as a range of atoms."""

    first: int
    last: int


def atoms_of(text: str) -> list[Atom]:
    """Return the atoms of `text`."""
    return [Atom(index, part) for index, part in enumerate(_ATOM.findall(text))]


def sentences(atoms: list[Atom]) -> list[Piece]:
    """Return the sentences and lines of an unedited list, without their blanks."""
    found: list[Piece] = []
    first = 0
    for index, (_, text) in enumerate(atoms):
        after = atoms[index + 1].text if index + 1 < len(atoms) else "\n"
        if "\n" in text or index + 1 == len(atoms) or (_STOP.search(text) and after[0].isspace()):
            last = index if "\n" in text else index + 1
            while first < last and atoms[first].text.isspace():
                first += 1
            if sum(len(a.text) for a in atoms[first:last]) >= 12:
                found.append(Piece(first, last))
            first = index + 1
    return found


def paragraphs(atoms: list[Atom]) -> list[Piece]:
    """Return the stretches between empty lines."""
    found: list[Piece] = []
    first = 0
    for index, (_, text) in enumerate(atoms):
        if text.count("\n") >= 2 or index + 1 == len(atoms):
            last = index if "\n" in text else index + 1
            while first < last and atoms[first].text.isspace():
                first += 1
            if last > first:
                found.append(Piece(first, last))
            first = index + 1
    return found


class Edit:
    """One text under the knife."""

    def __init__(self, text: str, rng: random.Random) -> None:
        self.rng = rng
        self.old = atoms_of(text)
        self.new = list(self.old)
        self.words = [a.text for a in self.old if a.text[0].isalnum()] or ["word"]
        self.sentences = sentences(self.old)
        self.paragraphs = paragraphs(self.old)

    def word(self) -> str:
        """Return some word of the text."""
        return self.rng.choice(self.words)

    def reword(self, piece: Piece, share: float) -> None:
        """Replace, drop or follow by another word that share of the words of `piece`."""
        out: list[Atom] = []
        for atom in self.new:
            inside = piece.first <= atom.origin < piece.last
            if not inside or not atom.text[0].isalnum() or self.rng.random() >= share:
                out.append(atom)
                continue
            choice = self.rng.random()
            if choice < 0.6:
                out.append(Atom(atom.origin, self.word()))
            elif choice < 0.8:
                continue
            else:
                out += [atom, Atom(-1, " "), Atom(-1, self.word())]
        self.new = out

    def drop(self, piece: Piece) -> None:
        """Remove the atoms of `piece`."""
        self.new = [a for a in self.new if not piece.first <= a.origin < piece.last]

    def insert(self, origin: int, text: str) -> None:
        """Insert `text` before the atom that was at `origin` (or at the end)."""
        at = next((i for i, a in enumerate(self.new) if a.origin >= origin), len(self.new))
        self.new[at:at] = [Atom(-1, text)]

    def move(self, piece: Piece, origin: int) -> None:
        """Take out `piece` and put it before the atom at `origin`, as a paragraph of its own."""
        taken = [a for a in self.new if piece.first <= a.origin < piece.last]
        self.drop(piece)
        at = next((i for i, a in enumerate(self.new) if a.origin >= origin), len(self.new))
        self.new[at:at] = [*taken, Atom(-1, "\n\n")]

    def everywhere(self, change: Callable[[str], str], share: float) -> None:
        """Rewrite that share of all atoms."""
        self.new = [
            Atom(a.origin, change(a.text)) if self.rng.random() < share else a for a in self.new
        ]

    def sentence(self) -> str:
        """Return a sentence made of the text's own words."""
        size = self.rng.randint(6, 18)
        return " ".join(self.word() for _ in range(size)).capitalize() + "."

    def truth(self, kind: str, piece: Piece, *, gone: bool = False) -> Truth | None:
        """Return the case of `piece`; None if it has no text left though it should."""
        old = "".join(a.text for a in self.old)
        new = "".join(a.text for a in self.new)
        start = len("".join(a.text for a in self.old[: piece.first]).encode())
        end = start + len("".join(a.text for a in self.old[piece.first : piece.last]).encode())
        if end <= start:
            return None
        if gone:
            return Truth(kind, old.encode(), new.encode(), start, end, None)
        inside = [i for i, a in enumerate(self.new) if piece.first <= a.origin < piece.last]
        inside = [i for i in inside if self.new[i].text]
        if not inside:
            return None
        low, high = min(inside), max(inside) + 1
        first = len("".join(a.text for a in self.new[:low]).encode())
        last = first + len("".join(a.text for a in self.new[low:high]).encode())
        return Truth(kind, old.encode(), new.encode(), start, end, (first, last))

    def noise(self, keep: Piece, share: float = 0.08) -> None:
        """Edit other sentences: some reworded, some dropped, some followed by a new one."""
        for piece in self.sentences:
            if piece.last > keep.first and piece.first < keep.last:
                continue
            if self.rng.random() >= share:
                continue
            choice = self.rng.random()
            if choice < 0.5:
                self.reword(piece, 0.3)
            elif choice < 0.75:
                self.drop(piece)
            else:
                self.insert(piece.last, " " + self.sentence())


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


def _pick(edit: Edit, rng: random.Random) -> Piece:
    """Return a sentence, two or three in a row, or a paragraph."""
    at = rng.randrange(len(edit.sentences) - 3)
    choice = rng.random()
    if choice < 0.6:
        return edit.sentences[at]
    if choice < 0.8:
        return Piece(edit.sentences[at].first, edit.sentences[at + rng.randint(1, 2)].last)
    return rng.choice(edit.paragraphs)


def _edited(share: float) -> Callable[[str, Edit, random.Random], Truth | None]:
    def build(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
        piece = _pick(edit, rng)
        edit.noise(piece)
        edit.reword(piece, share)
        return edit.truth(kind, piece)

    return build


def _rewritten(
    change: Callable[[str], str], share: float
) -> Callable[[str, Edit, random.Random], Truth | None]:
    def build(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
        piece = _pick(edit, rng)
        edit.noise(piece, 0.03)
        edit.everywhere(change, share)
        return edit.truth(kind, piece)

    return build


def _moved(share: float) -> Callable[[str, Edit, random.Random], Truth | None]:
    def build(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
        piece = rng.choice(edit.paragraphs)
        others = [p for p in edit.paragraphs if p.last < piece.first or p.first > piece.last + 1]
        if not others or not _unique(edit, piece) or _length(edit, piece) < 60:
            return None
        edit.noise(piece, 0.04)
        edit.reword(piece, share)
        edit.move(piece, rng.choice(others).first)
        return edit.truth(kind, piece)

    return build


def _length(edit: Edit, piece: Piece) -> int:
    return sum(len(a.text) for a in edit.old[piece.first : piece.last])


def _text(edit: Edit, piece: Piece) -> str:
    return "".join(a.text for a in edit.old[piece.first : piece.last])


def _unique(edit: Edit, piece: Piece) -> bool:
    return "".join(a.text for a in edit.old).count(_text(edit, piece)) == 1


def _untouched(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    piece = _pick(edit, rng)
    edit.noise(piece, 0.3)
    for _ in range(2):
        other = rng.choice(edit.paragraphs)
        if other.last <= piece.first or other.first >= piece.last:
            edit.move(other, rng.choice(edit.paragraphs).first)
    return edit.truth(kind, piece)


def _deleted(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    piece = rng.choice(edit.sentences)
    if not _unique(edit, piece) or _length(edit, piece) < 40:
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
    text = _text(edit, piece)
    if not _unique(edit, piece) or not 60 <= len(text) <= 1500:
        return None
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
    target = rng.choice(edit.paragraphs)
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


def _copy(
    near: bool, drop: bool, share: float
) -> Callable[[str, Edit, random.Random], Truth | None]:
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
    if not _unique(edit, piece):
        return None
    target = rng.choice(edit.paragraphs)
    if target == piece:
        return None
    edit.insert(target.first, _text(edit, piece) + "\n\n")
    return edit.truth(kind, piece)


def _parts(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a clause of two near-identical numbered parts whose numbering shifts."""
    lines = [_text(edit, p) for p in edit.paragraphs if "\n" not in _text(edit, p)][:40]
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
    if _length(edit, piece) < 40:
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
    acceptable = tuple(p.expected for p in parts if p is not None and p.expected is not None)
    return Truth(kind, case.old, case.new, case.start, case.end, case.expected, acceptable)


_KINDS: dict[str, Callable[[str, Edit, random.Random], Truth | None]] = {
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
}
