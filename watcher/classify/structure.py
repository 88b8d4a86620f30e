"""Mark what surrounds a policy and is no part of it: stamps, footers, navigation.

Every marker of this module is a grammar over a whole line or sentence. One
word that the grammar does not know, one number too many, and nothing is
marked: "Updated: 3 May 2025" is a stamp, "Updated: fees rise to 9%" is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from watcher.classify.lines import Line, LineKind
from watcher.classify.packs import LANGUAGES, Pack, phrase_of
from watcher.classify.packs import pack as load_pack
from watcher.classify.tokens import Kind, Token, make_view
from watcher.classify.typed import type_tokens

_ENDS = frozenset(".!?")
_STAMP_SIGNS = frozenset([":", ",", ".", "-", "\u2014", "(", ")", "|", "/", "\u00b7", "*"])
_SEPARATORS = frozenset(["|", ">", "\u203a", "\u00b7", "\u2022", "/", "\u2192", '"'])
_PLACEHOLDER = {
    Kind.DATE: "<date>",
    Kind.TIME: "<time>",
    Kind.NUMBER: "<number>",
    Kind.DURATION: "<duration>",
    Kind.MARKER: "",
}
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*[a-z]?")
_IDENTIFIER = re.compile(r"(?=.*[a-z])(?:(?=.*\d)(?:[0-9a-f]{6,}|[0-9a-z]{12,})|[0-9a-f]{8,})")
_HEADER_WORDS = 8
_STAMP_LINE = 160
"""Characters of a line that may be a stamp above a block."""


def segments(tokens: list[Token], lines: list[Line]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) token indices of the sentences, none across a line."""
    start = 0
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if (
            following is None
            or following.line != token.line
            or (
                (token.exact in _ENDS and not following.glued and _upper(following))
                and not _abbreviates(tokens, index)
            )
        ):
            yield start, index + 1
            start = index + 1
    assert start == len(tokens), lines


def _abbreviates(tokens: list[Token], stop: int) -> bool:
    """Tell whether the full stop at `stop` is that of "Rev. 3", "Art. 5"."""
    before, after = tokens[stop - 1] if stop else None, tokens[stop + 1]
    short = before is not None and before.kind is not Kind.NUMBER and len(before.exact) <= 4
    return short and tokens[stop].exact == "." and after.kind in {Kind.NUMBER, Kind.REFERENCE}


def _upper(token: Token) -> bool:
    return token.exact[:1].isupper() or not token.exact[:1].isalpha()


def _words(tokens: list[Token]) -> list[str]:
    """Return the words of a segment; quantities as placeholders, signs left out."""
    words: list[str] = []
    for token in tokens:
        if token.kind in _PLACEHOLDER:
            placeholder = _PLACEHOLDER[token.kind]
            if token.kind is Kind.NUMBER and _YEAR.fullmatch(token.exact):
                placeholder = "<date>"
            words += [placeholder] if placeholder else []
        elif token.exact not in _STAMP_SIGNS:
            words += token.base.split()
    return words


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
            if not any(_tells_when(token, pack) for token in part):
                stamped = False
                continue
            in_list = lines[part[0].line].kind in {LineKind.ITEM, LineKind.ROW}
            stamped = (
                is_stamp(part, pack, in_list=in_list)
                or (stamped and _is_date(part))
                or (not in_list and is_counter(part, pack))
            )
            if stamped:
                marks.update(dict.fromkeys(range(start, end), "stamp-date"))
            else:
                years = copyright_years(part)
                marks.update(dict.fromkeys((start + k for k in years), "copyright-year"))
        _mark_amended(tokens, lines, pack, marks)
    return [
        token._replace(drop=marks[index]) if index in marks and not token.drop else token
        for index, token in enumerate(tokens)
    ]


def _tells_when(token: Token, pack: Pack) -> bool:
    """Tell whether a token may be a date, a version or a count; a stamp has one."""
    if token.exact.isalpha():
        return pack.has("ago", token.base)
    return token.kind is Kind.DATE or any(c.isdigit() for c in token.exact) or " " in token.base


def _is_date(part: list[Token]) -> bool:
    """Tell whether a sentence is a date and nothing else."""
    return [token.kind for token in part if token.exact not in _STAMP_SIGNS] == [Kind.DATE]


def follows_stamp(line: str, pack: Pack) -> bool:
    """Tell whether `line`, which stands above a block, is a stamp."""
    if not line or len(line) > _STAMP_LINE:
        return False
    view = make_view(line.encode(), 0)
    in_list = view.lines[0].kind in {LineKind.ITEM, LineKind.ROW}
    return is_stamp(type_tokens(view.tokens, pack), pack, in_list=in_list)


def _mark_lines(
    tokens: list[Token], lines: list[Line], pack: Pack | None, marks: dict[int, str]
) -> None:
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
        elif pack is not None and (known := navigation(part, pack)):
            marks.update(dict.fromkeys((start + index for index in known), "navigation"))
        if rule:
            marks.update(dict.fromkeys(range(start, end), rule))
        elif front:
            _mark_front_matter(part, start, marks)
        else:
            _mark_identifiers(part, start, marks)
        start = end


