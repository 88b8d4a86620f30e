"""Find the dates on which a text says that it, or a part of it, takes effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from watcher.classify.packs import Pack, detect, pack
from watcher.classify.sentences import segments
from watcher.classify.structure import mark
from watcher.classify.tokens import Kind, Token, make_view
from watcher.classify.typed import type_tokens
from watcher.domain.ranges import Range

_REACH = 14
"""Tokens between the phrase and its date at most."""
_MAX_LINE = 20_000
"""Bytes of one line that is read; no sentence is longer."""


@dataclass(frozen=True, slots=True)
class EffectiveDate:
    """A date of effect as a text states it.

    `range` is the date's own span, `sentence` the span of its sentence (both
    UTF-8 bytes of the text). `phrase` holds the words that make it one ("in
    force since"). It is extracted, not confirmed: a person confirms it.
    """

    range: Range
    date: date
    phrase: str
    sentence: Range


def effective_dates(text: bytes, language: str = "") -> tuple[EffectiveDate, ...]:
    """Return the dates of effect that `text` states, in order, each once.

    Only dates with day, month and year that can be read one way count. In a
    language without a pack none is found: nothing is guessed.
    """
    words = pack(language or detect(text[:20_000].decode("utf-8", "replace")))
    if words is None:
        return ()
    return tuple(_found(text, words))


def _found(text: bytes, words: Pack) -> Iterator[EffectiveDate]:
    heads = {phrase[0].encode() for phrase in words.effective.entries}
    start = 0
    for line in text.split(b"\n"):
        low = line.lower()
        if len(line) <= _MAX_LINE and any(head in low for head in heads):
            yield from _in_line(line, start, words)
        start += len(line) + 1


def _in_line(line: bytes, start: int, words: Pack) -> Iterator[EffectiveDate]:
    view = make_view(line, start)
    tokens = mark(type_tokens(view.tokens, words), view.lines, words)
    for first, last in segments(tokens, view.lines):
        part = tokens[first:last]
        hit = _phrase(part, words)
        if hit is None:
            continue
        token = _nearest(part, hit[0], hit[1])
        day = _date(token) if token is not None else None
        if token is None or day is None:
            continue
        yield EffectiveDate(
            Range(*view.span(token.start, token.end)),
            day,
            " ".join(t.exact for t in part[hit[0] : hit[1]]),
            Range(*view.span(part[0].start, part[-1].end)),
        )


def _phrase(part: list[Token], words: Pack) -> tuple[int, int] | None:
    """Return the token range (start, end) of the first effective phrase of a sentence."""
    flat = [(word, index) for index, token in enumerate(part) for word in token.base.split()]
    bases = [word for word, _ in flat]
    for at in range(len(flat)):
        if hit := words.effective.longest(bases, at):
            return flat[at][1], flat[at + hit[0] - 1][1] + 1
    return None


def _nearest(part: list[Token], start: int, end: int) -> Token | None:
    """Return the date after the phrase, or else the one before it."""
    after = [token for token in part[start : end + _REACH] if token.kind is Kind.DATE]
    before = [token for token in part[max(0, start - _REACH) : start] if token.kind is Kind.DATE]
    return after[0] if after else before[-1] if before else None


def _date(token: Token) -> date | None:
    """Return the day that a date token names, or None if it is not one certain day."""
    try:
        return date.fromisoformat(token.sense.partition(":")[2])
    except ValueError:
        return None
