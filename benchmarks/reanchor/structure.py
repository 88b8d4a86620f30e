"""Kinds of edits that touch lists, tables, headings and whole pages, and real version pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from benchmarks.reanchor.pieces import Atom, Edit, Piece, Truth, atoms_of, sentences

Build = Callable[[str, Edit, random.Random], Truth | None]
"""Makes one case of a kind, or None if the text has no place for it."""
_ATOMS = 6
"""Atoms of a line, at least: not the mark alone."""
_SHORT = 24
"""Characters below which a heading is short."""


def _lines(edit: Edit, marks: str) -> list[Piece]:
    """Return the lines that begin with one of `marks`."""
    found: list[Piece] = []
    first = 0
    for index, (_, text) in enumerate(edit.old):
        if "\n" not in text:
            continue
        last = index
        while first < last and edit.old[last - 1].text.isspace():
            last -= 1
        if last - first >= _ATOMS and edit.old[first].text[0] in marks:
            found.append(Piece(first, last))
        first = index + 1
    return found


def _item(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return an item of a list, edited, while one beside it goes and one comes."""
    items = _lines(edit, "-*•")
    if len(items) < 3:
        return None
    at = rng.randrange(len(items) - 1)
    edit.reword(items[at], 0.15)
    edit.drop(items[at + 1])
    edit.insert(items[0].first, "- " + edit.sentence() + "\n")
    return edit.truth(kind, items[at])


