"""How much of one text is in another: shingles over words, cheap and without a model.

Words are compared without case. Scripts that write no spaces (Han, kana, Thai,
Lao, Khmer, Burmese) count by character, two characters for a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_MARKS = "\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0980-\u0983\u09bc-\u09cd\u0a00-\u0dff"
"""Vowel signs that belong to a word and are no letters of their own."""
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:[^\W{_UNSPACED}]|[{_MARKS}])+")
_ASCII_TOKEN = re.compile(r"\w+", re.ASCII)
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")
_SHINGLE = 3
_PROSE_WORDS = 8
"""Words from which a line is prose. Menus, buttons and footers are shorter."""
_ENOUGH_PROSE = 40


def tokens(text: str) -> list[str]:
    """Return the words of `text` in order, folded; unspaced scripts by character."""
    pattern = _ASCII_TOKEN if text.isascii() else _TOKEN
    return pattern.findall(text.casefold())


def word_count(text: str) -> int:
    """Return about how many words `text` has, in any script."""
    if text.isascii() or not _UNSPACED_CHARACTER.search(text):
        return len(text.split())
    spaced, characters = _UNSPACED_CHARACTER.subn(" ", text)
    return len(spaced.split()) + (characters + 1) // 2


def prose(text: str) -> str:
    """Return the lines of `text` that are prose, all of it where hardly any is.

    What a site shows on every page (menus, footers) is the same on its error
    pages and must not make them look like the document.
    """
    counted = ((line, word_count(line)) for line in text.replace("\f", "\n").split("\n"))
    lines = [(line, words) for line, words in counted if words >= _PROSE_WORDS]
    if sum(words for _, words in lines) < _ENOUGH_PROSE:
        return text
    return "\n".join(line for line, _ in lines)


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the set of word triples of `text`."""
    words = tokens(text)
    if len(words) < _SHINGLE:
        return frozenset([tuple(words)]) if words else frozenset()
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def containment(old: str, new: str) -> float:
    """Return the share of the prose of `old` that is still in `new`, 0 to 1."""
    wanted = shingles(prose(old))
    return len(wanted & shingles(new)) / len(wanted) if wanted else 0.0


def shared_words(old: str, new: str) -> float:
    """Return the share of the longer words of `new` that `old` uses too, 0 to 1.

    A rewritten policy keeps its subject's words where it keeps no sentence.
    """
    known = _content_words(tokens(old))
    fresh = _content_words(tokens(new))
    return len(known & fresh) / len(fresh) if fresh else 0.0


def _content_words(words: Iterable[str]) -> set[str]:
    return {word for word in words if len(word) > 4 or _UNSPACED_CHARACTER.match(word)}
