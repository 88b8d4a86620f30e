"""Whether what stands around a passage changed: "unless" can arrive after a quote."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from watcher.align.model import KEPT, TextMap
from watcher.domain.ranges import Range
from watcher.reanchor.edges import sentence_after, sentence_before

HeadingPath = Callable[[int], tuple[str, ...]]
"""From an offset to the titles of the headings above it, the outermost first."""

REACH = 600
"""Bytes of a neighbouring sentence that count."""
_DROPPED = dict.fromkeys(
    [0xAD, 0x34F, 0x61C, 0x180E, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F),
     *range(0x2060, 0x2070)]
)  # fmt: skip
_FOLDED = str.maketrans(
    dict.fromkeys("‐‑‒−﹣－", "-") | dict.fromkeys("‘’‚‛′", "'") | dict.fromkeys("“”„‟″", '"')
) | dict.fromkeys(_DROPPED)


def word_key(text: bytes) -> str:
    """Return the `word` key of a short text, blanks at its ends left out.

    The same folding as `watcher.domain.keys`, without the map back to bytes.
    """
    if text.isascii():
        return " ".join(text.decode("ascii").lower().split())
    plain = text.decode("utf-8", "replace").translate(_FOLDED)
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold()).split())


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
        return self._differs(
            sentence_before(self.old, passage.start, REACH),
            sentence_before(self.new, place.start, REACH),
        ) or self._differs(
            sentence_after(self.old, passage.end, REACH),
            sentence_after(self.new, place.end, REACH),
        )

    def _covered(self, passage: Range) -> bool:
        """Tell whether one kept run holds the passage and all that counts around it."""
        starts, ends = self.text_map.old_starts, self.text_map.old_ends
        index = bisect_right(starts, passage.start) - 1
        return (
            index >= 0
            and self.text_map.kinds[index] == KEPT
            and (starts[index] <= passage.start - REACH - 4 or self._from_start(index))
            and (ends[index] >= passage.end + REACH + 4 or self._to_end(index))
        )

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