def _rows(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a row of a table whose rows were put in another order."""
    rows = [p for p in _lines(edit, "|") if edit.unique(p)]
    if len(rows) < 4:
        return None
    piece, other = rng.sample(rows, 2)
    taken = [a for a in edit.new if piece.first <= a.origin < piece.last]
    edit.drop(piece)
    at = next(i for i, a in enumerate(edit.new) if a.origin == other.first)
    edit.new[at:at] = [*taken, Atom(-1, "\n")]
    return edit.truth(kind, piece)


def _cell(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a row of which a cell was edited, between new rows."""
    rows = _lines(edit, "|")
    if len(rows) < 3:
        return None
    piece = rng.choice(rows)
    edit.reword(piece, 0.15)
    edit.insert(piece.first, f"| {edit.word()} | {edit.word()} | {edit.word()} |\n")
    return edit.truth(kind, piece)


def _headings(edit: Edit) -> list[Piece]:
    return [
        p
        for p in edit.paragraphs
        if "\n" not in edit.text(p) and 6 <= edit.length(p) < _SHORT and edit.unique(p)
    ]


def _section(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a short heading that moved together with the text below it."""
    found = _headings(edit)
    if not found:
        return None
    piece = rng.choice(found)
    at = edit.paragraphs.index(piece)
    if not 3 <= at < len(edit.paragraphs) - 1:
        return None
    whole = Piece(piece.first, edit.paragraphs[at + 1].last)
    edit.move(whole, edit.paragraphs[rng.randrange(at - 1)].first)
    return edit.truth(kind, piece)


def _heading(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a short heading that moved alone."""
    found = _headings(edit)
    if not found:
        return None
    piece = rng.choice(found)
    others = [p for p in edit.paragraphs if p.last + 2 < piece.first or p.first > piece.last + 3]
    if not others:
        return None
    edit.move(piece, rng.choice(others).first)
    return edit.truth(kind, piece)


def _blanks(kind: str, edit: Edit, _rng: random.Random) -> Truth | None:
    piece = edit.pick()
    edit.new = [
        Atom(a.origin, {" ": "  ", "\n": " \n", "\n\n": "\n\n\n"}.get(a.text, a.text))
        for a in edit.new
    ]
    return edit.truth(kind, piece)


def _pages(kind: str, edit: Edit, _rng: random.Random) -> Truth | None:
    """Return a passage in a text that was cut into pages, with a running head on each."""
    piece = edit.pick()
    head = edit.sentence()
    out: list[Atom] = []
    size = 0
    for atom in edit.new:
        size += len(atom.text)
        out.append(atom)
        if size > 1500 and atom.text == " ":
            out.append(Atom(-1, f"\n\f{head}\n\n"))
            size = 0
    edit.new = out
    return edit.truth(kind, piece)


def _phrase(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a few words of a sentence of which other words were edited."""
    sentence = rng.choice(edit.sentences)
    spots = [i for i in range(sentence.first, sentence.last) if edit.old[i].text[0].isalnum()]
    if len(spots) < 14:
        return None
    at = rng.randrange(4, len(spots) - 8)
    piece = Piece(spots[at], spots[at + 3] + 1)
    edit.reword(Piece(sentence.first, piece.first), 0.2)
    edit.reword(Piece(piece.last, sentence.last), 0.2)
    edit.noise(sentence)
    return edit.truth(kind, piece)


def _shrunk(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
    """Return a sentence of which a part in the middle was struck."""
    piece = rng.choice(edit.sentences)
    spots = [i for i in range(piece.first, piece.last) if edit.old[i].text[0].isalnum()]
    if len(spots) < 10:
        return None
    first = rng.randrange(2, len(spots) // 2)
    edit.noise(piece)
    edit.drop(Piece(spots[first], spots[first + len(spots) * 2 // 5]))
    return edit.truth(kind, piece)


def _mixed(share: float, *, gone: bool = False) -> Build:
    """Return a passage of a text of which everything changed at once."""

    def build(kind: str, edit: Edit, rng: random.Random) -> Truth | None:
        piece = rng.choice(edit.sentences) if gone else edit.pick()
        if gone and (not edit.unique(piece) or edit.length(piece) < 40):
            return None
        edit.noise(piece, 0.3)
        for _ in range(2):
            other = rng.choice(edit.paragraphs)
            if other.last <= piece.first or other.first >= piece.last:
                edit.move(other, rng.choice(edit.paragraphs).first)
        if gone:
            edit.drop(piece)
        elif share:
            edit.reword(piece, share)
        edit.insert(0, edit.sentence() + "\n\n")
        return edit.truth(kind, piece, gone=gone)

    return build


STRUCTURE: dict[str, Build] = {
    "item-edited": _item,
    "row-sorted": _rows,
    "row-edited": _cell,
    "section-moved": _section,
    "heading-moved": _heading,
    "blanks": _blanks,
    "pages": _pages,
    "phrase": _phrase,
    "shrunk": _shrunk,
    "mix-untouched": _mixed(0.0),
    "mix-edited": _mixed(0.15),
    "mix-deleted": _mixed(0.0, gone=True),
}

_AROUND = 40
"""Characters on both sides that make a place beyond doubt."""


def real_cases(old: str, new: str, seed: int, count: int) -> Iterator[Truth]:
    """Yield sentences of a real pair that stand once on both sides, or once in their context."""
    rng = random.Random(seed)
    atoms = atoms_of(old)
    offsets = [0]
    for atom in atoms:
        offsets.append(offsets[-1] + len(atom.text))
    pieces = sentences(atoms)
    left, right = old.encode(), new.encode()
    folded = _folded(new)
    for piece in rng.sample(pieces, min(count, len(pieces))):
        a, b = offsets[piece.first], offsets[piece.last]
        kind, low, high = "real-unchanged", a, b
        if old.count(old[a:b]) > 1:
            kind, low, high = "real-repeated", max(a - _AROUND, 0), b + _AROUND
        if old.count(old[low:high]) != 1 or new.count(old[low:high]) != 1:
            continue
        if kind == "real-unchanged" and folded.count(_folded(old[a:b])) != 1:
            continue
        at = new.index(old[low:high]) + a - low
        place = (len(new[:at].encode()), len(new[: at + b - a].encode()))
        start = len(old[:a].encode())
        yield Truth(kind, left, right, start, start + len(old[a:b].encode()), place)


def _folded(text: str) -> str:
    return "".join(text.casefold().split())
