"""Proofs that need more than one piece: order of items, of table columns, of numbers."""

from __future__ import annotations

from itertools import groupby

from watcher.classify.differences import Piece
from watcher.classify.lines import LineKind
from watcher.classify.packs import Pack
from watcher.classify.proofs import Pair
from watcher.classify.rules import Tried
from watcher.classify.sentences import segments
from watcher.classify.tokens import Kind, Token, View

_MAX_ITEMS = 400
_DEPENDENT = frozenset(["exception", "condition", "negation", "time"])


def _lines(view: View) -> list[tuple[LineKind, list[Token]]]:
    """Return the non-empty lines with their tokens, own bullets and numbers left in."""
    return [
        (view.lines[line].kind, list(tokens))
        for line, tokens in groupby(view.tokens, key=lambda token: token.line)
    ]


def _keys(tokens: list[Token]) -> tuple[str, ...]:
    """Return what a list item says, without its bullet and its closing mark."""
    keys = [token.sense for token in tokens if token.kind is not Kind.MARKER]
    while keys and keys[-1] in {"sign:.", "sign:,", "sign:;"}:
        keys.pop()
    return tuple(keys)


def list_order(pair: Pair) -> Tried | None:  # noqa: PLR0911
    """Prove a bulleted list whose items stand in another order."""
    old, new = _lines(pair.old), _lines(pair.new)
    if len(old) != len(new) or len(old) > _MAX_ITEMS:
        return None
    keys = [[_keys(tokens) for _, tokens in side] for side in (old, new)]
    if keys[0] == keys[1] or sorted(keys[0]) != sorted(keys[1]):
        return None
    moved = [k for k in range(len(old)) if keys[0][k] != keys[1][k]]
    first, last = moved[0], moved[-1]
    if pair.pack is None:
        return Tried("list-order", False, "the language is unknown")
    for side in (old, new):
        for kind, tokens in side[first : last + 1]:
            if kind is not LineKind.ITEM or tokens[0].exact[-1].isalnum():
                return Tried("list-order", False, "not all moved lines are bulleted items")
            if tokens[0].exact[-1] in ").":
                return Tried("list-order", False, "the items are numbered and may be cited")
            if _depends(tokens, pair):
                return Tried("list-order", False, "an item leans on its place in the list")
        intro = side[first - 1][1] if first else []
        if any(pair.pack.has("order", word) for t in intro for word in t.base.split()):
            return Tried("list-order", False, "the list says that its order counts")
    return Tried("list-order", True, "")


def _depends(tokens: list[Token], pair: Pair) -> bool:
    """Tell whether an item refers to its neighbours or ends in a connective."""
    assert pair.pack is not None
    body = [t for t in tokens if t.kind is not Kind.SIGN and t.kind is not Kind.MARKER]
    if body and body[-1].group in {"conjunction", "disjunction"}:
        return True
    return any(
        token.group in _DEPENDENT
        or any(pair.pack.has("order", word) for word in token.base.split())
        for token in body
    )


def table_columns(pair: Pair) -> Tried | None:
    """Prove a table whose columns change places together with their headers."""
    old, new = _rows(pair.old), _rows(pair.new)
    if not old or not new or len(old) != len(new) or len(old) < 2:
        return None
    header, other = old[0], new[0]
    if header == other or sorted(header) != sorted(other) or len(set(header)) != len(header):
        return None
    order = [header.index(cell) for cell in other]
    if len(order) > 1 and all(
        len(a) == len(order) == len(b) and [a[k] for k in order] == b
        for a, b in zip(old, new, strict=True)
    ):
        return Tried("table-columns", True, "")
    return Tried("table-columns", False, "the cells do not follow their headers")


def _rows(view: View) -> list[list[tuple[str, ...]]]:
    """Return the cells of every row, or nothing if the block is no table with a header."""
    marked = [n for n, line in enumerate(view.lines) if line.kind is LineKind.MARKUP]
    lines = _lines(view)
    if not lines or not marked or any(kind is not LineKind.ROW for kind, _ in lines):
        return []
    if marked[0] != lines[0][1][0].line + 1:
        return []
    rows = []
    for _, tokens in lines:
        cells: list[list[str]] = [[]]
        for token in tokens:
            if token.kind is Kind.CELL:
                cells.append([])
            else:
                cells[-1].append(token.exact)
        rows.append([tuple(cell) for cell in cells])
    return rows


