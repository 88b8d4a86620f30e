"""Judge one changed block: align its tokens, try the proofs, keep what none proves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from watcher.classify import rules
from watcher.classify.capitals import settle_case
from watcher.classify.differences import MAX_TOKENS, OversizeError, Piece, align_tokens, merged
from watcher.classify.lexer import Lex, Lexeme
from watcher.classify.lines import LineKind
from watcher.classify.links import is_document, link_change
from watcher.classify.orders import (
    list_order,
    numbers_swapped,
    relocated,
    renumbered,
    reorder,
    table_columns,
)
from watcher.classify.packs import Pack
from watcher.classify.proofs import PIECE_PROOFS, Pair, sides
from watcher.classify.rules import Tried
from watcher.classify.sentences import segments
from watcher.classify.structure import mark
from watcher.classify.tokens import Kind, Token, View, make_view, whole_words
from watcher.classify.typed import type_tokens
from watcher.classify.window import windowed


class Finding(NamedTuple):
    """One judged difference of a block: which piece, the rule, what was tried.

    `shuffled`: the sentence has the same words as before, in another order.
    """

    piece: Piece
    rule: str
    tried: tuple[Tried, ...] = ()
    note: str = ""
    shuffled: bool = False


class Block(NamedTuple):
    """A judged block: both views and its findings, in order of the old side."""

    pair: Pair
    findings: tuple[Finding, ...]


def plain_view(data: bytes, offset: int, headings: frozenset[int]) -> View:
    """Return the view of a block, its tokens not yet read in any language.

    `headings` holds the byte offsets of lines that are headings although
    their text does not show it.
    """
    view = make_view(data, offset)
    if not headings:
        return view
    lines = [
        line._replace(kind=LineKind.HEADING)
        if line.kind in {LineKind.TEXT, LineKind.ITEM}
        and view.span(line.start, line.start)[0] in headings
        else line
        for line in view.lines
    ]
    return view._replace(lines=lines)


def pair_of(
    old: View,
    new: View,
    pack: Pack | None,
    *,
    initial: bool = True,
    stamped: bool = False,
    trimmed: bool = False,
) -> Pair:
    """Return the two sides, read in the language of `pack`.

    `initial`: the block begins a sentence. `stamped`: the line above is a stamp.
    `trimmed`: the views are some sentences of a paragraph.

    Raises:
        OversizeError: a side has more tokens than are read.
    """
    if max(len(old.tokens), len(new.tokens)) > MAX_TOKENS:
        raise OversizeError
    old, new, begun, cut = windowed(*whole_words(old, new), trimmed=trimmed)
    initial, cut = initial or begun, cut or trimmed
    read = []
    for view in (old, new):
        tokens = type_tokens(view.tokens, pack, initial)
        tokens = mark(tokens, view.lines, pack, stamped=stamped and not begun, partial=cut)
        tokens = settle_case(tokens, view.lines, pack, initial=initial)
        read.append(view._replace(tokens=tokens))
    return Pair(read[0], read[1], pack)


def judge(pair: Pair) -> Block:
    """Return the findings of one block pair.

    Raises:
        OversizeError: the block is too large for the bound on work.
    """
    old, new = pair.old.tokens, pair.new.tokens
    whole = Piece(0, len(old), 0, len(new))
    tried: list[Tried] = []
    for proof in (list_order, table_columns):
        result = proof(pair)
        if result is not None and result.proven:
            return Block(pair, (Finding(whole, result.rule), *_asides(pair, [])))
        tried += [result] if result else []
    pairs, pieces = align_tokens(old, new)
    findings = [*_corresponding(pair, pairs), *_pieces(pair, pieces, pairs, tuple(tried))]
    findings += _asides(pair, findings)
    if not findings and pair.old.source != pair.new.source:
        findings.append(Finding(whole, "same-tokens"))
    return Block(pair, tuple(sorted(findings, key=lambda f: f.piece)))


_LETTERS_ONLY = re.compile(r"[^\W\d_]+")


def bare_title(text: str) -> str:
    """Return the words of a heading without number and capitals, to know it again."""
    return " ".join(_LETTERS_ONLY.findall(text.lower()))


def stays_put(pair: Pair, finding: Finding, shifted: frozenset[str]) -> Finding:
    """Return `finding`, unproven if it is a heading that only went to another place.

    `shifted` holds the bare titles that stand in changed text on both sides: the
    text between the two places stands under another heading now.
    """
    removed, added = sides(pair, finding.piece)
    if finding.rule != "heading" or (removed and added):
        return finding
    title = bare_title(" ".join(token.exact for token in (*removed, *added)))
    if title not in shifted:
        return finding
    why = Tried("heading", False, "the heading went elsewhere: text changes its heading")
    return finding._replace(rule=rules.UNPROVEN, tried=(why,))


def history(pair: Pair, finding: Finding, heading: str) -> Finding:
    """Return `finding`, proven if it only adds a line to the document's own history."""
    if finding.rule != rules.UNPROVEN or pair.pack is None or finding.note:
        return finding
    if heading.lower() not in pair.pack.file.furniture.history:
        return finding
    removed, added = sides(pair, finding.piece)
    words = " ".join(token.base for token in added).split()
    if removed or any(pair.pack.effective.longest(words, k) for k in range(len(words))):
        tried = Tried("revision-history", False, "an entry is altered, or says what is in force")
        return finding._replace(tried=(*finding.tried, tried))
    return finding._replace(rule="revision-history", tried=())


