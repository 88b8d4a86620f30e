"""Fold a text for comparison, with an exact map back to its characters.

Folding removes what leaves the reading unchanged: soft hyphens, zero-width
marks, ligatures, HTML entities, composed against decomposed letters, curly
against straight quotes, kinds of space. What could change the reading stays:
superscripts, fractions, look-alike letters, bidirectional overrides.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

_LATIN = r"A-Za-z\u00c0-\u024f"
_HAN = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_SPECIAL = re.compile(
    r"&amp;(?=\s)|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|\u00ad\n[ \t]*|[\u00ad\u200b\u2060\ufeff\u180e]"
    rf"|(?<=[{_LATIN}])[\u200c\u200d](?=[{_LATIN}])"
    r"|[\ufb00-\ufb06\uff01-\uff5e]|\u2026"
    rf"|(?<=[{_HAN}])[ \u3000]+(?=[{_HAN}0-9])|(?<=[0-9])[ \u3000]+(?=[{_HAN}])"
    r"|\w[\u0300-\u036f\u3099\u309a]+"
)
_SPACES = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t"
)
_ONE_TO_ONE = str.maketrans(
    {
        **dict.fromkeys(_SPACES, " "),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        "\u2015": "\u2014",
        "\r": "\n",
        "\u000c": "\n",
        "\u0085": "\n",
        "\u2028": "\n",
        "\u2029": "\n",
    }
)
# A grave accent is markup for code, never an apostrophe of its own.
_ONE_TO_ONE[ord("`")] = "`"


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; `at` and `source` are the two sides of a piecewise linear map.

    Character `i` of `text` comes from source character
    `source[k] + i - at[k]`, where `k` is the last piece with `at[k] <= i`.
    """

    text: str
    at: tuple[int, ...]
    source: tuple[int, ...]

    def to_source(self, index: int) -> int:
        """Return the source character index of the folded index (ends included)."""
        piece = bisect_right(self.at, index) - 1
        return self.source[piece] + index - self.at[piece]


def _replacement(found: str, *, spaced: bool) -> str:  # noqa: PLR0911
    if not found.strip(" \u3000"):
        # Between ideographs a space is a matter of setting.
        return ""
    if found.startswith("&"):
        if found == "&amp;" and spaced:
            # Before a space it begins no other entity, so that it is a sign of the text.
            return "&"
        plain = html.unescape(found)
        # An entity that stands for markup stays one, so that "&lt;b&gt;" is text.
        return found if plain == found or plain in "<>&" else plain.translate(_ONE_TO_ONE)
    if found.startswith("\u00ad"):
        return ""
    if len(found) > 1:
        return unicodedata.normalize("NFC", found)
    if found in "\u00ad\u200b\u2060\ufeff\u180e\u200c\u200d":
        return ""
    return "..." if found == "\u2026" else unicodedata.normalize("NFKC", found)


def fold(text: str) -> Folded:
    """Return `text` folded. Linear in its length."""
    pieces: list[str] = []
    at, source = [0], [0]
    position = length = 0
    for match in _SPECIAL.finditer(text):
        start, end = match.span()
        kept = text[position:start]
        new = _replacement(match[0], spaced=text[end : end + 1].isspace())
        pieces += (kept, new)
        length += len(kept)
        # Inside a replacement the map points at the replaced characters' start.
        for offset in range(len(new)):
            at.append(length + offset)
            source.append(start)
        length += len(new)
        at.append(length)
        source.append(end)
        position = end
    pieces.append(text[position:])
    return Folded("".join(pieces).translate(_ONE_TO_ONE), tuple(at), tuple(source))
