"""Grammars of the sentences that say when a page was touched, and no more.

One word that the grammar does not know, one number too many, and it is no
stamp: "Updated: 3 May 2025" is one, "Updated: fees rise to 9%" is not.
"""

from __future__ import annotations

import re

from watcher.classify.lines import Line, LineKind
from watcher.classify.packs import Pack
from watcher.classify.tokens import Kind, Token, make_view
from watcher.classify.typed import type_tokens

STAMP_SIGNS = frozenset([":", ",", ".", "-", "\u2014", "(", ")", "|", "/", "\u00b7", "*"])
"""Signs that a stamp may hold."""
_PLACEHOLDER = {
    Kind.DATE: "<date>",
    Kind.TIME: "<time>",
    Kind.NUMBER: "<number>",
    Kind.DURATION: "<duration>",
    Kind.MARKER: "",
}
YEAR = re.compile(r"(?:19|20)\d\d")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*[a-z]?")
_STAMP_LINE = 160
"""Characters of a line that may be a stamp above a block."""


def is_stamp(part: list[Token], pack: Pack, *, in_list: bool = False) -> bool:
    """Tell whether a sentence says only when (or as which version) the page was touched."""
    if any(token.kind is Kind.SIGN and token.exact not in STAMP_SIGNS for token in part):
        return False
    words = words_of(part)
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


def _is_version(words: list[str], at: int) -> bool:
    return at < len(words) and (
        words[at] == "<number>" or _VERSION.fullmatch(words[at]) is not None
    )


def is_counter(part: list[Token], pack: Pack) -> bool:
    """Tell whether a sentence says only how often the page was seen.

    It must name the page or count with two words ("viewed 1,204 times"): "3
    downloads" alone may be what a plan includes.
    """
    words = words_of(part)
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


def words_of(tokens: list[Token]) -> list[str]:
    """Return the words of a segment; quantities as placeholders, signs left out."""
    words: list[str] = []
    for token in tokens:
        if token.kind in _PLACEHOLDER:
            placeholder = _PLACEHOLDER[token.kind]
            if token.kind is Kind.NUMBER and YEAR.fullmatch(token.exact):
                placeholder = "<date>"
            words += [placeholder] if placeholder else []
        elif token.exact not in STAMP_SIGNS:
            words += token.base.split()
    return words


def is_date(part: list[Token]) -> bool:
    """Tell whether a sentence is a date and nothing else."""
    return [token.kind for token in part if token.exact not in STAMP_SIGNS] == [Kind.DATE]


def tells_when(token: Token, pack: Pack) -> bool:
    """Tell whether a token may be a date, a version or a count; a stamp has one."""
    if token.exact.isalpha():
        return pack.has("ago", token.base)
    return token.kind is Kind.DATE or any(c.isdigit() for c in token.exact) or " " in token.base


def follows_stamp(line: str, pack: Pack) -> bool:
    """Tell whether `line`, which stands above a block, is a stamp."""
    if not line or len(line) > _STAMP_LINE:
        return False
    view = make_view(line.encode(), 0)
    in_list = view.lines[0].kind in {LineKind.ITEM, LineKind.ROW}
    return is_stamp(type_tokens(view.tokens, pack), pack, in_list=in_list)


def mark_amended(tokens: list[Token], lines: list[Line], pack: Pack, marks: dict[int, str]) -> None:
    """Mark the note "last amended by", which statutes carry above their text."""
    if not pack.file.stamps.amended_phrases:
        return
    for start, token in enumerate(tokens):
        if not token.first or pack.stamps.longest(_bases(tokens, start), 0) is None:
            continue
        end = start + 1
        while end < len(tokens) and not _blank_between(tokens[end - 1], tokens[end], lines):
            end += 1
        words = words_of(tokens[start:end])
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
