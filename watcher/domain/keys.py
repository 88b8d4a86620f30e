"""The two comparison keys, `ink` and `word`, each with an exact map back.

A key is never stored as text. It folds what two engines, two fonts or two
browsers write differently, so that the same ink on paper compares equal.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress

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


_EXTENDERS = frozenset(
    {0x09BE, 0x09D7, 0x0B3E, 0x0B56, 0x0B57, 0x0BBE, 0x0BD7, 0x0CC2, 0x0CD5, 0x0CD6, 0x0D3E}
    | {0x0D57, 0x0DCF, 0x0DDF, 0x102E, 0x1B35, 0x11127, 0x1133E, 0x11357, 0x114B0, 0x114BA}
    | {0x114BD, 0x115AF, 0x11930}
    | set(range(0x1160, 0x1200))
)
"""Characters of combining class 0 that still compose with what stands before them."""


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
    # NFKC writes a free-standing accent as a blank and the accent: no blank was there.
    return unicodedata.normalize("NFKC", folded).casefold().replace(" ", "")


@dataclass(frozen=True, slots=True)
class Key:
    """The key text and, for each of its characters, the source bytes it came from."""

    kind: KeyKind
    text: str
    starts: Sequence[int]
    ends: Sequence[int]

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
    if kind is KeyKind.INK and data.isascii():
        return _ascii_ink(data)
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    folder = _Folder(kind)
    is_word = kind is KeyKind.WORD
    blank = True
    for cluster in _clusters(data.decode()):
        size, folded = folder[cluster]
        stop = position + size
        if len(folded) == 1 and not (is_word and folded == " "):
            out.append(folded)
            starts.append(position)
            ends.append(stop)
            blank = False
        elif folded == " " and blank:
            if ends:
                ends[-1] = stop
        elif folded:
            out += folded
            starts += [position] * len(folded)
            ends += [stop] * len(folded)
            blank = folded[-1] == " "
        position = stop
    return Key(kind, "".join(out), tuple(starts), tuple(ends))


_ASCII_BLANKS = bytes(code for code in range(128) if chr(code).isspace())
_IS_INK = bytes(code not in _ASCII_BLANKS for code in range(256))


def _ascii_ink(data: bytes) -> Key:
    """Return the ink key of an ASCII text: what is no blank, each byte for itself."""
    starts = array("q", compress(range(len(data)), data.translate(_IS_INK)))
    ends = array("q", map((1).__add__, starts))
    text = data.translate(None, _ASCII_BLANKS).decode("ascii")
    return Key(KeyKind.INK, text, starts, ends)


def fold(text: str, kind: KeyKind) -> str:
    """Return the key text alone, where no way back is needed."""
    folder = _Folder(kind)
    joined = "".join([folder[cluster][1] for cluster in _clusters(text)])
    return _BLANKS.sub(" ", joined).removeprefix(" ") if kind is KeyKind.WORD else joined


_BLANKS = re.compile(" {2,}")


class _Folder(dict[str, tuple[int, str]]):
    """Cluster -> (its UTF-8 length, its folding), worked out once for each."""

    def __init__(self, kind: KeyKind) -> None:
        super().__init__()
        self._fold = _ink if kind is KeyKind.INK else _word

    def __missing__(self, cluster: str) -> tuple[int, str]:
        folded = unicodedata.normalize("NFKC", "".join(map(self._fold, cluster)))
        found = self[cluster] = (len(cluster.encode()), folded)
        return found


def _clusters(text: str) -> Sequence[str]:
    """Split into base characters, each with what composes with it."""
    if text.isascii():
        return text
    joining = frozenset(
        char for char in set(text) if unicodedata.combining(char) or ord(char) in _EXTENDERS
    )
    if not joining:
        return text
    clusters: list[str] = []
    for char in text:
        if char in joining and clusters and not clusters[-1].isspace():
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters
