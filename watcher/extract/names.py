"""Sets of names, written as one line of words."""

from __future__ import annotations


def names(words: str) -> frozenset[str]:
    """Return the words of `words`."""
    return frozenset(words.split())
