"""Whether what stands around a passage changed: "unless" can arrive after a quote."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from watcher.align.model import KEPT, TextMap
from watcher.domain.ranges import Range

HeadingPath = Callable[[int], tuple[str, ...]]
"""From an offset to the titles of the headings above it, the outermost first."""

REACH = 600
"""Bytes of a neighbouring sentence that count."""
_MARGIN = 8
"""Bytes beyond a sentence that must agree, too, for both texts to end it there."""
_DROPPED = dict.fromkeys(
    [0xAD, 0x34F, 0x61C, 0x180E, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F),
     *range(0x2060, 0x2070)]
)  # fmt: skip
_FOLDED = str.maketrans(
    dict.fromkeys("‐‑‒−﹣－", "-") | dict.fromkeys("‘’‚‛′", "'") | dict.fromkeys("“”„‟″", '"')
) | dict.fromkeys(_DROPPED)
_SPECIAL = re.compile("[" + "".join(map(chr, _FOLDED)) + "]")
_PAD = b" \t\n\f"
# Every branch starts with a plain byte: then the engine skips to the next such byte.
_END = re.compile(
    b"|".join(
        [
            *(re.escape(stop) + rb"(?=[ \n])" for stop in (b".", b"!", b"?", b";", b":", b"|")),
            *(re.escape(stop.encode()) for stop in "。！？；।؟"),
            rb"\n\n",
            rb"\f",
        ]
    )
)
_END_BACKWARDS = re.compile(
    b"|".join(
        [
            rb" [.!?;:|]",
            rb"\n[.!?;:|\n]",
            rb"\f",
            *(re.escape(stop.encode()[::-1]) for stop in "。！？；।؟"),
        ]
    )
)
"""What ends a neighbouring sentence. A single line end does not: it may be a wrap."""


def sentence_before(text: bytes, at: int) -> bytes:
    """Return what stands before `at`: the rest of its sentence, or the sentence before it."""
    before = text[max(0, at - REACH) : at].rstrip(_PAD)
    match = _END_BACKWARDS.search(before[::-1], 1)
    return before[len(before) - match.start() :] if match else before


def sentence_after(text: bytes, at: int) -> bytes:
    """Return what stands after `at`: the rest of its sentence, or the sentence after it."""
    after = text[at : at + REACH].lstrip(_PAD)
    match = _END.search(after, 1)
    return after[: match.end()] if match else after


def word_key(text: bytes) -> str:
    """Return the `word` key of a short text, blanks at its ends left out.

    The same folding as `watcher.domain.keys`, without the map back to bytes.
    """
    if text.isascii():
        return " ".join(text.decode("ascii").lower().split())
    plain = text.decode("utf-8", "replace")
    if _SPECIAL.search(plain):
        plain = plain.translate(_FOLDED)
    folded = unicodedata.normalize("NFKC", plain).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The two texts, their map and, if known, their headings."""

    old: bytes
    new: bytes
    text_map: TextMap
    headings: tuple[HeadingPath, HeadingPath] | None = None

    def changed(self, passage: Range, place: Range) -> bool:
        """Tell whether a neighbouring sentence or the heading path differs.

        Sentences are compared by the `word` key. `place` is where the passage
        is now, from its first to its last byte.
        """
        if self.headings is not None:
            old_path, new_path = self.headings
            if old_path(passage.start) != new_path(place.start):
                return True
        if self._covered(passage):
            return False
        return self._before_differs(passage, place) or self._after_differs(passage, place)

    def _before_differs(self, passage: Range, place: Range) -> bool:
        old = sentence_before(self.old, passage.start)
        size = min(len(old) + _MARGIN, passage.start)
        if size <= place.start:
            same = self.old[passage.start - size : passage.start]
            if same == self.new[place.start - size : place.start] and size > len(old):
                return False
        return self._differs(old, sentence_before(self.new, place.start))

    def _after_differs(self, passage: Range, place: Range) -> bool:
        old = sentence_after(self.old, passage.end)
        size = len(old) + _MARGIN
        same = self.old[passage.end : passage.end + size]
        if same == self.new[place.end : place.end + size]:
            return False
        return self._differs(old, sentence_after(self.new, place.end))

    def _covered(self, passage: Range) -> bool:
        """Tell whether one kept run holds the passage and all that counts around it."""
        runs = self.text_map
        index = bisect_right(runs.old_starts, passage.start) - 1
        if index < 0 or runs.kinds[index] != KEPT:
            return False
        before = passage.start - runs.old_starts[index] > REACH or self._from_start(index)
        return before and (runs.old_ends[index] - passage.end > REACH or self._to_end(index))

    def _from_start(self, index: int) -> bool:
        return self.text_map.old_starts[index] == self.text_map.new_starts[index] == 0

    def _to_end(self, index: int) -> bool:
        return (
            self.text_map.old_ends[index] == self.text_map.old_size
            and self.text_map.new_ends[index] == self.text_map.new_size
        )

    @staticmethod
    def _differs(old: bytes, new: bytes) -> bool:
        return old != new and word_key(old) != word_key(new)
