"""Prove that a telephone number is only set in another way."""

from __future__ import annotations

from watcher.classify.differences import Piece
from watcher.classify.rules import Tried
from watcher.classify.tokens import Kind, Token

_SIGNS = frozenset(["-", "\u2212", "(", ")", "/", ".", "+"])
_LEAST, _MOST = 8, 13
"""Digits of a telephone number with its prefix; more may be two numbers."""


def contact_format(old: list[Token], new: list[Token], piece: Piece) -> Tried | None:
    """Judge a piece that lies in a telephone number: the same digits, in the same order.

    The number must begin with 0 or a plus sign, as amounts and limits do not.
    """
    runs = _run(old, piece.a, piece.b), _run(new, piece.c, piece.d)
    if not runs[0] or not runs[1]:
        return None
    digits = [_digits(run) for run in runs]
    if not all(_LEAST <= len(number) <= _MOST for number in digits):
        return None
    if not all(run[0].exact == "+" or run[0].exact.startswith("0") for run in runs):
        return None
    if digits[0] != digits[1] or (runs[0][0].exact == "+") != (runs[1][0].exact == "+"):
        return Tried("contact-format", False, "the digits of the two numbers differ")
    return Tried("contact-format", True, "")


def _run(tokens: list[Token], start: int, end: int) -> list[Token]:
    """Return the numbers and signs around the tokens `start:end`; none if others are inside."""
    if not all(_fits(token) for token in tokens[start:end]):
        return []
    while start > 0 and _fits(tokens[start - 1]):
        start -= 1
    while end < len(tokens) and _fits(tokens[end]):
        end += 1
    run = tokens[start:end]
    while run and run[0].kind is Kind.SIGN and run[0].exact != "+":
        run = run[1:]
    return run if len({token.line for token in run}) == 1 else []


def _fits(token: Token) -> bool:
    if token.kind is Kind.SIGN:
        return token.exact in _SIGNS
    return token.kind is Kind.NUMBER and all(c.isdecimal() or c == " " for c in token.exact)


def _digits(run: list[Token]) -> str:
    return "".join(c for token in run for c in token.exact if c.isdecimal())
