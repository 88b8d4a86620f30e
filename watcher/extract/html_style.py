"""What the style attribute of an element says of its text: seen or not, a block or not.

Only the attribute is read, no style sheet: what it hides is reported, never left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from watcher.extract.builder import LINE

_TINY_PIXELS = 2.0
_OFF_PIXELS = -900.0
_PIXELS = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "%": 0.16, "": 1.0}
_LENGTH = re.compile(r"([+-]?\d*\.?\d+)\s*([a-z%]*)")
_WHITE = re.compile(
    r"white\b|#fff(?:f?\b|fff(?:ff)?\b)|rgba?\(\s*255\s*,?\s*255\s*,?\s*255\b", re.IGNORECASE
)
_CLEAR = re.compile(r"transparent\b|rgba?\([^)]*[,/]\s*0*(?:\.0+)?\s*\)", re.IGNORECASE)
_INLINE = frozenset(["inline", "contents"])
_BLOCK = frozenset(["block", "flex", "grid", "table", "table-row", "list-item", "flow-root"])


def display(style: str, usual: int) -> int:
    """Return the line ends around an element: its usual ones, or what its style asks for."""
    if "display" not in style:
        return usual
    value = _declared(style).get("display", "")
    if value in _INLINE:
        return 0
    return max(usual, LINE) if value in _BLOCK else usual


def is_coloured(style: str, attributes: Mapping[str, str | None]) -> bool:
    """Tell whether an element has a background of its own that is not white."""
    given = attributes.get("bgcolor") or ""
    if "background" in style:
        declared = _declared(style)
        given = declared.get("background") or declared.get("background-color") or ""
        given = given or declared.get("background-image", "")
    return bool(given) and not (_WHITE.match(given) or _CLEAR.match(given))


def hides(style: str, *, on_colour: bool) -> bool:
    """Tell whether a style makes text that nobody sees; `on_colour`: white can be seen there."""
    if not style:
        return False
    declared = _declared(style)
    said = declared.get
    if (
        said("display") == "none"
        or said("visibility") in ("hidden", "collapse")
        or _pixels(said("opacity"), 1.0) == 0
        or _pixels(said("font-size"), 16.0) <= _TINY_PIXELS
    ):
        return True
    colour = said("color", "")
    if _CLEAR.match(colour) or (_WHITE.match(colour) and not on_colour):
        return True
    if said("position") in ("absolute", "fixed") and (
        min(_pixels(said("left"), 0.0), _pixels(said("top"), 0.0)) <= _OFF_PIXELS
        or re.match(r"rect\(\s*[01](?:px)?\s*,?\s*[01]", said("clip", "")) is not None
    ):
        return True
    closed = min(
        _pixels(said(name), 16.0) for name in ("height", "max-height", "width", "max-width")
    )
    return _pixels(said("text-indent"), 0.0) <= _OFF_PIXELS or (
        said("overflow") in ("hidden", "clip") and closed <= 0
    )


def _declared(style: str) -> dict[str, str]:
    found = {}
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            found[name.strip().lower()] = value.replace("!important", "").strip().lower()
    return found


def _pixels(value: str | None, otherwise: float) -> float:
    """Return a length in pixels, roughly; `otherwise` where there is none that can be read."""
    match = _LENGTH.fullmatch(value or "")
    if match is None or match[2] not in _PIXELS:
        return otherwise
    number = float(match[1])
    return number * _PIXELS[match[2]]
