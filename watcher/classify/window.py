"""Read only the sentences of a paragraph that differ.

What is left out is equal on both sides, token by token, and ends where a
sentence ends, so it can hold no difference and change no reading.
"""

from __future__ import annotations

from watcher.classify.lines import LineKind
from watcher.classify.tokens import Kind, Token, View

MIN_TOKENS = 40
"""Tokens from which a paragraph is worth cutting."""
_STOPS = frozenset(".!?")


def windowed(old: View, new: View, *, trimmed: bool = False) -> tuple[View, View, bool, bool]:
    """Return both views cut to the differing sentences of one paragraph.

    Also whether the beginning was cut, and whether anything was. Only a plain
    paragraph on one line is cut: a heading, an item or a row is read whole. One
    token after the last sentence stays, so that nothing ends where text follows.
    `trimmed`: the paragraph was long enough, and was cut before.
    """
    whole = (old, new, False, False)
    left, right = old.tokens, new.tokens
    least = 1 if trimmed else MIN_TOKENS
    if min(len(left), len(right)) < least or not (_is_paragraph(old) and _is_paragraph(new)):
        return whole
    head, tail = _shared(left, right)
    if head == len(left) == len(right):
        return whole
    start = max((k for k in range(1, head + 1) if k < len(left) and _begins(left, k)), default=0)
    start = start if start < len(right) and (not start or _begins(right, start)) else 0
    place = next((k for k in range(len(left) - tail + 1, len(left)) if _begins(left, k)), None)
    end = len(left) - place - 1 if place is not None else 0
    if not start and not end:
        return whole
    return (
        old._replace(tokens=left[start : len(left) - end]),
        new._replace(tokens=right[start : len(right) - end]),
        start > 0,
        True,
    )


def _is_paragraph(view: View) -> bool:
    line = view.tokens[0].line
    return view.tokens[-1].line == line and view.lines[line].kind is LineKind.TEXT


def _shared(left: list[Token], right: list[Token]) -> tuple[int, int]:
    """Return how many tokens are equal at the beginning and, beyond them, at the end."""
    limit = min(len(left), len(right))
    head = 0
    while head < limit and _same(left[head], right[head]):
        head += 1
    tail = 0
    while tail < limit - head and _same(left[-1 - tail], right[-1 - tail]):
        tail += 1
    return head, tail


def _same(left: Token, right: Token) -> bool:
    return (
        left.exact == right.exact
        and left.kind is right.kind
        and left.link == right.link
        and left.glued == right.glued
        and left.first == right.first
    )


def _begins(tokens: list[Token], at: int) -> bool:
    """Tell whether a sentence surely begins at `at`.

    A word of four letters, so no "1. März" and no "Art. Nine", then a stop, a
    space, and a capitalised word.
    """
    token = tokens[at]
    last = tokens[at - 2].exact if at > 1 else ""
    return (
        tokens[at - 1].exact in _STOPS
        and last.isalpha()
        and len(last) > 3
        and not token.glued
        and token.kind is Kind.WORD
        and len(token.exact) > 2
        and token.exact.istitle()
        and token.exact.isalpha()
    )