def is_stamp(part: list[Token], pack: Pack, *, in_list: bool = False) -> bool:
    """Tell whether a sentence says only when (or as which version) the page was touched."""
    if any(token.kind is Kind.SIGN and token.exact not in _STAMP_SIGNS for token in part):
        return False
    words = _words(part)
    size = at = 0
    is_version = False
    for at in range(min(len(words), 7)):
        hit = pack.stamps.longest(words, at)
        if hit and hit[1] == "stamp":
            size = hit[0]
            break
        if not in_list and pack.has("version", words[at]):
            is_version = _is_version(words, at + 1)
            size = 2 if is_version else 1
            break
        if not pack.has("stamp_subjects", words[at]) and not pack.has("stamp_fillers", words[at]):
            return False
    if not size:
        return False
    return _only_dates(words[at + size :], pack, dated=is_version)


def is_counter(part: list[Token], pack: Pack) -> bool:
    """Tell whether a sentence says only how often the page was seen.

    It must name the page or count with two words ("viewed 1,204 times"): "3
    downloads" alone may be what a plan includes.
    """
    words = _words(part)
    counting = [word for word in words if pack.has("stamp_counters", word)]
    subject = any(pack.has("stamp_subjects", word) for word in words)
    return (
        words.count("<number>") == 1
        and (len(counting) > 1 or (subject and bool(counting)))
        and all(
            word == "<number>"
            or pack.has("stamp_counters", word)
            or pack.has("stamp_subjects", word)
            or pack.has("stamp_fillers", word)
            for word in words
        )
    )


def _is_version(words: list[str], at: int) -> bool:
    return at < len(words) and (
        words[at] == "<number>" or _VERSION.fullmatch(words[at]) is not None
    )


def _only_dates(words: list[str], pack: Pack, *, dated: bool) -> bool:
    """Tell whether the rest of a stamp holds dates, fillers and counters only."""
    ago = any(pack.has("ago", word) for word in words)
    known = 0
    for index, word in enumerate(words):
        if index < known:
            continue
        if hit := pack.stamps.longest(words, index):
            known = index + hit[0]
            continue
        following = words[index + 1] if index + 1 < len(words) else ""
        reading = pack.has("stamp_counters", following) or (
            index > 0 and pack.has("stamp_counters", words[index - 1])
        )
        if word in {"<date>", "<time>"} or (word == "<duration>" and (ago or reading)):
            dated = True
        elif word == "<number>":
            if not pack.has("stamp_counters", following):
                return False
        elif pack.has("version", word):
            if not _is_version(words, index + 1):
                return False
        elif not (
            pack.has("stamp_fillers", word)
            or pack.has("stamp_subjects", word)
            or pack.has("stamp_counters", word)
            or pack.has("ago", word)
            or pack.has("weekdays", word)
            or pack.has("date_links", word)
            or _VERSION.fullmatch(word)
        ):
            return False
    return dated or ago


def _mark_amended(
    tokens: list[Token], lines: list[Line], pack: Pack, marks: dict[int, str]
) -> None:
    """Mark the note "last amended by", which statutes carry above their text."""
    if not pack.file.stamps.amended_phrases:
        return
    for start, token in enumerate(tokens):
        if not token.first or pack.stamps.longest(_bases(tokens, start), 0) is None:
            continue
        end = start + 1
        while end < len(tokens) and not _blank_between(tokens[end - 1], tokens[end], lines):
            end += 1
        words = _words(tokens[start:end])
        hit = pack.stamps.longest(words, 0)
        if hit and hit[1] == "amended" and _all_amended(words[hit[0] :], pack):
            marks.update(dict.fromkeys(range(start, end), "stamp-date"))


def _bases(tokens: list[Token], start: int) -> list[str]:
    return " ".join(token.base for token in tokens[start : start + 8]).split() or [""]


def _blank_between(before: Token, token: Token, lines: list[Line]) -> bool:
    return any(line.kind is LineKind.BLANK for line in lines[before.line : token.line])


def _all_amended(words: list[str], pack: Pack) -> bool:
    return all(
        word.startswith("<")
        or pack.has("amended_words", word)
        or not any(c.isalpha() for c in word)
        for word in words
    )


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
    if not any(token.exact in _SEPARATORS for token in part):
        return []
    items: list[list[int]] = [[]]
    for index, token in enumerate(part):
        if token.kind in {Kind.SIGN, Kind.CELL} and token.exact in _SEPARATORS:
            items.append([])
        elif token.exact not in {"?", "!", ":"} and token.kind is not Kind.MARKER:
            items[-1].append(index)
    items = [item for item in items if item]
    if len(items) < 2 or any(len(item) > 7 for item in items):
        return []
    texts = [" ".join(part[k].base for k in item).split() for item in items]
    known = [_all_navigation(words, pack) for words in texts]
    home = any(
        " ".join(words[:size]) in pack.special["home"] for words in texts for size in (1, 2, 3)
    )
    if not home or sum(known) * 2 <= len(items):
        return []
    others = {k for item, fine in zip(items, known, strict=True) if not fine for k in item}
    return [index for index in range(len(part)) if index not in others]


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
        if _YEAR.fullmatch(part[at].exact):
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
