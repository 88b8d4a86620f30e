"""Characters of symbol fonts, which OOXML names by font and code."""

from __future__ import annotations

_LOW = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
    " αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)
"""The Symbol font from code 0x20."""
_HIGH = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…│─↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑"
"""The Symbol font from code 0xA1."""
_WINGDINGS = {
    0x6E: "■", 0x6F: "□", 0x71: "❑", 0x76: "❖", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←",
    0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_TABLES = {
    "symbol": dict(enumerate(_LOW, 0x20)) | dict(enumerate(_HIGH, 0xA1)),
    "wingdings": _WINGDINGS,
}


def symbol(font: str, code: str) -> str:
    """Return the character of a hexadecimal `code` in `font`.

    A code in the private area that no table knows stays as it is: it is what
    the document holds, and it shows where it changes.
    """
    try:
        number = int(code, 16)
        own = chr(number)
    except (ValueError, OverflowError):
        return "\N{REPLACEMENT CHARACTER}"
    table = _TABLES.get(font.strip().lower(), {})
    return table.get(number & 0xFF if 0xF000 <= number <= 0xF0FF else number, own)
