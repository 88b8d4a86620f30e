"""Align two token lists by sense: what corresponds, and the pieces that do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from watcher.classify.tokens import Kind, Token

MAX_TOKENS = 40_000
"""Tokens of one side of a block that are read; more is oversize."""
MAX_PRODUCT = 4_000_000_000
"""Product of both sides' tokens: bit-parallel LCS does about 10^10 a second."""


class OversizeError(Exception):
    """A block is too large to be compared within the bound on work."""


class Piece(NamedTuple):
    """Old tokens `a:b` became new tokens `c:d`; one of the two may be empty."""

    a: int
    b: int
    c: int
    d: int


def key(token: Token) -> str:
    """Return what two tokens must share to correspond.

    Words of a footer never correspond to words of the text.
    """
    if token.kind is Kind.MARKER:
        return "marker"
    return f"drop:{token.drop}:{token.exact}" if token.drop else token.sense


def align_tokens(old: list[Token], new: list[Token]) -> tuple[list[tuple[int, int]], list[Piece]]:
    """Return the corresponding index pairs and the differing pieces, both in order.

    Raises:
        OversizeError: the bound on work would be passed.
    """
    left, right = _symbols(old, new)
    head = 0
    while head < len(left) and head < len(right) and left[head] == right[head]:
        head += 1
    tail = 0
    limit = min(len(left), len(right)) - head
    while tail < limit and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    middle_left, middle_right = left[head : len(left) - tail], right[head : len(right) - tail]
    if len(middle_left) * len(middle_right) > MAX_PRODUCT:
        raise OversizeError
    pairs = [(k, k) for k in range(head)]
    pairs += [(a + head, c + head) for a, c in _common(middle_left, middle_right)]
    pairs += [(len(left) - k, len(right) - k) for k in range(tail, 0, -1)]
    pieces = list(_pieces(pairs, len(left), len(right)))
    pieces = _slid(pieces, old, new, left, right)
    return list(_pairs(pieces, len(left), len(right))), pieces


def _symbols(old: list[Token], new: list[Token]) -> tuple[list[int], list[int]]:
    """Return the keys as small integers: alignment must not depend on string hashes."""
    table: dict[str, int] = {}
    sides = [[table.setdefault(key(token), len(table)) for token in side] for side in (old, new)]
    return sides[0], sides[1]


def _common(left: list[int], right: list[int]) -> Iterator[tuple[int, int]]:
    if not left or not right:
        return
    for block in LCSseq.opcodes(left, right):
        if block.tag == "equal":
            yield from zip(
                range(block.src_start, block.src_end),
                range(block.dest_start, block.dest_end),
                strict=True,
            )


def _pieces(pairs: list[tuple[int, int]], old_size: int, new_size: int) -> Iterator[Piece]:
    a = c = 0
    for b, d in [*pairs, (old_size, new_size)]:
        if a < b or c < d:
            yield Piece(a, b, c, d)
        a, c = b + 1, d + 1


def _pairs(pieces: list[Piece], old_size: int, new_size: int) -> Iterator[tuple[int, int]]:
    """Yield the index pairs that stand between the pieces."""
    a = c = 0
    for piece in [*pieces, Piece(old_size, old_size, new_size, new_size)]:
        yield from zip(range(a, piece.a), range(c, piece.c), strict=True)
        a, c = piece.b, piece.d


_REACH = 40
"""Tokens that a one-sided piece may be slid by to begin where a sentence begins."""


def _slid(
    pieces: list[Piece], old: list[Token], new: list[Token], left: list[int], right: list[int]
) -> list[Piece]:
    """Slide one-sided pieces so that they begin with a line or a sentence, if they can.

    "[. The office opens at noon]" is the same insertion as "[The office opens
    at noon.]" one place further; a reader, and a proof, sees only the second.
    """
    out: list[Piece] = []
    for index, piece in enumerate(pieces):
        floor = out[-1] if out else Piece(0, 0, 0, 0)
        following = pieces[index + 1] if index + 1 < len(pieces) else None
        if piece.a == piece.b:
            low, high = floor.d, following.c if following else len(right)
            shift = _shift(new, right, piece.c, piece.d, low, high)
        elif piece.c == piece.d:
            low, high = floor.b, following.a if following else len(left)
            shift = _shift(old, left, piece.a, piece.b, low, high)
        else:
            shift = 0
        out.append(Piece(*(place + shift for place in piece)))
    return out


def _shift(tokens: list[Token], keys: list[int], start: int, end: int, low: int, high: int) -> int:
    """Return by how many tokens to slide `start:end`: the nearest good beginning."""
    for step in range(_REACH):
        if start + step < high and _begins(tokens, start + step):
            return step
        if end + step >= high or keys[start + step] != keys[end + step]:
            break
    for step in range(1, _REACH):
        if start - step < low or keys[start - step] != keys[end - step]:
            break
        if _begins(tokens, start - step):
            return -step
    return 0


def _begins(tokens: list[Token], at: int) -> bool:
    """Tell whether a line or a sentence begins with token `at`."""
    return tokens[at].first or (at > 0 and tokens[at - 1].exact in {".", "!", "?", "|"})


def merged(pieces: list[Piece], old: list[Token]) -> list[Piece]:
    """Join pieces that only short, weak tokens keep apart, as a reader sees them."""
    out: list[Piece] = []
    for piece in pieces:
        if out:
            last = out[-1]
            between = old[last.b : piece.a]
            if len(between) <= 2 and all(_weak(token) for token in between):
                out[-1] = Piece(last.a, piece.b, last.c, piece.d)
                continue
        out.append(piece)
    return out


def _weak(token: Token) -> bool:
    return (token.kind is Kind.SIGN and token.exact not in ".!?;:") or (
        token.kind in {Kind.WORD, Kind.OPERATOR} and len(token.base) <= 3
    )
