"""Proofs for one differing piece: each looks at it alone and may only consume it.

A proof returns None where it has nothing to say, and else a `Tried` that says
whether it holds and why. The order of `PIECE_PROOFS` is the order of trial.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from watcher.classify.contacts import contact_format
from watcher.classify.differences import Piece
from watcher.classify.lexer import HIDDEN_EMAIL
from watcher.classify.lines import LineKind
from watcher.classify.packs import Pack
from watcher.classify.repair import lost_letters, repaired
from watcher.classify.rules import Tried
from watcher.classify.tokens import QUANTITIES, Kind, Token, View


class Pair(NamedTuple):
    """The two sides of one changed block, and the words of its language (or None)."""

    old: View
    new: View
    pack: Pack | None


Proof = Callable[[Pair, Piece], Tried | None]

_QUOTES = frozenset(["'", '"'])


def sides(pair: Pair, piece: Piece) -> tuple[list[Token], list[Token]]:
    """Return the removed and the added tokens of a piece."""
    return pair.old.tokens[piece.a : piece.b], pair.new.tokens[piece.c : piece.d]


def _kind_of(view: View, token: Token) -> LineKind:
    return view.lines[token.line].kind


def droppable(pair: Pair, piece: Piece) -> Tried | None:
    """Prove a piece that consists of marked surroundings only."""
    removed, added = sides(pair, piece)
    rules = {token.drop for token in (*removed, *added)}
    if "" in rules:
        return None
    rule = max(rules, key=lambda name: (name == "courtesy", name))
    if rule == "furniture" and removed and added:
        words = [[t.exact for t in side if t.kind is not Kind.NUMBER] for side in (removed, added)]
        if words[0] != words[1]:
            return Tried(rule, False, "the words beside the page number differ")
    if rule == "list-number":
        return _marker(pair, piece)
    if rule not in {"courtesy", "banner"} and _guarded_inside(pair, piece):
        return Tried(rule, False, "an operator comes or goes inside it")
    return Tried(rule, True, "")


_GUARDED = frozenset(
    ["negation", "exception", "obligation", "recommendation", "permission", "prohibition"]
)


def _guarded_inside(pair: Pair, piece: Piece) -> bool:
    """Tell whether a negation or a modal changes inside surroundings that stay."""
    for tokens, start, end in (
        (pair.old.tokens, piece.a, piece.b),
        (pair.new.tokens, piece.c, piece.d),
    ):
        part = tokens[start:end]
        around = [tokens[k] for k in (start - 1, end) if 0 <= k < len(tokens)]
        inside = any(t.drop and part and t.drop == part[0].drop for t in around)
        if inside and any(token.group in _GUARDED for token in part):
            return True
    return False


def _marker(pair: Pair, piece: Piece) -> Tried:
    """Prove a bullet or number that comes or goes where the line begins anyway."""
    old, new = pair.old.tokens, pair.new.tokens
    after_old = old[piece.b] if piece.b < len(old) else None
    after_new = new[piece.d] if piece.d < len(new) else None
    for view, start, end, after in (
        (pair.old, piece.a, piece.b, after_old),
        (pair.new, piece.c, piece.d, after_new),
    ):
        dash = start < end and view.tokens[end - 1].exact in {"-", "\u2013", "+"}
        if dash and after is not None and after.kind in QUANTITIES:
            return Tried("list-number", False, "the sign may belong to the number after it")
    if after_old is None or after_new is None or (piece.a == 0 and piece.c == 0):
        return Tried("list-number", True, "")
    if after_old.first and after_new.first:
        return Tried("list-number", True, "")
    return Tried("list-number", False, "two items run together or one is split")


def end_mark(pair: Pair, piece: Piece) -> Tried | None:
    """Prove a mark at the end of a heading, an item or a paragraph."""
    removed, added = sides(pair, piece)
    if not all(token.kind is Kind.SIGN for token in (*removed, *added)):
        return None
    allowed = {".", ",", ";", ":"}
    if not {token.exact for token in (*removed, *added)} <= allowed:
        return None
    for view, end in ((pair.old, piece.b), (pair.new, piece.d)):
        if not _ends_block(view, end):
            return Tried("end-mark", False, "the mark stands inside a sentence or between two")
    commas = any(token.exact in ",;" for token in (*removed, *added))
    last = pair.old.tokens[piece.b - 1] if piece.b else None
    if commas and (last is None or _kind_of(pair.old, last) is not LineKind.ITEM):
        return Tried("end-mark", False, "only a list item may end in a comma")
    return Tried("end-mark", True, "")


def _ends_block(view: View, end: int) -> bool:
    """Tell whether a heading, item, row, cell or paragraph ends before token `end`."""
    if end >= len(view.tokens):
        return True
    token, before = view.tokens[end], view.tokens[end - 1] if end else None
    if token.kind in {Kind.MARKER, Kind.CELL} or before is None:
        return True
    if not token.first or token.line == before.line:
        return False
    between = view.lines[before.line : token.line + 1]
    return between[0].kind in {LineKind.HEADING, LineKind.ROW} or any(
        line.kind is not LineKind.TEXT for line in between[1:]
    )


def typography(pair: Pair, piece: Piece) -> Tried | None:
    """Prove one kind of quote for another (not feet for inches)."""
    removed, added = sides(pair, piece)
    if len(removed) != 1 or len(added) != 1:
        return None
    if removed[0].exact not in _QUOTES or added[0].exact not in _QUOTES:
        return None
    for tokens, at in ((pair.old.tokens, piece.a), (pair.new.tokens, piece.c)):
        if tokens[at].glued and at and tokens[at - 1].kind is Kind.NUMBER:
            return Tried("typography", False, "the sign may be a unit of measure")
    return Tried("typography", True, "")


def encoding(pair: Pair, piece: Piece) -> Tried | None:
    """Prove text that was read in a wrong encoding on one side."""
    old = pair.old.source_of(pair.old.tokens, piece.a, piece.b)
    new = pair.new.source_of(pair.new.tokens, piece.c, piece.d)
    if not old or not new:
        return None
    for broken, whole in ((old, new), (new, old)):
        if repaired(broken) == whole:
            return Tried("encoding", True, "")
        if lost_letters(broken, whole):
            return Tried("encoding", True, "")
    return None


def email_obfuscation(pair: Pair, piece: Piece) -> Tried | None:
    """Prove an address against the mark that hides it from robots."""
    removed, added = sides(pair, piece)
    if len(removed) != 1 or len(added) != 1:
        return None
    if removed[0].kind is not Kind.EMAIL or added[0].kind is not Kind.EMAIL:
        return None
    if HIDDEN_EMAIL in {removed[0].exact, added[0].exact}:
        return Tried("email-obfuscation", True, "")
    return Tried("email-obfuscation", False, "both sides name an address, and they differ")


def case(pair: Pair, piece: Piece) -> Tried | None:  # noqa: PLR0911
    """Prove capitals that differ in a heading, or in a line set in capitals."""
    removed, added = sides(pair, piece)
    if not removed or len(removed) != len(added):
        return None
    if [t.base for t in removed] != [t.base for t in added]:
        return None
    if pair.pack is None:
        return Tried("case", False, "the language is unknown")
    if all(
        _all_capitals(view, tokens[0].line) and _whole_line(view, tokens[0].line)
        for view, tokens in ((pair.old, removed), (pair.new, added))
        if any(len(t.exact) > 1 and t.exact.isupper() for t in tokens)
    ) and _one_in_capitals(pair, removed, added):
        return Tried("case", True, "")
    for token in (*removed, *added):
        if token.kind is Kind.OPERATOR and token.exact.isupper():
            return Tried("case", False, "a capitalised keyword may be normative")
        if pair.pack.has("case_sensitive", token.base) or _acronym(token.exact):
            return Tried("case", False, "capitals change what this word means")
    if _headings(pair, removed, added):
        return Tried("case", True, "")
    return Tried("case", False, "in running text capitals may mark a defined term")


def _one_in_capitals(pair: Pair, removed: list[Token], added: list[Token]) -> bool:
    return _all_capitals(pair.old, removed[0].line) != _all_capitals(pair.new, added[0].line)


def _all_capitals(view: View, line: int) -> bool:
    """Tell whether a line of two words or more is set in capitals."""
    words = [t for t in view.tokens if t.line == line and t.exact[:1].isalpha()]
    return len(words) > 1 and all(word.exact.upper() == word.exact for word in words)


def _whole_line(view: View, line: int) -> bool:
    return view.lines[line].kind in {LineKind.HEADING, LineKind.TEXT, LineKind.ITEM}


def _acronym(text: str) -> bool:
    return 1 < len(text) <= 5 and text.isupper()


def _headings(pair: Pair, removed: list[Token], added: list[Token]) -> bool:
    return all(
        _kind_of(view, token) is LineKind.HEADING
        for view, tokens in ((pair.old, removed), (pair.new, added))
        for token in tokens
    )


_DOUBLES = re.compile(r"([^\W\d_])\1\1")


def typo(pair: Pair, piece: Piece) -> Tried | None:
    """Prove a letter that was struck twice where no word has it twice.

    Listed slips are known to the pack; this is the one kind of slip that needs
    no list. Everything else might be another word.
    """
    removed, added = sides(pair, piece)
    if len(removed) != 1 or len(added) != 1 or pair.pack is None:
        return None
    old, new = removed[0], added[0]
    if Kind.WORD is not old.kind or Kind.WORD is not new.kind:
        return None
    if not (old.exact.islower() and new.exact.islower() and old.exact.isalpha()):
        return None
    slips = _without_doubles(old.exact, pair.pack), _without_doubles(new.exact, pair.pack)
    if new.exact in slips[0] or old.exact in slips[1]:
        return Tried("typo", True, "")
    return Tried("typo", False, "both may be words of the language")


def _without_doubles(word: str, pack: Pack) -> set[str]:
    """Return what `word` may have been without a letter struck twice."""
    found = {_DOUBLES.sub(r"\1\1", word)} if _DOUBLES.search(word) else set()
    for letter in pack.file.spelling.never_doubled:
        if letter * 2 in word:
            found.add(word.replace(letter * 2, letter))
    return found


_HEADING_GROUPS = frozenset(["conjunction", "disjunction", "comparison", "inclusion"])
"""Operators that rule nothing in a heading without a quantity."""
_HEADING_FACETS = frozenset(["jurisdiction", "party", "remedy"])


def heading(pair: Pair, piece: Piece) -> Tried | None:
    """Prove a bare heading that comes, goes or is reworded and rules nothing itself."""
    removed, added = sides(pair, piece)
    if not all(
        _kind_of(view, token) is LineKind.HEADING
        for view, tokens in ((pair.old, removed), (pair.new, added))
        for token in tokens
    ):
        return None
    if pair.pack is None:
        return Tried("heading", False, "the language is unknown")
    if [token.base for token in removed] == [token.base for token in added]:
        return None
    if not removed or not added:
        view, part = (pair.old, removed) if removed else (pair.new, added)
        lines = {token.line for token in part}
        whole = [t for t in view.tokens if t.line in lines and t.kind is not Kind.MARKER]
        return _heading_words(pair, part, reworded=len(whole) != len(part))
    return _heading_words(pair, [*removed, *added], reworded=True)


def _heading_words(pair: Pair, tokens: list[Token], *, reworded: bool) -> Tried:  # noqa: PLR0911
    assert pair.pack is not None
    for index, token in enumerate(tokens):
        numbering = token.kind is Kind.REFERENCE and index < 3 and not reworded
        if token.kind is Kind.REFERENCE and not numbering:
            return Tried("heading", False, "it holds a reference")
        if token.kind in QUANTITIES or token.kind in {Kind.EMAIL, Kind.URL}:
            return Tried("heading", False, f"it holds a {token.kind.value}")
        if token.kind is Kind.OPERATOR and token.group not in _HEADING_GROUPS:
            return Tried("heading", False, f"“{token.exact}” may rule something")
        if token.kind is Kind.WORD and any(c.isdigit() for c in token.exact) and not numbering:
            return Tried("heading", False, "it holds a number")
        if reworded and facet_of(token, pair.pack) in _HEADING_FACETS:
            return Tried("heading", False, f"“{token.exact}” may set whom or where it concerns")
        if negative_prefix(token, pair.pack):
            return Tried("heading", False, f"“{token.exact}” may be a negation")
    if pair.pack.effective.longest([w for t in tokens for w in t.base.split()] or [""], 0):
        return Tried("heading", False, "it may say when something takes effect")
    return Tried("heading", True, "")


def facet_of(token: Token, pack: Pack) -> str:
    """Return the facet that a word stands for in the pack, or ""."""
    return pack.facet(token.base)


def negative_prefix(token: Token, pack: Pack) -> bool:
    """Tell whether a word carries one of the prefixes that negate for certain."""
    return any(token.base.startswith(p) for p in pack.file.words.negative_prefixes if len(p) > 2)


def heading_number(pair: Pair, piece: Piece) -> Tried | None:
    """Prove the own number of a heading ("## § 5 Fees" becomes "## § 6 Fees")."""
    removed, added = sides(pair, piece)
    if len(removed) != 1 or len(added) != 1:
        return None
    if removed[0].kind is not Kind.REFERENCE or added[0].kind is not Kind.REFERENCE:
        return None
    for view, at in ((pair.old, piece.a), (pair.new, piece.c)):
        token = view.tokens[at]
        head = [t for t in view.tokens[max(0, at - 3) : at] if t.line == token.line]
        if _kind_of(view, token) is not LineKind.HEADING or len(head) > 2 or not head:
            return Tried("list-number", False, "it is a reference in running text")
        if not head[0].first and head[0].kind is not Kind.MARKER:
            return Tried("list-number", False, "it is a reference in running text")
    return Tried("list-number", True, "")


def acronym(pair: Pair, piece: Piece) -> Tried | None:
    """Prove the long form put before its own acronym: "General ... Regulation (GDPR)"."""
    removed, added = sides(pair, piece)
    if bool(removed) == bool(added):
        return None
    view, start, end = (pair.old, piece.a, piece.b) if removed else (pair.new, piece.c, piece.d)
    tokens = view.tokens
    if tokens[end - 1].exact == "(" and end + 1 < len(tokens):
        short, words = tokens[end], tokens[start : end - 1]
        closed = tokens[end + 1].exact == ")"
    elif end - start == 1 and tokens[start].exact == ")" and start >= 2:
        short, closed = tokens[start - 1], tokens[start - 2].exact == "("
        words = tokens[max(0, start - 2 - len(short.exact)) : start - 2]
    else:
        return None
    if not closed or not short.exact.isupper() or len(short.exact) < 2:
        return None
    small = pair.pack.file.function_words if pair.pack else ()
    initials = "".join(w.exact[:1] for w in words if w.exact not in small).upper()
    if all(word.kind is Kind.WORD for word in words) and initials == short.exact:
        return Tried("acronym", True, "")
    return Tried("acronym", False, "the words do not spell the acronym")


def phone(pair: Pair, piece: Piece) -> Tried | None:
    """Prove a telephone number set in another way."""
    return contact_format(pair.old.tokens, pair.new.tokens, piece)


def same_sense(pair: Pair, piece: Piece) -> Tried:
    """Say why the rules of equal sense do not hold for a piece; always tried last."""
    removed, added = sides(pair, piece)
    if not removed or not added:
        return Tried("same-tokens", False, "the words stand on one side only")
    if len(removed) == len(added) == 1 and removed[0].kind is added[0].kind:
        kind = removed[0].kind
        both = f"“{removed[0].exact}” and “{added[0].exact}”"
        if kind in QUANTITIES:
            return Tried(f"equal-{kind.value}", False, f"{both} are not equal")
        rule = "deontic-synonym" if removed[0].group else "synonym"
        return Tried(rule, False, f"{both} are not listed as equivalent")
    return Tried("synonym", False, "the two wordings are not listed as equivalent")


PIECE_PROOFS: tuple[Proof, ...] = (
    droppable,
    end_mark,
    typography,
    encoding,
    email_obfuscation,
    case,
    typo,
    heading_number,
    heading,
    acronym,
    phone,
    same_sense,
)
