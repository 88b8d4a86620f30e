"""Typed tokens: what is compared, each with its byte range in the canonical text.

A token has three readings. `exact` is what it says letter by letter, after
folding; two texts with equal `exact` readings say the same words. `sense` is
what it says by a named rule (`rule`): "two weeks" and "14 days", "must" and
"is required to". `drop` names the rule under which the token may come, go or
change alone: a list number, the words of a page footer.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from watcher.classify.fold import Folded, fold
from watcher.classify.lexer import Lex, Lexeme, lex
from watcher.classify.lines import Line, split_lines


class Kind(StrEnum):
    """The type of a token; the closed list that evidence is told by."""

    WORD = "word"
    OPERATOR = "operator"
    NUMBER = "number"
    DURATION = "duration"
    MONEY = "amount"
    PERCENT = "percentage"
    MEASURE = "measure"
    DATE = "date"
    TIME = "time"
    REFERENCE = "reference"
    EMAIL = "email"
    URL = "url"
    SIGN = "sign"
    CELL = "cell"
    MARKER = "marker"
    STRIKE = "strike"


QUANTITIES = frozenset(
    [Kind.NUMBER, Kind.DURATION, Kind.MONEY, Kind.PERCENT, Kind.MEASURE, Kind.DATE, Kind.TIME]
)
"""Kinds whose value is a quantity: a change of one is never a matter of style."""


SENTENCE_END = frozenset(".!?:")
"""Signs after which a capital begins a sentence."""


class Token(NamedTuple):
    """One typed token; `start` and `end` are characters of the folded text.

    `base` is the case-folded word for look-ups. `group` is the operator's
    category, a duration's unit or a currency. `line` counts lines from 0 and
    `first` tells whether the token begins its line; `link` is the target of
    the link around it; `glued` whether no space stands before it.
    """

    kind: Kind
    start: int
    end: int
    exact: str
    sense: str
    base: str
    rule: str = ""
    drop: str = ""
    group: str = ""
    line: int = 0
    first: bool = False
    link: str = ""
    glued: bool = False


class View(NamedTuple):
    """The comparison view of one block: its folded text, lines and tokens.

    `assets` are the images and `links` the link targets in order, which are
    not read as words. `byte_at` gives byte offsets (see `span`).
    """

    source: str
    folded: Folded
    lines: list[Line]
    lexemes: list[Lexeme]
    tokens: list[Token]
    offset: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the byte range in the canonical text of the folded range `start:end`."""
        first, last = self.folded.to_source(start), self.folded.to_source(end)
        if self.source.isascii():
            return self.offset + first, self.offset + last
        begin = self.offset + len(self.source[:first].encode())
        return begin, begin + len(self.source[first:last].encode())

    def source_of(self, tokens: list[Token], start: int, end: int) -> str:
        """Return the unfolded text of the tokens `start:end`."""
        if start == end:
            return ""
        first = self.folded.to_source(tokens[start].start)
        return self.source[first : self.folded.to_source(tokens[end - 1].end)]

    def read(self, start: int, end: int) -> str:
        """Return the folded range `start:end` on one line, for a person."""
        return " ".join(self.folded.text[start:end].split())


_PLAIN = {
    Lex.WORD: Kind.WORD,
    Lex.MIXED: Kind.WORD,
    Lex.NUMBER: Kind.NUMBER,
    Lex.DATE: Kind.DATE,
    Lex.TIME: Kind.TIME,
    Lex.EMAIL: Kind.EMAIL,
    Lex.URL: Kind.URL,
    Lex.SIGN: Kind.SIGN,
    Lex.CELL: Kind.CELL,
    Lex.MARKER: Kind.MARKER,
    Lex.STRIKE: Kind.STRIKE,
}


def plain_tokens(lexemes: list[Lexeme], text: str) -> list[Token]:
    """Return one token for each lexeme that is read; markup and images are not."""
    tokens: list[Token] = []
    for lexeme in lexemes:
        kind = Kind.WORD if lexeme.kind is Lex.WORD else _PLAIN.get(lexeme.kind)
        if kind is None:
            continue
        exact = lexeme.text
        if kind is Kind.SIGN:
            exact = _sign(lexeme, text)
        start = lexeme.start
        glued = start > 0 and not text[start - 1].isspace()
        if kind is Kind.WORD and glued and _continues(tokens, lexeme, text):
            _continue(tokens, lexeme)
            continue
        low = exact.lower()
        if kind is Kind.WORD:
            sense, rule = f"word:{low}", "case"
        else:
            sense, rule = f"{kind}:{exact}", ""
        drop = "list-number" if kind is Kind.MARKER else ""
        tokens.append(
            Token(
                kind, start, lexeme.end, exact, sense, low,
                rule, drop, "", lexeme.line, lexeme.first, lexeme.link, glued,
            )
        )  # fmt: skip
    return tokens