def _corresponding(pair: Pair, pairs: list[tuple[int, int]]) -> Iterator[Finding]:
    """Yield what differs between tokens that correspond: wording, list number, link."""
    old, new = pair.old.tokens, pair.new.tokens
    if numbers_swapped(pair, pairs):
        a, c = next((a, c) for a, c in pairs if old[a].kind is Kind.MARKER)
        why = Tried("list-number", False, "the items changed their numbers among each other")
        yield Finding(Piece(a, a + 1, c, c + 1), rules.UNPROVEN, (why,))
    link: tuple[str, str] | None = None
    for a, c in pairs:
        left, right = old[a], new[c]
        piece = Piece(a, a + 1, c, c + 1)
        if left.exact != right.exact:
            yield Finding(piece, _sense_rule(left, right))
        if left.link == right.link:
            link = None
            continue
        if (left.link, right.link) == link:
            continue
        link = (left.link, right.link)
        result = link_change(left.link, right.link, left.exact)
        rule = result.rule if result.proven else rules.UNPROVEN
        note = f"link target {left.link or '(none)'} becomes {right.link or '(none)'}"
        yield Finding(piece, rule, (result,), note)


_BY_LETTERS = frozenset(["spelling", "typo", "contraction"])
_LETTERS = re.compile(r"[^\W\d_]+")


def _sense_rule(left: Token, right: Token) -> str:
    """Return the rule by which two tokens of equal sense differ in their letters."""
    if left.kind is Kind.MARKER:
        return "list-number"
    if left.kind is Kind.URL:
        return "link-tracking"
    if left.rule.startswith("equal-") and _LETTERS.findall(left.base) == _LETTERS.findall(
        right.base
    ):
        return "number-format" if left.kind not in {Kind.DATE, Kind.TIME} else left.rule
    if left.base == right.base:
        spelt = [rule for rule in (left.rule, right.rule) if rule in _BY_LETTERS]
        return rules.heavier(spelt[0], spelt[-1]) if spelt else "case"
    names = [name for name in (left.rule, right.rule) if name and name != "case"]
    return rules.heavier(names[0], names[-1]) if names else "same-tokens"


def _pieces(
    pair: Pair, pieces: list[Piece], pairs: list[tuple[int, int]], tried: tuple[Tried, ...]
) -> Iterator[Finding]:
    """Yield a finding for every piece; what stays unproven is joined as a reader sees it."""
    pieces = [part for piece in pieces for part in _split(pair, piece)]
    known = dict.fromkeys(renumbered(pair, pieces, pairs), "renumbered")
    known |= dict.fromkeys(relocated(pair, pieces), "moved")
    shifted = _shifted_headings(pair, pieces)
    left: list[Piece] = []
    attempts: dict[Piece, tuple[Tried, ...]] = {}
    for piece in pieces:
        rule, log = (known[piece], ()) if piece in known else _prove(pair, piece)
        if rule == "heading" and piece in shifted:
            why = "a heading leaves one place and stands at another: text changes its heading"
            rule, log = rules.UNPROVEN, (Tried("heading", False, why),)
        if rule == rules.UNPROVEN:
            left.append(piece)
            attempts[piece] = log
        else:
            yield Finding(piece, rule, log)
    for group in _sentences(pair, left):
        result = reorder(pair, group) if len(group) > 1 else None
        span = Piece(group[0].a, group[-1].b, group[0].c, group[-1].d)
        if result is not None and result.proven:
            yield Finding(span, result.rule)
            continue
        more = (*tried, *((result,) if result else ()))
        shuffled = _same_words(pair, group)
        for piece in merged(group, pair.old.tokens):
            log = tuple(
                dict.fromkeys(
                    t for p in group if piece.a <= p.a and p.b <= piece.b for t in attempts[p]
                )
            )
            yield Finding(piece, rules.UNPROVEN, (*log, *more), shuffled=shuffled)


def _same_words(pair: Pair, pieces: list[Piece]) -> bool:
    old = [t.sense for p in pieces for t in pair.old.tokens[p.a : p.b] if t.exact != ","]
    new = [t.sense for p in pieces for t in pair.new.tokens[p.c : p.d] if t.exact != ","]
    return sorted(old) == sorted(new)