_CONNECTIVES = frozenset(["conjunction", "disjunction"])


def reorder(pair: Pair, pieces: list[Piece]) -> Tried | None:  # noqa: PLR0911
    """Prove that the pieces of one sentence are an enumeration in another order.

    The stretch from the first to the last piece is cut at commas and
    connectives; both sides must give the same parts, joined by one kind of
    connective, and no part may lean on its place.
    """
    old = pair.old.tokens[pieces[0].a : pieces[-1].b]
    new = pair.new.tokens[pieces[0].c : pieces[-1].d]
    if not old or not new or sorted(_loose(old)) != sorted(_loose(new)):
        return None
    if pair.pack is None:
        return Tried("reorder", False, "the language is unknown")
    old_start, new_start = _extended(pair, pieces[0])
    parts, kinds, led = _parts(pair.old.tokens[old_start : pieces[-1].b], pair.pack)
    others, other_kinds, _ = _parts(pair.new.tokens[new_start : pieces[-1].d], pair.pack)
    if _ranked(pair.old, pieces[0].a, pieces[-1].b, pair.pack):
        return Tried("reorder", False, "the sentence pairs or ranks its parts")
    if any(token.exact in ".!?:()" for token in old):
        return Tried("reorder", False, "it reaches over a sentence or a bracket")
    if len(parts) < 2 or sorted(parts) != sorted(others):
        return Tried("reorder", False, "the parts of the enumeration are not the same")
    if len(kinds | other_kinds | _around(pair.old.tokens, old_start, pieces[-1].b)) != 1:
        return Tried("reorder", False, "“and” and “or” are mixed")
    if led < len(parts) - 1 and len({len(part) for part in parts}) > 1:
        return Tried("reorder", False, "a word of one part may belong to all of them")
    if any(
        token.group in _DEPENDENT | {"comparison"}
        or token.kind == Kind.REFERENCE
        or any(pair.pack.has("order", word) for word in token.base.split())
        for token in old
    ):
        return Tried("reorder", False, "a part leans on its place")
    return Tried("reorder", True, "")


def _ranked(view: View, start: int, end: int, pack: Pack) -> bool:
    """Tell whether a sentence that holds tokens `start:end` says that order counts."""
    return any(
        pack.has("sequence", word)
        for first, last in segments(view.tokens, view.lines)
        if first < end and start < last
        for token in view.tokens[first:last]
        for word in token.base.split()
    )


def _loose(tokens: list[Token]) -> list[str]:
    return [t.sense for t in tokens if t.exact != "," and t.group not in _CONNECTIVES]


def _extended(pair: Pair, first: Piece) -> tuple[int, int]:
    """Include the preposition before the first part ("to send and to detect")."""
    a, c = first.a, first.c
    if a and c and pair.old.tokens[a - 1].sense == pair.new.tokens[c - 1].sense:
        base = pair.old.tokens[a - 1].base
        if pair.pack is not None and base in pair.pack.file.words.particles:
            return a - 1, c - 1
    return a, c


def _around(tokens: list[Token], start: int, end: int) -> frozenset[str]:
    """Return the connectives of the same clause before `start` and after `end`."""
    found: set[str] = set()
    for stretch in (reversed(tokens[:start]), tokens[end:]):
        for token in stretch:
            if token.exact in {".", "!", "?", ":", ";"} or token.kind is Kind.MARKER:
                break
            if token.group in _CONNECTIVES:
                found.add(token.group)
                break
    return frozenset(found)


def _parts(tokens: list[Token], pack: Pack) -> tuple[list[tuple[str, ...]], frozenset[str], int]:
    """Cut an enumeration: its parts, its connectives, how many parts a particle leads.

    A leading article or preposition does not count as a part's own.
    """
    particles = pack.file.words.particles
    parts: list[list[str]] = [[]]
    kinds: set[str] = set()
    led: set[int] = set()
    for token in tokens:
        if token.group in _CONNECTIVES and len(token.base.split()) == 1:
            kinds.add(token.group)
            parts.append([])
        elif token.exact == ",":
            parts.append([])
        elif parts[-1] or token.base not in particles:
            parts[-1].append(token.sense)
        else:
            led.add(len(parts))
    return [tuple(part) for part in parts if part], frozenset(kinds), len(led)