def _continues(tokens: list[Token], lexeme: Lexeme, text: str) -> bool:
    """Tell whether only markup stands between a word and the word before it.

    "[doesn](x)'t" and "**Wo**rd" are one word each.
    """
    if not tokens or tokens[-1].line != lexeme.line:
        return False
    last = tokens[-1]
    if any(c.isspace() for c in text[last.end : lexeme.start]):
        return False
    if last.exact == "'" and last.glued and len(tokens) > 1:
        return tokens[-2].kind is Kind.WORD and tokens[-2].end <= last.start
    return last.kind is Kind.WORD


def _continue(tokens: list[Token], lexeme: Lexeme) -> None:
    """Append the lexeme's letters to the word before it."""
    last = tokens.pop()
    text = lexeme.text
    if last.exact == "'":
        text, last = f"'{text}", tokens.pop()
    exact = last.exact + text
    tokens.append(
        last._replace(
            end=lexeme.end, exact=exact, sense=f"word:{exact.lower()}", base=exact.lower(),
            link=last.link or lexeme.link,
        )
    )  # fmt: skip


def _sign(lexeme: Lexeme, text: str) -> str:  # noqa: PLR0911
    """Tell apart the jobs of a dash: hyphen, dash, minus sign, range."""
    sign = lexeme.text
    if sign not in {"-", "--", "---", "\u2014"}:
        return "..." if set(sign) == {"."} and len(sign) > 2 else sign
    before = text[lexeme.start - 1] if lexeme.start else " "
    after = text[lexeme.end] if lexeme.end < len(text) else " "
    if sign == "-" and before.isalpha() and after == "\n":
        return "-"
    if sign == "-" and not after.isspace():
        if before.isalnum() or before in ")%\u20ac$]":
            return "-"
        if after.isdigit():
            return "\u2212"
        return "-"
    numbers = text[lexeme.start - 2 : lexeme.start - 1] + text[lexeme.end + 1 : lexeme.end + 2]
    if sign == "-" and before == after == " " and len(numbers) == 2 and numbers.isdigit():
        return "-"
    return "\u2014"


def make_view(data: bytes, offset: int) -> View:
    """Return the view of the UTF-8 block `data`, which begins at byte `offset`.

    The tokens are those of no language; `typing.type_tokens` gives them types.
    """
    source = data.decode()
    folded = fold(source)
    lines = split_lines(folded.text)
    lexemes = lex(folded.text, lines)
    return View(source, folded, lines, lexemes, plain_tokens(lexemes, folded.text), offset)


def whole_words(old: View, new: View) -> tuple[View, View]:
    """Join the words that a line end cuts in two, where the other side has them whole.

    "trans-/ferred" is "transferred" if the other side says so, and stays
    "first-party" where it does not.
    """
    cuts = [_line_hyphens(view.tokens) for view in (old, new)]
    if not any(cuts):
        return old, new
    known = [{t.exact for t in view.tokens if t.kind is Kind.WORD} for view in (old, new)]
    return (
        old._replace(tokens=_rejoined(old.tokens, cuts[0], known[1])),
        new._replace(tokens=_rejoined(new.tokens, cuts[1], known[0])),
    )


def _line_hyphens(tokens: list[Token]) -> list[int]:
    """Return where a hyphen ends a line between two words."""
    return [
        index
        for index in range(1, len(tokens) - 1)
        if tokens[index].exact == "-"
        and tokens[index + 1].line > tokens[index].line
        and tokens[index - 1].kind is Kind.WORD
        and tokens[index + 1].kind is Kind.WORD
        and tokens[index + 1].exact.islower()
    ]


def _rejoined(tokens: list[Token], cuts: list[int], known: set[str]) -> list[Token]:
    out = list(tokens)
    for cut in reversed(cuts):
        left, right = out[cut - 1], out[cut + 1]
        exact = left.exact + right.exact
        if exact in known:
            base = exact.lower()
            out[cut - 1 : cut + 2] = [
                left._replace(end=right.end, exact=exact, sense=f"word:{base}", base=base)
            ]
    return out
