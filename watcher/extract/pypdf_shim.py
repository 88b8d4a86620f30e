"""The one correction made to pypdf: how wide a space is in a font without one.

In a composite font with no glyph for the space character pypdf takes the width
of an unrelated glyph, or half of an average one, as the width of a space. It
needs a gap of half that width to see a word end, so words set with real gaps
come out glued (pypdf issue 3341). No space is wider than a quarter of the em
in such a font: that bound is all this shim adds.
"""

from __future__ import annotations

from functools import wraps
from typing import cast

from pypdf.generic import DictionaryObject
from pypdf.generic._font import Font

SHIM = "space-width/1"
"""Name and version; part of the rendition of every text that pypdf made."""

_WIDEST = 250.0
"""Thousandths of the em; what pypdf itself assumes where it knows nothing."""


def install() -> None:
    """Bound the space width of every font that pypdf reads from now on, once."""
    original = Font.from_font_resource.__func__  # type: ignore[attr-defined]
    if hasattr(original, "__wrapped__"):
        return

    @wraps(original)
    def bounded(cls: type[Font], pdf_font_dict: DictionaryObject) -> Font:
        font = cast("Font", original(cls, pdf_font_dict))
        if font.space_width > _WIDEST and not _has_space(font):
            font.space_width = _WIDEST
        return font

    Font.from_font_resource = classmethod(bounded)  # type: ignore[method-assign,assignment]


def _has_space(font: Font) -> bool:
    if " " in font.character_map.values():
        return True
    return isinstance(font.encoding, dict) and " " in font.encoding.values()