_MOVED_WORDS = 5
"""Words that a paragraph must have to be known again at another place."""


def relocated(pair: Pair, pieces: list[Piece]) -> set[Piece]:
    """Return the pieces that are one paragraph taken from here and put there.

    Only among plain paragraphs: a heading or a list between the two places
    could change what the paragraph stands under.
    """
    if pair.pack is None:
        return set()
    gone = {_said(pair.old, p.a, p.b): p for p in pieces if p.c == p.d}
    proven: set[Piece] = set()
    for piece in pieces:
        taken = gone.get(_said(pair.new, piece.c, piece.d)) if piece.a == piece.b else None
        if taken is None or not _whole_lines(pair.new, piece.c, piece.d):
            continue
        body = pair.new.tokens[piece.c : piece.d]
        long = sum(token.kind is Kind.WORD for token in body) >= _MOVED_WORDS
        plain = _plain_between(pair.old, min(taken.a, piece.a), max(taken.b, piece.a))
        plain &= _plain_between(pair.new, min(piece.c, taken.c), max(piece.d, taken.c))
        whole = _whole_lines(pair.old, taken.a, taken.b)
        if long and plain and whole and not _refers_back(body, pair.pack):
            proven |= {piece, taken}
    return proven


def _refers_back(body: list[Token], pack: Pack) -> bool:
    """Tell whether a paragraph leans on the one before it ("however", "this", "above")."""
    return any(
        token.group == "exception"
        or any(
            pack.has(group, word) for group in ("order", "backward") for word in token.base.split()
        )
        for token in body
    )


def _plain_between(view: View, start: int, end: int) -> bool:
    """Tell whether the tokens `start:end` are plain paragraphs only."""
    lines = {token.line for token in view.tokens[start:end]}
    return all(view.lines[line].kind is LineKind.TEXT for line in lines)


def _said(view: View, start: int, end: int) -> tuple[str, ...]:
    return tuple(token.sense for token in view.tokens[start:end])


def _whole_lines(view: View, start: int, end: int) -> bool:
    """Tell whether the tokens `start:end` are whole lines, and no colon leads to them."""
    tokens = view.tokens
    if start == end or not tokens[start].first or (end < len(tokens) and not tokens[end].first):
        return False
    return not start or tokens[start - 1].exact != ":"


def renumbered(pair: Pair, pieces: list[Piece], pairs: list[tuple[int, int]]) -> set[Piece]:
    """Return the pieces that are references following a section's own new number.

    The passage itself must show target and reference renumbered together:
    "4." became "5.", and "section 4.1" became "section 5.1".
    """
    shift = {
        old.exact.strip("().").lower(): new.exact.strip("().").lower()
        for old, new in _markers(pair, pairs)
    }
    proven: set[Piece] = set()
    for piece in pieces:
        if piece.b - piece.a != 1 or piece.d - piece.c != 1:
            continue
        old, new = pair.old.tokens[piece.a], pair.new.tokens[piece.c]
        if old.kind not in {Kind.REFERENCE, Kind.NUMBER} or new.kind is not old.kind:
            continue
        if old.kind is Kind.NUMBER and not (old.first and "." in old.exact):
            continue
        head, _, rest = old.exact.lower().partition(".")
        target = shift.get(head)
        if shift.get(old.exact.lower()) == new.exact.lower() or (
            target is not None and new.exact.lower() == (f"{target}.{rest}" if rest else target)
        ):
            proven.add(piece)
    return proven


def _markers(pair: Pair, pairs: list[tuple[int, int]]) -> list[tuple[Token, Token]]:
    """Return the list numbers of both sides that correspond and differ."""
    return [
        (pair.old.tokens[a], pair.new.tokens[c])
        for a, c in pairs
        if pair.old.tokens[a].kind is Kind.MARKER
        and pair.old.tokens[a].exact != pair.new.tokens[c].exact
    ]


def numbers_swapped(pair: Pair, pairs: list[tuple[int, int]]) -> bool:
    """Tell whether list numbers changed places: then the order itself changed."""
    changed = _markers(pair, pairs)
    old, new = [a.exact for a, _ in changed], [c.exact for _, c in changed]
    return len(old) > 1 and any(c.isalnum() for c in "".join(old)) and sorted(old) == sorted(new)
