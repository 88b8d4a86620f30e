"""Character codes to Unicode and widths, from the fonts as pypdf reads them."""

from __future__ import annotations

from typing import cast

from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject
from pypdf.generic._font import Font

from watcher.extract.names import names

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_NO_SPACE = 250.0
"""Width of a word space, in thousandths of the em, in a font without one. pypdf
takes the width of an unrelated glyph there, and words come out glued (its issue
3341); no composite font that was measured needs more than this."""
_WIDEST = 300.0
_REMEMBERED = 20_000
_UNICODE_CODES = frozenset(
    f"/{name}-{way}"
    for name in names(
        "GB-EUC GBpc-EUC GBK-EUC GBK2K ETen-B5 ETenms-B5 UniCNS-UTF16 UniGB-UTF16 90ms-RKSJ "
        "UniJIS-UTF16"
    )
    for way in "HV"
)
"""Predefined CMaps whose codes pypdf translates by a codec."""


class FontReader:
    """One font: `read` gives the text and the advance of a string.

    The advance is in thousandths of the em. `space` is the width that a word
    space has or would have; `vertical` is set for fonts that write downwards.
    """

    def __init__(self, resource: DictionaryObject | None) -> None:
        self._known: dict[bytes, tuple[str, float, int, int]] = {}
        self.space = _NO_SPACE
        self.vertical = False
        self._scale = 1.0
        self._font: Font | None = None
        if resource is None:
            return
        self._font = Font.from_font_resource(resource)
        encoding = resource.get("/Encoding")
        self.vertical = isinstance(encoding, str) and encoding.endswith("-V")
        self._readable = self._font.interpretable and not _is_unmapped(self._font, resource)
        if resource.get("/Subtype") == "/Type3":
            self._scale = _glyph_scale(resource)
        self.space = min(_WIDEST, self._space_width() * self._scale) or _NO_SPACE

    def read(self, codes: bytes) -> tuple[str, float, int, int]:
        """Return the text of a string, its advance, its number of codes and of word spaces."""
        known = self._known.get(codes)
        if known is None:
            known = self._read(codes)
            if len(self._known) < _REMEMBERED:
                self._known[codes] = known
        return known

    def _read(self, codes: bytes) -> tuple[str, float, int, int]:
        font = self._font
        if font is None:
            return _UNKNOWN * len(codes), 500.0 * len(codes), len(codes), codes.count(b" ")
        widths = font.character_widths
        default = widths.get("default", 500)
        mapped = font.character_map
        if isinstance(font.encoding, dict):
            raw = [chr(code) for code in codes]
            simple = font.encoding
            texts = [_named(simple.get(code, chr(code))) for code in codes]
            spaces = codes.count(b" ")
        else:
            raw = texts = _characters(codes, font.encoding)
            # Word spacing applies to single-byte codes 32 only (ISO 32000-2, 9.3.3).
            spaces = 0
        width = sum(widths.get(char, default) for char in raw) * self._scale
        if not self._readable:
            return _UNKNOWN * len(raw), width, len(raw), spaces
        return "".join(mapped.get(text, text) for text in texts), width, len(raw), spaces

    def _space_width(self) -> float:
        font = cast("Font", self._font)
        mapped = (key for key, text in font.character_map.items() if text == " ")
        code = next((key for key in mapped if isinstance(key, str)), None)
        if code is None and isinstance(font.encoding, dict):
            codes = (key for key, text in font.encoding.items() if text == " ")
            code = next((chr(key) for key in codes), None)
        return float(font.character_widths.get(code, 0) or 0) if code else 0.0


def _named(text: str) -> str:
    """Return the character; a glyph name that means none comes from pypdf as `/g18`."""
    return _UNKNOWN if len(text) > 1 and text.startswith("/") else text


def _characters(codes: bytes, encoding: str) -> list[str]:
    if encoding == "utf-16-be":
        return [chr(int.from_bytes(codes[at : at + 2], "big")) for at in range(0, len(codes), 2)]
    return list(codes.decode(encoding, "replace"))


def _is_unmapped(font: Font, resource: DictionaryObject) -> bool:
    """Tell whether a composite font's codes are glyph numbers that nothing translates.

    pypdf then passes the numbers on as if they were characters: words of a
    language that nobody wrote.
    """
    if font.character_map or resource.get("/Subtype") != "/Type0":
        return False
    encoding = resource.get("/Encoding")
    if isinstance(encoding, str) and (encoding in _UNICODE_CODES or "UCS2" in encoding):
        return False
    try:
        descendants = resource["/DescendantFonts"].get_object()
        info = descendants[0].get_object()["/CIDSystemInfo"].get_object()  # type: ignore[index]
        return str(info.get("/Ordering")) != "UCS"
    except (KeyError, IndexError, TypeError, AttributeError, PyPdfError):
        return True


def _glyph_scale(resource: DictionaryObject) -> float:
    """Return what turns a Type 3 font's widths into thousandths of the em."""
    try:
        matrix = resource["/FontMatrix"].get_object()
        return abs(float(matrix[0])) * 1000 or 1.0  # type: ignore[index]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, PyPdfError):
        return 1.0
