"""A piece table: a text under edits that keep the old place of every atom.

A text is a list of atoms (words, blanks, punctuation). Each has its place in
the old text, or none if it was inserted. Edits replace, drop, insert and move
atoms; where the atoms of a passage ended up is its true place.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f"
"""Marks that go on with a word, for which `\\w` does not stand."""
_SINGLE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_ATOM = re.compile(
    f"[{_SINGLE}]"
    "|[\u0e01-\u0e30\u0e32\u0e33\u0e3f-\u0e46\u0e4f-\u0e5b]"
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*"
    f"|(?:(?![{_SINGLE}\u0e00-\u0e7f])[\\w{_MARKS}])+"
    "|\\n+|[^\\S\\n]+|[^\\w\\s]"
)
_UNSPACED = re.compile(f"[{_SINGLE}\u0e00-\u0e7f]")
_SURVIVES = 0.35
"""Share of a passage's letters that must be left for its place to be beyond dispute."""
_STOP = re.compile(r"[.!?。！？；।]$")


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
            while first < last and atoms[last - 1].text.isspace():
                last -= 1
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
                blank = "" if _UNSPACED.match(atom.text) else " "
                out += [atom, Atom(-1, blank + self.word())]
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
        words = [self.word() for _ in range(self.rng.randint(6, 18))]
        if _UNSPACED.match(words[0]):
            return "".join(self.word() for _ in range(24)) + "。"
        return " ".join(words).capitalize() + "."

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
        if not inside or self._left(piece) < _SURVIVES:
            return None
        low, high = min(inside), max(inside) + 1
        first = len("".join(a.text for a in self.new[:low]).encode())
        raw = "".join(a.text for a in self.new[low:high])
        bare = _bare(raw, self.text(piece))
        whole = (first, first + len(raw.encode()))
        start_bare = first + len(raw[: raw.index(bare)].encode())
        place = (start_bare, start_bare + len(bare.encode()))
        return Truth(
            kind,
            old.encode(),
            new.encode(),
            start,
            end,
            place,
            () if whole == place else (whole,),
        )

    def pick(self) -> Piece:
        """Return a sentence, two or three in a row, or a paragraph."""
        at = self.rng.randrange(len(self.sentences) - 3)
        choice = self.rng.random()
        if choice < 0.6:
            return self.sentences[at]
        if choice < 0.8:
            last = self.sentences[at + self.rng.randint(1, 2)].last
            return Piece(self.sentences[at].first, last)
        return self.rng.choice(self.paragraphs)

    def length(self, piece: Piece) -> int:
        """Return the characters of `piece`."""
        return len(self.text(piece))

    def unique(self, piece: Piece) -> bool:
        """Tell whether the text of `piece` stands once in the old text."""
        return "".join(a.text for a in self.old).count(self.text(piece)) == 1

    def text(self, piece: Piece) -> str:
        """Return the old text of `piece`."""
        return "".join(a.text for a in self.old[piece.first : piece.last])

    def _left(self, piece: Piece) -> float:
        """Return the share of the letters of `piece` that are still in the new text.

        Case and spelling of a letter do not count.
        """
        mine = self.old[piece.first : piece.last]
        left = {
            a.origin: a.text for a in self.new if piece.first <= a.origin < piece.last and a.text
        }
        size = [
            (len(a.text), _alike(a.text, left.get(a.origin, "")))
            for a in mine
            if a.text[0].isalnum()
        ]
        whole = sum(length for length, _ in size)
        return sum(length for length, same in size if same) / whole if whole else 1.0

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


def _alike(old: str, new: str) -> bool:
    """Tell whether a word is still itself: numbers, spelling and marks may differ."""
    forms = [unicodedata.normalize("NFKC", part.strip("*")).casefold() for part in (old, new)]
    return forms[0] == forms[1] or (forms[0].isdigit() and forms[1].isdigit())


def _bare(text: str, passage: str) -> str:
    """Return `text` without the blanks at its ends that the passage did not have."""
    if not passage[:1].isspace():
        text = text.lstrip()
    return text if passage[-1:].isspace() else text.rstrip()
