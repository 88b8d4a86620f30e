"""Keep capitals in the sense of a word where they may matter, and only there."""

from __future__ import annotations

from watcher.classify.lines import Line, LineKind
from watcher.classify.packs import Pack
from watcher.classify.tokens import SENTENCE_END, Kind, Token


def settle_case(
    tokens: list[Token], lines: list[Line], pack: Pack | None, *, initial: bool
) -> list[Token]:
    """Return `tokens` with their capitals in the sense, where capitals may matter.

    The capital that begins a sentence means nothing, except in words that are
    other words with it ("ihre" and "Ihre"). What was marked as surroundings
    neither begins nor ends a sentence.
    """
    out: list[Token] = []
    before: Token | None = None
    for index, token in enumerate(tokens):
        if token.kind in {Kind.WORD, Kind.OPERATOR} and not token.exact.islower():
            nouns = pack is not None and pack.file.nouns_capitalised
            spelt = token.rule in {"spelling", "typo"} and not nouns
            if spelt and _is_name(tokens, index, lines):
                token = token._replace(sense=f"word:{token.exact.lower()}")  # noqa: PLW2901
            first = initial if before is None else _begins(before, token, lines)
            shape = _shape(token.exact.partition(" ")[0], pack, first=first)
            out.append(token._replace(sense=token.sense + shape) if shape else token)
        else:
            out.append(token)
        if not token.drop or token.kind is Kind.MARKER:
            before = token
    return out


def _is_name(tokens: list[Token], at: int, lines: list[Line]) -> bool:
    """Tell whether a capitalised word stands beside another one in running text.

    "Harbour Ltd" and "Harbor Ltd" are two firms, not two spellings of a word.
    """
    token = tokens[at]
    if token.exact.isupper() or lines[token.line].kind is LineKind.HEADING:
        return False
    beside = [tokens[k] for k in (at - 1, at + 1) if 0 <= k < len(tokens)]
    return any(
        other.kind is Kind.WORD and other.exact[0].isupper() and other.line == token.line
        for other in beside
    )


def _begins(before: Token, token: Token, lines: list[Line]) -> bool:
    """Tell whether a sentence, an item, a cell or a heading begins with `token`."""
    if before.exact in SENTENCE_END or before.kind in {Kind.MARKER, Kind.CELL}:
        return True
    if not token.first or before.line == token.line:
        return False
    return lines[before.line].kind in {LineKind.HEADING, LineKind.ROW} or any(
        line.kind is not LineKind.TEXT for line in lines[before.line + 1 : token.line + 1]
    )


def _shape(text: str, pack: Pack | None, *, first: bool) -> str:
    """Return the case of a word where it may matter: "" for none."""
    if not text[:1].isalpha():
        return ""
    if len(text) > 1 and text.isupper():
        return "^U"
    if text[1:] != text[1:].lower():
        return f"^{text}"
    if not text[0].isupper():
        return ""
    special = pack is not None and pack.has("case_sensitive", text.lower())
    return "^T" if special or not first else ""
