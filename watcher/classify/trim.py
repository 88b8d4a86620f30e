"""Leave unread what two plain paragraphs share at both ends, before it is cut into words.

As `window` does with tokens, but on the bytes, and for less: only in a
paragraph without any markup, and only where a sentence surely ends, so that
nothing that is read further on depends on what is left out.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(rb"[\r\n\f\v\[\]<>*_`~|\\#]|\xe2\x80[\xa8\xa9]|\xc2\x85")
"""Markup, which may pair with more of it later on, and ends of lines."""
_BEGINNING = re.compile(rb"[A-Za-z]{3,40} ")
_BOUNDARY = re.compile(rb" [A-Za-z]{4,40}[.!?] (?=[A-Z][a-z]{2,40}[ ,])")
"""Between two sentences: no abbreviation, no initial, no number stands at it."""
_WORD = re.compile(rb"[A-Za-z]+")
MIN_WORDS = 40
"""Words from which a paragraph is worth cutting; a shorter one may be a banner or a footer."""


def shared_ends(old: bytes, new: bytes) -> tuple[int, int]:
    """Return how many bytes at the beginning and at the end need not be read.

    Both are whole sentences that are equal on both sides, (0, 0) if it is not
    sure that leaving them out changes nothing.
    """
    for side in (old, new):
        if not _BEGINNING.match(side) or _UNSAFE.search(side) or len(side.split()) < MIN_WORDS:
            return 0, 0
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    cut_head = max((found.end() for found in _BOUNDARY.finditer(old, 0, head)), default=0)
    first = _BOUNDARY.search(old, len(old) - tail)
    if first is None:
        return cut_head, 0
    # One word of the next sentence stays, so that nothing ends where text follows.
    word = _WORD.match(old, first.end())
    assert word is not None
    return cut_head, len(old) - word.end()


def _common(left: bytes, right: bytes) -> int:
    """Return how many bytes two texts have in common at their beginning."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
