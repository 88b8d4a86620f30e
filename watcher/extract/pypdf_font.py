"""Character codes to Unicode and widths, from the fonts as pypdf reads them."""

from __future__ import annotations

from typing import cast

from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject
from pypdf.generic._font import Font

from watcher.extract.cmaps import CodeMap, code_map, is_unicode_collection

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_NO_SPACE = 250.0
"""Width of a word space, in thousandths of the em, in a font without one. pypdf
takes the width of an unrelated glyph there, and words come out glued (its issue
3341); no composite font that was measured needs more than this."""
_WIDEST = 300.0
_HALF_WIDTH = 500.0
"""Width of a single-byte character of an East Asian set; widths are given by
glyph number, and which number that is only the set's own tables know."""
_REMEMBERED = 20_000


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
        self._codes: CodeMap | None = None
        self._is_unicode = False
        if resource.get("/Subtype") == "/Type0":
            encoding = resource.get("/Encoding")
            self._codes = code_map(encoding.get_object() if encoding is not None else None)
            self._is_unicode = is_unicode_collection(resource)
            self.vertical = self._codes.vertical
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
        if self._codes is not None:
            return self._read_composite(font, self._codes, codes)
        widths = font.character_widths
        default = widths.get("default", 500)
        mapped = font.character_map
        raw = [chr(code) for code in codes]
        encoding = font.encoding if isinstance(font.encoding, dict) else {}
        texts = [_named(encoding.get(code, chr(code))) for code in codes]
        width = sum(widths.get(char, default) for char in raw) * self._scale
        spaces = codes.count(b" ")
        if not font.interpretable:
            return _UNKNOWN * len(raw), width, len(raw), spaces
        return "".join(mapped.get(text, text) for text in texts), width, len(raw), spaces

    def _read_composite(
        self, font: Font, code_map: CodeMap, codes: bytes
    ) -> tuple[str, float, int, int]:
        """Read codes by their ToUnicode table, else by what their CMap says they are."""
        widths, mapped = font.character_widths, font.character_map
        default = widths.get("default", 1000)
        text, width = [], 0.0
        split = code_map.split(codes)
        for code in split:
            key = chr(min(int.from_bytes(code, "big"), 0x10FFFF))
            own = mapped.get(key)
            if own is None:
                own = code_map.character(code) or (key if self._is_unicode else _UNKNOWN)
            text.append(own)
            single = bool(code_map.codec) and len(code) == 1
            width += _HALF_WIDTH if single else widths.get(key, default)
        # Word spacing applies to single-byte codes 32 only (ISO 32000-2, 9.3.3).
        spaces = split.count(b" ")
        return "".join(text), width, len(split), spaces

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


def _glyph_scale(resource: DictionaryObject) -> float:
    """Return what turns a Type 3 font's widths into thousandths of the em."""
    try:
        matrix = resource["/FontMatrix"].get_object()
        return abs(float(matrix[0])) * 1000 or 1.0  # type: ignore[index]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, PyPdfError):
        return 1.0
