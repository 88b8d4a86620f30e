"""The last resort: a passage that stands verbatim where nobody claims the text."""

from __future__ import annotations

from bisect import bisect_right

from watcher.align.model import TextMap
from watcher.domain.ranges import Range

_BYTES, _WORDS = 24, 3
"""A passage shorter than this may return by chance: then it is not looked for."""
_LONGEST = 4096
"""Bytes above which the map's own seeds would have found it."""
_SEARCHED = 2_000_000
"""Bytes of unclaimed text above which nothing is looked for: it is another text."""


class Unclaimed:
    """The parts of a new text that no run of the map covers, joined to be searched."""

    def __init__(self, new: bytes, text_map: TextMap) -> None:
        parts = text_map.inserted()
        self._sources = [part.start for part in parts]
        self._places: list[int] = []
        joined: list[bytes] = []
        at = 0
        for part in parts:
            self._places.append(at)
            joined.append(new[part.start : part.end] + b"\0")
            at += part.length + 1
        self._text = b"".join(joined)

    def find(self, passage: bytes) -> list[Range]:
        """Return where `passage` stands in unclaimed text, at most three places."""
        bare = passage.strip()
        if (
            not _BYTES <= len(bare) <= _LONGEST
            or len(self._text) > _SEARCHED
            or (bare.isascii() and len(bare.split()) < _WORDS)
        ):
            return []
        found: list[Range] = []
        at = self._text.find(passage)
        while at >= 0 and len(found) < 3:
            index = bisect_right(self._places, at) - 1
            start = self._sources[index] + at - self._places[index]
            found.append(Range(start, start + len(passage)))
            at = self._text.find(passage, at + 1)
        return found
