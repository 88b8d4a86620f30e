"""Mark what surrounds a policy and is no part of it: stamps, footers, navigation.

Every marker of this module is a grammar over a whole line or sentence. One
word that the grammar does not know, one number too many, and nothing is
marked: "Updated: 3 May 2025" is a stamp, "Updated: fees rise to 9%" is not.
"""

from __future__ import annotations

import re
from functools import cache

from watcher.classify.lines import Line, LineKind
from watcher.classify.packs import LANGUAGES, Pack, phrase_of
from watcher.classify.packs import pack as load_pack
from watcher.classify.sentences import segments
from watcher.classify.stamps import (
    YEAR,
    is_counter,
    is_date,
    is_stamp,
    mark_amended,
    tells_when,
)
from watcher.classify.surroundings import (
    SEPARATORS,
    is_banner,
    is_item,
    is_reading,
    other_pages,
)
from watcher.classify.tokens import Kind, Token

_IDENTIFIER = re.compile(r"(?=.*[a-z])(?:(?=.*\d)(?:[0-9a-f]{6,}|[0-9a-z]{12,})|[0-9a-f]{8,})")
_HEADER_WORDS = 8
_PATH = frozenset([">", "\u203a", "\u2192"])
_SURE = 3
"""Listed items that make certain that a row of words is a menu."""


def mark(
    tokens: list[Token],
    lines: list[Line],
    pack: Pack | None,
    *,
    stamped: bool = False,
    partial: bool = False,
) -> list[Token]:
    """Return `tokens` with `drop` set where a grammar says what may come and go.

    `stamped`: the line above the block is a stamp, so that a bare date below
    it is one too. `partial`: the tokens are some sentences of a line, so that
    nothing is known of the line as a whole.
    """
    marks: dict[int, str] = {}
    if not partial:
        _mark_lines(tokens, lines, pack, marks)
    if pack is not None:
        for start, end in segments(tokens, lines):
            part = tokens[start:end]
            if not any(tells_when(token, pack) for token in part):
                stamped = False
                continue
            in_list = lines[part[0].line].kind in {LineKind.ITEM, LineKind.ROW}
            stamped = (
                is_stamp(part, pack, in_list=in_list)
                or (stamped and is_date(part))
                or (not in_list and is_counter(part, pack))
            )
            if stamped:
                marks.update(dict.fromkeys(range(start, end), "stamp-date"))
            else:
                years = copyright_years(part)
                marks.update(dict.fromkeys((start + k for k in years), "copyright-year"))
        mark_amended(tokens, lines, pack, marks)
    else:
        for start, end in segments(tokens, lines):
            years = copyright_years(tokens[start:end])
            marks.update(dict.fromkeys((start + k for k in years), "copyright-year"))
    return [
        token._replace(drop=marks[index]) if index in marks and not token.drop else token
        for index, token in enumerate(tokens)
    ]


def _mark_lines(
    tokens: list[Token], lines: list[Line], pack: Pack | None, marks: dict[int, str]
) -> None:
    if pack is not None and any(line.kind is LineKind.ITEM for line in lines):
        marks.update(dict.fromkeys(other_pages(tokens, lines, pack), "related-pages"))
        marks.update(dict.fromkeys(_menu(tokens, lines, pack), "navigation"))
    front = bool(lines) and lines[0].kind is LineKind.MARKUP
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and tokens[end].line == tokens[start].line:
            end += 1
        part = tokens[start:end]
        rule = ""
        if (pack is not None and is_page_number(part, pack)) or _is_folio(part):
            rule = "furniture"
        elif pack is not None and is_banner(part, pack):
            rule = "banner"
        elif (
            pack is not None
            and lines[part[0].line].kind is LineKind.TEXT
            and is_reading(part, pack)
        ):
            rule = "stamp-date"
        elif pack is not None and (known := navigation(part, pack)):
            marks.update(dict.fromkeys((start + index for index in known), "navigation"))
        if rule:
            marks.update(dict.fromkeys(range(start, end), rule))
        elif front:
            _mark_front_matter(part, start, marks)
        else:
            _mark_identifiers(part, start, marks)
        start = end


def _is_folio(part: list[Token]) -> bool:
    """Tell whether a line is a page number between dashes ("- 3 -"), in any language."""
    dashes = {"-", "\u2014", "\u2013", "\u2212"}
    return (
        len(part) == 3
        and part[1].kind is Kind.NUMBER
        and part[1].exact.isdigit()
        and len(part[1].exact) <= 4
        and part[0].exact in dashes
        and part[2].exact in dashes
    )


def is_page_number(part: list[Token], pack: Pack) -> bool:
    """Tell whether a line is a running header or footer with a page number."""
    if not any(token.base in _page_heads() for token in part):
        return False
    words = [w for token in part for w in token.base.split()]
    for page, of in _page_words():
        for at, word in enumerate(words):
            if word != page.lower():
                continue
            rest = words[at + 1 :]
            if rest[:1] == ["."]:
                rest = rest[1:]
            numbered = [rest[0]] if rest else []
            if of and len(rest) >= 3 and rest[1] == of.lower():
                numbered.append(rest[2])
                rest = rest[3:]
            elif not of and len(rest) == 1:
                rest = []
            else:
                continue
            if not all(n.isdigit() and len(n) <= 4 for n in numbered):
                continue
            titled = bool(words[:at])
            if titled and (not of or not _capitalised(part, word)):
                continue
            if not rest and _is_title(part, words[:at], pack):
                return True
    return False


def _capitalised(part: list[Token], word: str) -> bool:
    return any(token.base == word and token.exact[0].isupper() for token in part)


