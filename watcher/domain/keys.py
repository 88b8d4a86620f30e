"""The two comparison keys, `ink` and `word`, each with an exact map back.

A key is never stored as text. It folds what two engines, two fonts or two
browsers write differently, so that the same ink on paper compares equal.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum

from watcher.domain.ranges import Range


class KeyKind(StrEnum):
    """The folding rules; the digit changes when the rule does."""

    INK = "ink/1"
    WORD = "word/1"


_DROPPED = (
    {0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF}
    | set(range(0x200B, 0x2010))
    | set(range(0x202A, 0x202F))
    | set(range(0x2060, 0x2070))
)
"""Soft hyphen, zero-width and bidi marks: no ink."""
_HYPHENS = dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2212, 0xFE63, 0xFF0D], "-")
_QUOTES = {0x2018: "'", 0x2019: "'", 0x201A: "'", 0x201B: "'", 0x2032: "'",
           0x201C: '"', 0x201D: '"', 0x201E: '"', 0x201F: '"', 0x2033: '"'}  # fmt: skip


def _ink(char: str) -> str:
    if ord(char) in _DROPPED or char.isspace():
        return ""
    folded = unicodedata.normalize("NFKC", _HYPHENS.get(ord(char), char))
    return "".join(c for c in folded if not c.isspace() and ord(c) not in _DROPPED)


def _word(char: str) -> str:
    if ord(char) in _DROPPED:
        return ""
    if char.isspace():
        return " "
    folded = _HYPHENS.get(ord(char)) or _QUOTES.get(ord(char)) or char
    return unicodedata.normalize("NFKC", folded).casefold()


@dataclass(frozen=True, slots=True)
class Key:
    """The key text and, for each of its characters, the source bytes it came from."""

    kind: KeyKind
    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def to_source(self, start: int, end: int) -> Range:
        """Return the source bytes of the non-empty key range `start:end`."""
        return Range(self.starts[start], self.ends[end - 1])

    def from_source(self, start: int, end: int) -> tuple[int, int]:
        """Return the key range of all characters that begin inside `start:end`."""
        first = bisect_right(self.starts, start - 1)
        last = bisect_right(self.starts, end - 1)
        return first, last


def make_key(data: bytes, kind: KeyKind) -> Key:
    """Return the key of the UTF-8 text `data`, with its map to byte ranges.

    A base character and the marks that follow it are folded together, so that
    composed and decomposed spellings of a letter give one key.
    """
    fold = _ink if kind is KeyKind.INK else _word
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for cluster in _clusters(data.decode()):
        stop = position + len(cluster.encode())
        folded = unicodedata.normalize("NFKC", "".join(map(fold, cluster)))
        if kind is KeyKind.WORD and folded == " " and (not out or out[-1] == " "):
            folded = ""
            if ends:
                ends[-1] = stop
        for char in folded:
            out.append(char)
            starts.append(position)
            ends.append(stop)
        position = stop
    return Key(kind, "".join(out), tuple(starts), tuple(ends))


def _clusters(text: str) -> list[str]:
    if text.isascii():
        return list(text)
    clusters: list[str] = []
    for char in text:
        if clusters and unicodedata.combining(char):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def fold(text: str, kind: KeyKind) -> str:
    """Return the key text alone, where no way back is needed."""
    return make_key(text.encode(), kind).text
