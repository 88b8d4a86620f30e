"""Whether what stands around a passage changed: "unless" can arrive after a quote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

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
    """The two texts and, if known, their headings."""

    old: bytes
    new: bytes
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
        return self._before_differs(passage.start, place.start) or self._after_differs(
            passage.end, place.end
        )

    def _before_differs(self, at: int, place: int) -> bool:
        reach = min(at, REACH)
        if (at == place or reach == REACH <= place) and (
            self.old[at - reach : at] == self.new[place - reach : place]
        ):
            return False
        old = sentence_before(self.old, at)
        size = min(len(old) + _MARGIN, at)
        if len(old) < size <= place and (
            self.old[at - size : at] == self.new[place - size : place]
        ):
            return False
        return self._differs(old, sentence_before(self.new, place))

    def _after_differs(self, at: int, place: int) -> bool:
        if self.old[at : at + REACH] == self.new[place : place + REACH]:
            return False
        old = sentence_after(self.old, at)
        size = len(old) + _MARGIN
        if self.old[at : at + size] == self.new[place : place + size]:
            return False
        return self._differs(old, sentence_after(self.new, place))

    @staticmethod
    def _differs(old: bytes, new: bytes) -> bool:
        return old != new and word_key(old) != word_key(new)