def _shifted_headings(pair: Pair, pieces: list[Piece]) -> set[Piece]:
    """Return the pieces of headings, if one comes here and one goes there."""
    found: list[set[Piece]] = [set(), set()]
    for piece in pieces:
        if (piece.a == piece.b) == (piece.c == piece.d):
            continue
        side = piece.a == piece.b
        view, at = (pair.new, piece.c) if side else (pair.old, piece.a)
        if view.lines[view.tokens[at].line].kind is LineKind.HEADING:
            found[side].add(piece)
    return found[0] | found[1] if found[0] and found[1] else set()


def _prove(pair: Pair, piece: Piece) -> tuple[str, tuple[Tried, ...]]:
    log: list[Tried] = []
    for proof in PIECE_PROOFS:
        result = proof(pair, piece)
        if result is None:
            continue
        if result.proven:
            return result.rule, ()
        log.append(result)
    return rules.UNPROVEN, tuple(log)


def _split(pair: Pair, piece: Piece) -> Iterator[Piece]:
    """Cut a piece where marked surroundings meet the text, so that each is judged alone."""
    old = _stretches(pair.old.tokens, piece.a, piece.b)
    new = _stretches(pair.new.tokens, piece.c, piece.d)
    if [flag for flag, _, _ in old] == [flag for flag, _, _ in new]:
        for (_, a, b), (_, c, d) in zip(old, new, strict=True):
            yield Piece(a, b, c, d)
        return
    if any(flag for flag, _, _ in old) or any(flag for flag, _, _ in new):
        plain_old = [(a, b) for flag, a, b in old if not flag]
        plain_new = [(c, d) for flag, c, d in new if not flag]
        if len(plain_old) <= 1 and len(plain_new) <= 1:
            a, b = plain_old[0] if plain_old else (piece.a, piece.a)
            c, d = plain_new[0] if plain_new else (piece.c, piece.c)
            if plain_old or plain_new:
                yield Piece(a, b, c, d)
            for flag, start, end in old:
                if flag:
                    yield Piece(start, end, c, c)
            for flag, start, end in new:
                if flag:
                    yield Piece(a, a, start, end)
            return
    yield piece


def _stretches(tokens: list[Token], start: int, end: int) -> list[tuple[str, int, int]]:
    """Return (drop rule, start, end) of the stretches of equal rule."""
    out: list[tuple[str, int, int]] = []
    for index in range(start, end):
        flag = tokens[index].drop
        if out and out[-1][0] == flag:
            out[-1] = (flag, out[-1][1], index + 1)
        else:
            out.append((flag, index, index + 1))
    return out


def _sentences(pair: Pair, pieces: list[Piece]) -> Iterator[list[Piece]]:
    """Group pieces by the sentence of the old side that holds their beginning."""
    ends = [end for _, end in segments(pair.old.tokens, pair.old.lines)]
    group: list[Piece] = []
    at = 0
    for piece in pieces:
        moved = False
        while at < len(ends) and piece.a >= ends[at]:
            at += 1
            moved = True
        if moved and group:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _asides(pair: Pair, findings: list[Finding]) -> list[Finding]:
    """Return what differs beside the words: images, and documents that links name."""
    sides = [
        [lexeme for lexeme in view.lexemes if lexeme.kind is Lex.ASSET]
        for view in (pair.old, pair.new)
    ]
    out: list[Finding] = []
    nowhere = Piece(0, 0, 0, 0)
    if [_alt(image) for image in sides[0]] != [_alt(image) for image in sides[1]]:
        why = Tried("asset", False, "an image with a text of its own comes, goes or changes")
        out.append(Finding(nowhere, rules.UNPROVEN, (why,), "an image differs"))
    elif [image.text for image in sides[0]] != [image.text for image in sides[1]]:
        out.append(Finding(nowhere, "asset"))
    if any(finding.rule == rules.UNPROVEN for finding in findings):
        return out
    gone, come = _documents(pair.old), _documents(pair.new)
    for old, new in zip(sorted(gone - come), sorted(come - gone), strict=False):
        result = link_change(old, new)
        if not result.proven:
            note = f"linked document {old} becomes {new}"
            out.append(Finding(nowhere, rules.UNPROVEN, (result,), note))
    return out


_FILE_NAME = re.compile(r"!\[[\w.-]{1,120}\.(?:png|svg|jpe?g|gif|webp|avif|ico)", re.IGNORECASE)


def _alt(image: Lexeme) -> str:
    """Return the words of an image; the name of its file is none."""
    said = " ".join(image.text.partition("](")[0].split()) if image.text.startswith("!") else ""
    return "![" if _FILE_NAME.fullmatch(said) else said


def _documents(view: View) -> frozenset[str]:
    return frozenset(token.link for token in view.tokens if token.link and is_document(token.link))
