"""Words of a UTF-8 text, as comparable symbols with byte offsets.

A word is a run of letters with their marks, a run of digits, one ideograph or
kana, or one mark of punctuation. White space and the marks of Markdown are not
words: rewrapping a paragraph or setting a phrase bold changes no word. Two
words are equal if their folded forms are (NFKC, case, quotes, dashes).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, islice
from typing import NamedTuple

_LETTERS = rb"""(?:
    [A-Za-z]++
  | [\xc3-\xd7\xda-\xdf][\x80-\xbf]                                 # Latin to Hebrew, Syriac to NKo
  | \xd8[\x80-\x8b\x8d-\x9a\x9c-\x9e\xa0-\xbf] | \xd9[\x80-\xa9\xab-\xbf]  # Arabic, not its stops
  | \xe0(?:[\xa0-\xa4\xa6-\xb7\xbc-\xbf][\x80-\xbf] | \xa5[\x80-\xa3\xa6-\xbf])  # Indic, not danda
  | [\xe1\xea-\xed][\x80-\xbf]{2}                                   # Georgian to Greek, Hangul
  | \xef[\xac-\xae][\x80-\xbf]                                      # ligatures
  | \xc2\xad                                                        # soft hyphen inside a word
)++"""
_UNSPACED = rb"""(?:
    \xe0(?:\xb8[\x81-\xb0\xb2\xb3\xbf] | \xb9[\x80-\x86\x8f-\x9b]                  # Thai
      | \xba[\x80-\xb0\xb2\xb3\xbd-\xbf] | \xbb[\x80-\x87\x90-\xbf])                # Lao
    (?:\xe0(?:\xb8[\xb1\xb4-\xba] | \xb9[\x87-\x8e] | \xba[\xb1\xb4-\xbc] | \xbb[\x88-\x8e]))*+
)"""
"""A letter with its marks, of a script that sets no blanks between words."""
_BLANKS = rb"(?: [ \t\n\r\f\v]++ | \xc2\xa0 | \xe3\x80\x80 | \xe2\x80[\x80-\x8f\xa8-\xaf] )++"
_BLANK = re.compile(_BLANKS + rb"|", re.VERBOSE)
_WORDS = re.compile(
    _LETTERS
    + rb" | "
    + _UNSPACED
    + rb"""
  | [0-9]+
  | \*+ | \#+ | _+ | -+ | ~+ | `+ | =+ | >+
  | """
    + _BLANKS
    + rb"""
  | [\xc2-\xdf][\x80-\xbf] | [\xe0-\xef][\x80-\xbf]{2} | [\xf0-\xf4][\x80-\xbf]{3}
  | [\x00-\xff]
    """,
    re.VERBOSE,
)
_FOLDED = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−", "-")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)
_MARKUP = frozenset("*_#~-=")
SPACE, LINE, PARAGRAPH = "\x00", "\x01", "\x02"
"""What a stretch of white space folds to: within a line, over one line end, over several."""
BARRIER_OLD, BARRIER_NEW = SPACE, LINE
"""Stand where claimed text was left out of a sequence: no word has these symbols, and
the two differ, so that nothing matches across."""


class Texts(NamedTuple):
    """The two texts."""

    old: bytes
    new: bytes


class Words(NamedTuple):
    """The words of one stretch of text: `symbols[i]` stands at `starts[i]:ends[i]`.

    `segments[i]` counts the ends of sentences, cells and paragraphs before word `i`.
    """

    symbols: str
    starts: Sequence[int]
    ends: Sequence[int]
    segments: Sequence[int]

    def part(self, start: int, end: int) -> Words:
        """Return words `start:end`."""
        return Words(
            self.symbols[start:end],
            self.starts[start:end],
            self.ends[start:end],
            self.segments[start:end],
        )


class Vocabulary(dict[bytes, str]):
    """Gives every distinct word one character, the same for words that fold alike."""

    def __init__(self) -> None:
        super().__init__()
        self._symbols: dict[str, str] = {}
        self.stops: set[str] = set()
        self.wide_stops: set[str] = set()
        self.lower: set[str] = set()
        self.breaks = {LINE, PARAGRAPH}
        self._breaking = (0, re.compile(""))

    @property
    def breaking(self) -> re.Pattern[str]:
        """Finds the symbols at which a sentence may end."""
        if self._breaking[0] != len(self.breaks):
            pattern = "[" + "".join(map(re.escape, sorted(self.breaks))) + "]"
            self._breaking = (len(self.breaks), re.compile(pattern))
        return self._breaking[1]

    def __missing__(self, word: bytes) -> str:
        """Return the symbol of a word not seen before."""
        if word.isalnum():  # bytes: letters and digits of ASCII only, which fold by case alone
            key = word.lower().decode("ascii")
            symbol = self[word] = self._symbols.setdefault(key, chr(len(self._symbols) + 3))
            if word[:1].islower():
                self.lower.add(symbol)
            return symbol
        text = word.decode("utf-8", "surrogateescape")
        folded = unicodedata.normalize("NFKC", text.translate(_FOLDED)).casefold()
        folded = unicodedata.normalize("NFKC", folded)
        if not folded or folded.isspace():
            lines = text.count("\n") + 2 * text.count("\f")
            symbol = (SPACE, LINE, PARAGRAPH)[min(lines, 2)]
        else:
            if folded[0] in _MARKUP:
                folded = folded[0]
            symbol = self._symbols.setdefault(folded, chr(len(self._symbols) + 3))
            if folded in _STOPS:
                (self.stops if len(word) == 1 else self.wide_stops).add(symbol)
                self.breaks.add(symbol)
            if text[0].islower():
                self.lower.add(symbol)
        self[word] = symbol
        return symbol


_STOPS = frozenset(".!?;:|。؛।؟")
"""End a sentence, a clause or a cell (fullwidth ones fold to these). The narrow ones do
only before white space: not in "2.11" or in an address."""


def is_blank(text: bytes) -> bool:
    """Tell whether `text` is white space in the wider sense, or empty."""
    return not text or text.isspace() or _BLANK.fullmatch(text) is not None


def split(text: bytes, start: int, end: int) -> list[bytes]:
    """Return `text[start:end]` cut into words and stretches of white space."""
    return _WORDS.findall(text, start, end)


def words(text: bytes, start: int, end: int, vocabulary: Vocabulary) -> Words:
    """Return the words of `text[start:end]`."""
    parts = split(text, start, end)
    symbols = "".join(map(vocabulary.__getitem__, parts))
    ends = list(accumulate(map(len, parts), initial=start))
    is_word = list(map(PARAGRAPH.__lt__, symbols))
    kept = list(compress(range(len(symbols)), is_word))
    segments: list[int] = []
    done = segment = 0
    for boundary in _boundaries(symbols, vocabulary):
        count = bisect_left(kept, boundary, done) - done
        if count:
            segments += [segment] * count
            segment += 1
            done += count
    segments += [segment] * (len(kept) - done)
    return Words(
        symbols.replace(SPACE, "").replace(LINE, "").replace(PARAGRAPH, ""),
        list(compress(ends, is_word)),
        list(compress(islice(ends, 1, None), is_word)),
        segments,
    )


def _boundaries(symbols: str, vocabulary: Vocabulary) -> Iterator[int]:
    """Yield where a sentence, a cell or a paragraph begins, as indexes into `symbols`."""
    stops, lower, last = vocabulary.stops, vocabulary.lower, len(symbols) - 1
    for match in vocabulary.breaking.finditer(symbols):
        index = match.start()
        symbol = symbols[index]
        if symbol in stops:
            if index < last and symbols[index + 1] <= PARAGRAPH:
                yield index + 1
        elif symbol != LINE or (index < last and symbols[index + 1] not in lower):
            yield index + 1


def concat(parts: Sequence[Words], barrier: str, *, keep_empty: bool = False) -> Words:
    """Join stretches with one `barrier` between two, also beside empty ones if `keep_empty`."""
    if len(parts) == 1:
        return parts[0]
    symbols: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    segments: list[int] = []
    segment = position = 0
    for index, part in enumerate(parts):
        if not part.symbols and not keep_empty:
            continue
        if index:
            symbols.append(barrier)
            starts.append(position)
            ends.append(position)
            segments.append(segment)
            segment += 1
        if part.symbols:
            symbols.append(part.symbols)
            starts += part.starts
            ends += part.ends
            segments += [segment + s for s in part.segments]
            segment += part.segments[-1] + 1
            position = part.ends[-1]
    return Words("".join(symbols), starts, ends, segments)
