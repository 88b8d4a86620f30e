"""Cut a folded text into lexemes: words, numbers, signs, and the markup around them.

Language-free. Every lexeme knows its place in the folded text; markup is told
apart from what is read, and what stands at the beginning of a line (heading,
list number, quote mark, table bar) from what stands in running text.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from watcher.classify.lines import Line, LineKind


class Lex(StrEnum):
    """What a lexeme is, before any language is looked at."""

    WORD = "word"
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    MIXED = "mixed"
    EMAIL = "email"
    URL = "url"
    SIGN = "sign"
    CELL = "cell"
    MARKER = "marker"
    MARKUP = "markup"
    ASSET = "asset"
    STRIKE = "strike"


class Lexeme(NamedTuple):
    """One piece of a folded text.

    `first` tells whether it is the first on its line; `line` counts from 0;
    `link` is the target of the link around it, or "".
    """

    kind: Lex
    start: int
    end: int
    text: str
    line: int
    first: bool
    link: str = ""


_INLINE = re.compile(
    r"(?P<letters>[^\W\d_]{1,40}(?:'[^\W\d_]{1,40})?(?= [^\[({]))"
    r"|(?P<comment><!--.{0,400}?-->)"
    r"|(?P<escape>\\[^\w\s])"
    r"|(?P<image>!\[[^\]\n]{0,300}\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*[^)\n]{0,200}\))"
    r"|(?P<close>\]\(\s*<?[^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*>?"
    r"(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\))"
    r"|(?P<footnote>\[\^[^\]\s]{1,80}\])"
    r"|(?P<email><?(?:mailto:)?[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}>?)"
    r"|(?P<hidden>[\w.+-]{1,64} ?[\[({](?:at|@|AT|ät)[\])}] ?[\w-]{1,63}"
    r"(?:(?: ?[\[({](?:dot|DOT|punkt|point|\.)[\])}] ?|\.)[\w-]{1,63}){1,8})"
    r"|(?P<cloudflare>\[email protected\])"
    r"|(?P<url><?(?:https?://|ftp://|www\.)[^\s<>\"|]+>?)"
    r"|(?P<tag></?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,500})?/?>)"
    r"|(?P<numdate>(?<![\w./-])(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}"
    r"|\d{1,2}\.\d{1,2}\.(?=\s|$))(?![\w/-]))"
    r"|(?P<time>(?<![\w.:])\d{1,2}:\d{2}(?::\d{2})?(?![\w:]))"
    r"|(?P<number>(?<![\w])(?:\d{1,3}(?:(?P<sep>[.,' ])\d{3})(?:(?P=sep)\d{3})*"
    r"(?:[.,]\d+)?(?![\w]|[.,]\d)"
    r"|\d+(?:[.,]\d+)*(?![\w])))"
    r"|(?P<word>[^\W_]+(?:'[^\W\d_]+)*(?:_+[^\W_]+)*)"
    r"|(?P<code>`+)|(?P<stars>\*+)|(?P<under>_+)|(?P<strike>~~)"
    r"|(?P<dash>-{2,}|\u2014)|(?P<dots>\.{2,})"
    r"|(?P<sign>[^\s])"
)
_PLAIN_LINE = re.compile(r"[^\d@<>\[\]\\*_`~|!/.]*(?:\.(?![\w.])[^\d@<>\[\]\\*_`~|!/.]*)*")
"""A line without digits, links, addresses and markup: only words and signs."""
_PLAIN_INLINE = re.compile(
    r"(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)|(?P<dash>-{2,}|\u2014)|(?P<sign>[^\s])"
)
_DIGIT = re.compile(r"\d")
MAX_LINK = 200
"""Lexemes in one link text at most; a bracket further back opens no link."""
MAX_OPEN = 32
"""Emphasis signs that may wait for their pair."""
_KNOWN_TAGS = frozenset(
    [
        "a",
        "b",
        "i",
        "u",
        "em",
        "strong",
        "span",
        "div",
        "p",
        "br",
        "hr",
        "font",
        "small",
        "big",
        "code",
        "pre",
        "ul",
        "ol",
        "li",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "table",
        "thead",
        "tbody",
        "tr",
        "td",
        "th",
        "section",
        "article",
        "header",
        "footer",
        "nav",
        "details",
        "summary",
        "abbr",
        "kbd",
        "img",
        "figure",
        "figcaption",
        "blockquote",
        "label",
        "mark",
        "center",
    ]
)
_STRIKE_TAGS = frozenset(["s", "del", "strike", "ins"])
_LINK_TARGET = re.compile(r"\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*)")
_TRAILING = ".,;:!?'\"*_"


class _Lexing:
    """The state of one pass: lexemes so far, open brackets, open emphasis."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[Lexeme] = []
        self.brackets: list[int] = []
        self.emphasis: list[int] = []
        self.line = 0
        self.first = True

    def add(self, kind: Lex, start: int, end: int, text: str | None = None) -> None:
        self.out.append(
            Lexeme(kind, start, end, text or self.text[start:end], self.line, self.first)
        )
        if kind is not Lex.MARKUP:
            self.first = False

    def close_link(self, start: int, end: int) -> None:
        target = _LINK_TARGET.match(self.text, start)
        if not self.brackets or target is None:
            self.add(Lex.SIGN, start, end)
            return
        opening = self.brackets.pop()
        if len(self.out) - opening > MAX_LINK:
            self.add(Lex.SIGN, start, end)
            return
        self.out[opening] = self.out[opening]._replace(kind=Lex.MARKUP)
        inside = range(opening + 1, len(self.out))
        for index in inside:
            self.out[index] = self.out[index]._replace(link=target[1])
        if inside and self.out[opening].first:
            self._restore_first(opening)
        self.add(Lex.MARKUP, start, end, target[1])

    def _restore_first(self, opening: int) -> None:
        self.out[opening + 1] = self.out[opening + 1]._replace(first=True)

    def emphasise(self, start: int, end: int) -> None:
        """Pair emphasis signs; one without its pair stays a sign (a footnote mark)."""
        text = self.text
        before = text[start - 1] if start else " "
        after = text[end] if end < len(text) else " "
        inner, outer = not after.isspace(), not before.isspace()
        mark = text[start:end]
        if outer and not (inner and before.isalnum() and after.isalnum()):
            for depth in range(len(self.emphasis) - 1, -1, -1):
                index = self.emphasis[depth]
                if self.out[index].text == mark:
                    self.out[index] = self.out[index]._replace(kind=Lex.MARKUP)
                    if self.out[index].first and index + 1 < len(self.out):
                        self._restore_first(index)
                    del self.emphasis[depth:]
                    self.add(Lex.MARKUP, start, end)
                    return
        if inner and not before.isalnum():
            self.emphasis.append(len(self.out))
            del self.emphasis[:-MAX_OPEN]
        self.add(Lex.SIGN, start, end)

    def plain(self, start: int, end: int) -> None:
        """Cut a stretch that holds words and signs only."""
        out, line, first = self.out, self.line, self.first
        for found in _PLAIN_INLINE.finditer(self.text, start, end):
            kind = Lex.WORD if found.lastgroup == "word" else Lex.SIGN
            out.append(Lexeme(kind, found.start(), found.end(), found[0], line, first))
            first = False
        self.first = first

    def rich(self, start: int, end: int, *, row: bool) -> None:
        """Cut a stretch that may hold anything."""
        position = start
        search, out = _INLINE.search, self.out
        while (found := search(self.text, position, end)) is not None:
            position = found.end()
            if found.lastgroup == "letters":
                out.append(
                    Lexeme(Lex.WORD, found.start(), position, found[0], self.line, self.first)
                )
                self.first = False
                continue
            self.match(found, row)
            if found.lastgroup == "url" and not found[0].startswith("<"):
                position = max(self.out[-1].end, found.start() + 1)

    def match(self, found: re.Match[str], row: bool) -> None:
        start, end = found.span()
        group = found.lastgroup
        if group == "sep":
            group = "number"
        if group in {"stars", "under"}:
            self.emphasise(start, end)
        elif group == "close":
            self.close_link(start, end)
        elif group in {"code", "comment"}:
            self.add(Lex.MARKUP, start, end)
        elif group == "escape":
            self.add(Lex.SIGN, start, end, found[0][1])
        elif group == "tag":
            self._tag(start, end, found[0])
        elif group in {"email", "hidden", "cloudflare"}:
            hidden = group == "cloudflare"
            self.add(Lex.EMAIL, start, end, HIDDEN_EMAIL if hidden else plain_email(found[0]))
        elif group == "url":
            self._url(start, found[0])
        elif group == "word":
            self.add(Lex.MIXED if _DIGIT.search(found[0]) else Lex.WORD, start, end)
        elif group == "sign":
            if found[0] == "[":
                self.brackets.append(len(self.out))
            self.add(Lex.CELL if row and found[0] == "|" else Lex.SIGN, start, end)
        else:
            self.add(_KINDS[str(group)], start, end)

    def _url(self, start: int, found: str) -> None:
        url = found.strip("<>")
        offset = found.index(url) if url else 0
        kept = url.rstrip(_TRAILING)
        while kept.endswith((")", "]")) and kept.count("(") + kept.count("[") < kept.count(
            ")"
        ) + kept.count("]"):
            kept = kept[:-1].rstrip(_TRAILING)
        # A link text that is a URL ends where the markup of its target begins.
        kept = kept.split("](")[0]
        self.add(Lex.URL, start + offset, start + offset + len(kept), kept)

    def _tag(self, start: int, end: int, tag: str) -> None:
        name = re.sub(r"[^a-z0-9]", " ", tag.lower()).split()[0]
        if name in _STRIKE_TAGS:
            self.add(Lex.STRIKE, start, end, name)
        elif name == "img":
            self.add(Lex.ASSET, start, end)
        else:
            self.add(Lex.MARKUP if name in _KNOWN_TAGS else Lex.SIGN, start, end)