@cache
def _page_words() -> tuple[tuple[str, str], ...]:
    """Return how pages are counted, in all languages: a footer need not follow the text."""
    packs = [load_pack(code) for code in LANGUAGES]
    return tuple(dict.fromkeys(words for p in packs if p for words in p.file.furniture.page))


@cache
def _page_heads() -> frozenset[str]:
    return frozenset(page for page, _ in _page_words())


def _is_title(part: list[Token], before: list[str], pack: Pack) -> bool:
    """Tell whether the words beside a page number are a title and say nothing else."""
    kept = set(before)
    head = [token for token in part if set(token.base.split()) <= kept]
    words = [token for token in head if token.kind is not Kind.SIGN]
    if len(words) > _HEADER_WORDS:
        return False
    plain = all(token.kind is Kind.WORD and not _any_digit(token.base) for token in words)
    scoped = any(pack.has("scope", token.base) for token in words)
    return plain and not scoped and (not words or words[0].exact[0].isupper())


def _any_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def navigation(part: list[Token], pack: Pack) -> list[int]:
    """Return which tokens of a menu, breadcrumb or row of page tools may come and go.

    Only items that are known navigation may; what else stands in the line is
    compared. Empty if the line is none of these.
    """
    if not any(token.exact in SEPARATORS for token in part):
        return []
    items: list[list[int]] = [[]]
    for index, token in enumerate(part):
        if token.kind in {Kind.SIGN, Kind.CELL} and token.exact in SEPARATORS:
            items.append([])
        elif token.exact not in {"?", "!", ":"} and token.kind is not Kind.MARKER:
            items[-1].append(index)
    items = [item for item in items if item]
    if len(items) < 2 or any(len(item) > 7 for item in items):
        return []
    others = _no_menu(part, items, pack)
    return (
        [index for index in range(len(part)) if index not in others] if others is not None else []
    )


def _no_menu(part: list[Token], items: list[list[int]], pack: Pack) -> set[int] | None:
    """Return the tokens of `items` that are no menu items; None if this is no menu.

    A menu leads home, and more than half of its items are listed ones.
    """
    texts = [" ".join(part[k].base for k in item).split() for item in items]
    known = [_all_navigation(words, pack) for words in texts]
    home = any(
        " ".join(words[:size]) in pack.special["home"] for words in texts for size in (1, 2, 3)
    )
    if not home or sum(known) * 2 <= len(items):
        return None
    # "Home | Contents | Travel" may be kinds of insurance; a path or three listed items is none.
    path = any(token.exact in _PATH for token in part)
    sure = sum(known) >= _SURE or (path and sum(known) > 1)
    return {
        k
        for item, fine in zip(items, known, strict=True)
        if not fine and not (sure and is_item([part[k] for k in item], pack))
        for k in item
    }


def _menu(tokens: list[Token], lines: list[Line], pack: Pack) -> list[int]:
    """Return the tokens of a menu that stands as a list, one item to a line."""
    found: list[int] = []
    run: list[int] = []
    for index in range(len(tokens) + 1):
        if index < len(tokens) and lines[tokens[index].line].kind is LineKind.ITEM:
            run.append(index)
            continue
        by_line: dict[int, list[int]] = {}
        for k in run:
            if tokens[k].kind is not Kind.MARKER:
                by_line.setdefault(tokens[k].line, []).append(k)
        others = _no_menu(tokens, list(by_line.values()), pack) if len(by_line) > 2 else None
        if others is not None:
            found += (k for k in run if k not in others)
        run = []
    return found


def _all_navigation(words: list[str], pack: Pack) -> bool:
    at = 0
    while at < len(words):
        hit = pack.navigation.longest(words, at)
        if hit is None:
            return False
        share = words[at : at + hit[0]][-1:] != words[at : at + 1] and hit[0] == 2
        at += hit[0]
        if share and words[at - 1] in {"on", "auf", "sur", "en", "su", "op", "na", "no"}:
            at += 1
    return True


def copyright_years(part: list[Token]) -> list[int]:
    """Return which tokens are the years that a copyright line begins with."""
    head = [token.base for token in part[:3]]
    if head[:1] in (["\u00a9"], ["copyright"]):
        at = 1
    elif head == ["(", "c", ")"]:
        at = 3
    else:
        return []
    years = []
    while at < len(part):
        if YEAR.fullmatch(part[at].exact):
            years.append(at)
        elif part[at].exact not in {"-", ",", "\u00a9", "\u2014"}:
            break
        at += 1
    return years


def _mark_front_matter(part: list[Token], start: int, marks: dict[int, str]) -> None:
    """Mark quotes and type tags of YAML front matter ("Title: !!python/unicode 'X'")."""
    if len(part) < 2 or part[1].exact != ":":
        return
    tag = False
    for index, token in enumerate(part):
        if token.exact == "!":
            tag = True
        elif tag and not token.glued:
            tag = False
        if tag or (token.kind is Kind.SIGN and token.exact in {"'", '"'}):
            marks[start + index] = "markup"


@cache
def _token_names() -> frozenset[tuple[str, ...]]:
    english = load_pack("en")
    assert english is not None
    return frozenset(phrase_of(name) for name in english.file.furniture.tokens)


def _mark_identifiers(part: list[Token], start: int, marks: dict[int, str]) -> None:
    """Mark the value of a request id, a CSRF or session token, on any page."""
    names = _token_names() if any(t.exact in {"=", ":"} for t in part) else frozenset()
    if not names:
        return
    for index, token in enumerate(part[2:], start=2):
        if part[index - 1].exact not in {"=", ":"} or not _IDENTIFIER.fullmatch(token.base):
            continue
        before = " ".join(t.base for t in part[max(0, index - 4) : index - 1]).split()
        if any(tuple(before[-size:]) in names for size in (1, 2, 3)):
            marks[start + index] = "asset"
