"""Which legacy encoding bytes are in that say nothing of it, by what they would then spell.

Nothing here knows a language's words: each script writes some letters far more
often than others, East Asian sets keep their common characters in a block of
their own, and a Latin text uses the accents of one alphabet. A wrong encoding
spells rare letters, mixed blocks and accents of no alphabet. So a guess is made
only where one encoding alone makes sense; where none does, that is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_LEAST = 6
"""Characters beyond ASCII: fewer prove nothing of a script."""
_SAMPLE = 20_000
"""Characters that are weighed."""

_KANA = re.compile("[\u3041-\u30f6\u30fc]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
_LEAST_KANA, _LEAST_COMMON, _LEAST_HANGUL = 0.15, 0.85, 0.9
_WIDE_MARKS = frozenset(
    "\u3000\u3001\u3002\u300a\u300b\u300c\u300d\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"
)

_FREQUENT: dict[str, str] = {
    "cyrillic": "\u043e\u0430\u0435\u0438\u043d\u0442\u0441\u0440\u0432\u043b\u0456",
    "greek": "\u03b1\u03bf\u03b9\u03b5\u03c4\u03c3\u03bd\u03b7\u03c5\u03c1\u03c0\u03ba\u03c2",
    "hebrew": "\u05d9\u05d5\u05d4\u05dc\u05d0\u05e8\u05ea\u05d1\u05de\u05e9\u05e0",
    "arabic": "\u0627\u0644\u064a\u0645\u0646\u062a\u0631\u0648\u0647\u0628\u0639\u0629\u06cc",
    "thai": "\u0e32\u0e19\u0e23\u0e2d\u0e01\u0e40\u0e07\u0e48\u0e49\u0e31\u0e35\u0e34\u0e21\u0e22"
    "\u0e25\u0e27",
}
"""The letters that make up most of any text in a script."""
_SCRIPTS: dict[str, str] = {
    "cyrillic": "\u0400-\u045f\u0490\u0491", "greek": "\u0370-\u03ff", "hebrew": "\u05b0-\u05f4",
    "arabic": "\u060c-\u06d3", "thai": "\u0e01-\u0e5b",
}  # fmt: skip
_ENCODINGS: tuple[tuple[str, str], ...] = (
    ("cp1251", "cyrillic"), ("koi8-u", "cyrillic"), ("iso8859-5", "cyrillic"),
    ("cp866", "cyrillic"), ("cp1253", "greek"), ("iso8859-7", "greek"), ("cp1255", "hebrew"),
    ("cp1256", "arabic"), ("cp874", "thai"),
)  # fmt: skip
_LEAST_SCRIPT, _LEAST_FREQUENT, _AHEAD = 0.85, 0.55, 0.08
_MARKS = frozenset(
    "\u00a0\u00a3\u00a7\u00a9\u00aa\u00ab\u00ad\u00ae\u00b0\u00b7\u00ba\u00bb\u2013\u2014\u2018\u2019"
    "\u201a\u201c\u201d\u201e\u2020\u2022\u2026\u2030\u20ac\u2116\u2122"
)
"""Signs that stand beside the letters of any script."""

_ALPHABETS: dict[str, tuple[str, ...]] = {
    "cp1252": (
        "äöüß", "àâæçéèêëîïôœùûüÿ", "áéíóúüñªº", "áâãàçéêíóôõúüªº", "àèéìíîòóùú", "åäöéü",
        "æøåéèôö", "áðéíóúýþæö", "éëïóöüáèê", "àáèéìíòóúïüç·", "āăáéèàü",
    ),
    "cp1250": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čšžćđ", "ăâîşţ"),
    "iso8859-2": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čšžćđ"),
    "cp1254": ("çğıİöşüâîû",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),
}  # fmt: skip
"""The letters beyond ASCII of languages that are written in an encoding."""
_LEAST_ALPHABET = 0.97
_INSIDE = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[a-z])")
"""What stands for a letter, since letters are beside it."""
_LEAST_MARKS = 0.5
_HIGH = re.compile(rb"[\x80-\xff]+")
_MIXED = re.compile(
    rb"[A-Za-z][\x80-\xff]{1,3}(?=[A-Za-z])|(?<![\x80-\xff>])[\x80-\xff]{1,2}(?=[a-z])"
    rb"|[a-z][\x80-\xff]{1,2}(?![\x80-\xff<])|(?<![\x80-\xff])[\x80-\xbf]{1,2}(?![\x80-\xff])"
)
"""Bytes beyond ASCII with Latin letters beside them: accents, or signs between words."""


def guess(data: bytes) -> str | None:
    """Return the codec that alone makes sense of `data`; None where none or several do."""
    found = _east_asian(data)
    if found is None and len(_MIXED.findall(data)) * 2 <= len(_HIGH.findall(data)):
        found = _other_script(data)
    if found is not None:
        return found
    fitting = [codec for codec in _ALPHABETS if _fits(data, codec)]
    return fitting[0] if fitting and (fitting[0] == "cp1252" or _same(data, fitting)) else None


def _text(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _beyond(text: str) -> list[str]:
    return [char for char in text if char > "\x7f"][:_SAMPLE]


def _share(chars: list[str], test: Callable[[str], object]) -> float:
    return sum(1 for char in chars if test(char)) / len(chars) if chars else 0.0


def _east_asian(data: bytes) -> str | None:
    """Return the East Asian codec of which `data` writes the common characters."""
    for codec in ("cp932", "euc_jp"):
        chars = _beyond(_text(data, codec) or "")
        if len(chars) >= _LEAST and _share(chars, _KANA.match) >= _LEAST_KANA:
            return codec
    chars = [char for char in _beyond(_text(data, "cp949") or "") if _is_letter(char)]
    if len(chars) >= _LEAST and _share(chars, _HANGUL.match) >= _LEAST_HANGUL:
        return "cp949"
    shares = {codec: _common(data, codec) for codec in ("gb18030", "big5hkscs")}
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= _LEAST_COMMON and len(set(shares.values())) > 1 else None


def _is_letter(char: str) -> bool:
    return bool(_HANGUL.match(char) or _IDEOGRAPH.match(char))


_LEVEL_ONE = {"gb18030": (0xB0, 0xD7, "gb2312"), "big5hkscs": (0xA4, 0xC6, "big5")}
"""The lead bytes of the common characters, and the codec that has them."""


def _common(data: bytes, codec: str) -> float:
    """Return the share of characters that are marks or of the block of common ones."""
    chars = _beyond(_text(data, codec) or "")
    if len(chars) < _LEAST or not any(map(_IDEOGRAPH.match, chars)):
        return 0.0
    first, last, narrow = _LEVEL_ONE[codec]

    def is_common(char: str) -> bool:
        if char in _WIDE_MARKS or char in _MARKS:
            return True
        code = char.encode(narrow, "ignore")
        return len(code) == 2 and first <= code[0] <= last

    return _share(chars, is_common)


def _other_script(data: bytes) -> str | None:
    """Return the single-byte codec under which `data` has the letters of one script, as often."""
    scores: list[tuple[float, str]] = []
    for codec, script in _ENCODINGS:
        letters = [char for char in _beyond(_text(data, codec) or "") if char not in _MARKS]
        if len(letters) < _LEAST:
            continue
        own = re.compile(f"[{_SCRIPTS[script]}]")
        frequent = _share(letters, frozenset(_FREQUENT[script]).__contains__)
        if _share(letters, own.match) >= _LEAST_SCRIPT and frequent >= _LEAST_FREQUENT:
            scores.append((frequent, codec))
    scores.sort(reverse=True)
    if not scores:
        return None
    best, codec = scores[0]
    rivals = [name for score, name in scores if score > best - _AHEAD]
    scripts = {dict(_ENCODINGS)[name] for name in rivals}
    return min(rivals, key=[name for name, _ in _ENCODINGS].index) if len(scripts) == 1 else None


def _fits(data: bytes, codec: str) -> bool:
    """Tell whether `data` is Latin text in one alphabet of `codec`, with marks that text has."""
    text = _text(data, codec)
    if text is None:
        return False
    letters = [char.lower() for char in _INSIDE.findall(text)[:_SAMPLE] if char not in _MARKS]
    if not letters:
        return _share(_beyond(text), _MARKS.__contains__) >= _LEAST_MARKS
    return any(
        _share(letters, frozenset(alphabet).__contains__) >= _LEAST_ALPHABET
        for alphabet in _ALPHABETS[codec]
    )


def _same(data: bytes, codecs: list[str]) -> bool:
    """Tell whether the codecs spell the same."""
    return len({data.decode(codec) for codec in codecs}) == 1