HIDDEN_EMAIL = "[email protected]"
_KINDS = {
    "image": Lex.ASSET,
    "footnote": Lex.SIGN,
    "numdate": Lex.DATE,
    "time": Lex.TIME,
    "number": Lex.NUMBER,
    "strike": Lex.STRIKE,
    "dash": Lex.SIGN,
    "dots": Lex.SIGN,
}
_AT = re.compile(r" ?[\[({](?:at|@|AT|ät)[\])}] ?")
_DOT = re.compile(r" ?[\[({](?:dot|DOT|punkt|point|\.)[\])}] ?")


def plain_email(found: str) -> str:
    """Return an address without angle brackets, `mailto:` and spelt-out signs."""
    plain = _DOT.sub(".", _AT.sub("@", found.strip("<>")))
    return plain.removeprefix("mailto:").lower()


def lex(text: str, lines: list[Line]) -> list[Lexeme]:
    """Return the lexemes of a folded text, markup included, in order."""
    state = _Lexing(text)
    for number, line in enumerate(lines):
        state.line, state.first = number, True
        if line.kind in {LineKind.BLANK, LineKind.MARKUP}:
            continue
        if line.marker is not None:
            state.add(Lex.MARKER, *line.marker)
            state.first = True
        start, end = line.body, line.end
        if line.kind is LineKind.ROW:
            start, end = _row_body(text, line)
        if _PLAIN_LINE.fullmatch(text, start, end):
            state.plain(start, end)
        else:
            state.rich(start, end, row=line.kind is LineKind.ROW)
    return state.out


def _row_body(text: str, line: Line) -> tuple[int, int]:
    """Return the row without its outer bars, which carry no cell."""
    start, end = line.start, line.end
    while start < end and text[start] in " \t>":
        start += 1
    if start < end and text[start] == "|":
        start += 1
    while end > start and text[end - 1] in " \t":
        end -= 1
    if end > start and text[end - 1] == "|" and text[end - 2 : end - 1] != "\\":
        end -= 1
    return start, end
