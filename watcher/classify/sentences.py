"""Where sentences begin and end among the tokens of a block."""

from __future__ import annotations

from collections.abc import Iterator

from watcher.classify.lines import Line
from watcher.classify.tokens import Kind, Token

_ENDS = frozenset(".!?")


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
