"""Page-bounded chunks with their two hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import xxhash

from watcher.domain.text import CanonicalText

_TARGET = 1200
"""Bytes at which a chunk ends at the next line: about 200 words of English."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A range of one page: xxh3_128 to compare quickly, SHA-256 to prove."""

    ordinal: int
    page: int
    start: int
    end: int
    xxh3: str
    sha256: str


def chunks(text: CanonicalText) -> Iterator[Chunk]:
    """Yield chunks that tile every non-empty page, cut at line ends.

    A single line is never cut, so a clause stays whole however long it is.
    """
    ordinal = 0
    for number, page in enumerate(text.pages, start=1):
        start = page.start
        while start < page.end:
            stop = text.data.find(b"\n", min(start + _TARGET, page.end), page.end)
            end = page.end if stop < 0 else stop + 1
            part = text.data[start:end]
            yield Chunk(
                ordinal,
                number,
                start,
                end,
                xxhash.xxh3_128_hexdigest(part),
                hashlib.sha256(part).hexdigest(),
            )
            ordinal += 1
            start = end
