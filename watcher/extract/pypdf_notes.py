"""What stands on a page beside its content stream: form values, free text, comments.

Both engines leave these out of a page's text, so they are read here for both
and stand at the end of their page, in the order of its annotations, a line or
more each. What a viewer paints (the appearance stream) counts; the value or the
contents are taken where they say the same, with better spaces, or where nothing
is painted. A box that can be ticked is written as its glyph and its name.
"""

from __future__ import annotations

from collections import Counter

from pypdf import PageObject
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, StreamObject

from watcher.domain.keys import KeyKind, fold
from watcher.domain.reading import Problem
from watcher.extract.content import Budget, TooLongError
from watcher.extract.names import names
from watcher.extract.pdf_model import PageText
from watcher.extract.pypdf_text import Fonts, read_form

NOTES = "1"
"""The version of these rules; part of the rendition."""

_SKIPPED = frozenset(f"/{name}" for name in names("Link Popup Movie Sound Screen 3D RichMedia"))
_UNSEEN_FLAGS = 2 | 32
"""Hidden, NoView (ISO 32000-2, 12.5.3)."""
_RADIO, _PUSH, _PASSWORD = 1 << 15, 1 << 16, 1 << 13
_MOST_NOTES = 20_000
"""On one page."""
_MOST_TOKENS = 500_000
_DEEPEST_FIELD = 32
_SQUARE, _ROUND = ("\u2610", "\u2612"), ("\u25cb", "\u25c9")
"""A box and a radio button, off and on."""


def add_notes(found: PageText, page: PageObject, fonts: Fonts) -> None:
    """Write what the page's annotations say after its text; damage costs one of them only."""
    listed = _resolved(page.get("/Annots"))
    if not isinstance(listed, ArrayObject):
        return
    lines = []
    seen = _Appearances(page, fonts)
    for item in listed[:_MOST_NOTES]:
        try:
            note = _dictionary(item)
            text = _said(note, seen).strip()
        except TooLongError:
            message = f"what its annotations paint has more than {_MOST_TOKENS} tokens"
            found.problem = found.problem or Problem("left_out", message)
            break
        except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if text:
            lines.append(text)
            flags = note.get("/F")
            if isinstance(flags, int) and flags & _UNSEEN_FLAGS:
                found.hidden += len("".join(text.split()))
    if lines:
        found.text = "\n".join([found.text.rstrip("\r\n"), *lines] if found.text.strip() else lines)


class _Appearances:
    """The texts of a page's appearance streams, each read once, within one budget."""

    def __init__(self, page: PageObject, fonts: Fonts) -> None:
        self._page = page
        self._fonts = fonts
        self._budget = Budget(_MOST_TOKENS)
        self._known: dict[int, tuple[StreamObject, str]] = {}

    def text(self, form: StreamObject) -> str:
        known = self._known.get(id(form))
        if known is None:
            text = read_form(form, self._page, self._fonts, self._budget)
            known = self._known[id(form)] = (form, text)
        return known[1]


def _said(note: DictionaryObject, seen: _Appearances) -> str:
    kind = note.get("/Subtype")
    if kind in _SKIPPED:
        return ""
    if kind != "/Widget":
        return _seen(note, seen, _text(note.get("/Contents")))
    field_kind, flags = _inherited(note, "/FT"), _inherited(note, "/Ff")
    bits = int(flags) if isinstance(flags, int) else 0
    if field_kind == "/Btn" and not bits & _PUSH:
        state = note.get("/AS", _inherited(note, "/V"))
        ticked = state is not None and str(state) != "/Off"
        name = _text(_inherited(note, "/TU")) or _text(_inherited(note, "/T"))
        off, on = _ROUND if bits & _RADIO else _SQUARE
        return f"{on if ticked else off} {name}"
    value = _text(_inherited(note, "/V")) if field_kind in ("/Tx", "/Ch") else ""
    return _seen(note, seen, "" if bits & _PASSWORD else value)


def _seen(note: DictionaryObject, seen: _Appearances, value: str) -> str:
    """Return what the note paints; `value` where that is the same ink, part of it, or nothing."""
    painted = ""
    appearance = _resolved(_dictionary(note.get("/AP")).get("/N"))
    if isinstance(appearance, DictionaryObject) and not isinstance(appearance, StreamObject):
        appearance = _resolved(appearance.get(str(note.get("/AS"))))
    if isinstance(appearance, StreamObject):
        painted = seen.text(appearance)
    ours, theirs = (Counter(fold(text, KeyKind.INK)) for text in (painted, value))
    return value if ours <= theirs else painted


def _inherited(field: DictionaryObject, name: str) -> object:
    """Return an entry of a field, its own or the nearest parent's."""
    at: object = field
    for _ in range(_DEEPEST_FIELD):
        if not isinstance(at, DictionaryObject):
            break
        if name in at:
            return _resolved(at.get(name))
        at = _resolved(at.get("/Parent"))
    return None


def _text(value: object) -> str:
    value = _resolved(value)
    if isinstance(value, ArrayObject):
        return "\n".join(filter(None, (_text(item) for item in value[:_MOST_NOTES])))
    if isinstance(value, StreamObject):
        return value.get_data().decode("latin-1")
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value.removeprefix("/") if isinstance(value, str) else ""


def _dictionary(value: object) -> DictionaryObject:
    found = _resolved(value)
    return found if isinstance(found, DictionaryObject) else DictionaryObject()


def _resolved(value: object) -> object:
    return value.get_object() if hasattr(value, "get_object") else value
