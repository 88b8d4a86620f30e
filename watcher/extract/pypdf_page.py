"""Watches pypdf read one page: what of its text can be seen, and what is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from pypdf import PageObject
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, StreamObject

from watcher.extract.pdf_model import PageText

_SPARSE = 20
"""Fewer characters than this and a page is looked at as a picture."""
_INVISIBLE = frozenset([3, 7])
"""Text render modes that paint nothing."""
_MARGIN = 2.0
"""Points by which a run must begin outside the crop box to be out of sight."""
_SHOWING = frozenset([b"Tj", b"TJ", b"'", b'"'])
_PATHS = frozenset([b"l", b"c", b"v", b"y", b"re"])
_MOST_XOBJECTS = 2_000


class PageProbe:
    """Two visitors for one page; `result` gives the page's record."""

    def __init__(self, page: PageObject, hidden_layers: frozenset[int]) -> None:
        self._page = page
        box = page.cropbox
        self._left, self._right = sorted((float(box.left), float(box.right)))
        self._bottom, self._top = sorted((float(box.bottom), float(box.top)))
        self._off = _properties(page, hidden_layers) if hidden_layers else frozenset()
        self._mode = 0
        self._modes: list[int] = []
        self._marked: list[bool] = []
        self._unseen = False
        self._hidden = 0
        self._paths = 0
        self._drawn: list[tuple[str, float]] = []

    def on_operator(self, operator: bytes, operands: Any, cm: Any, _tm: Any) -> None:  # noqa: ANN401
        """Follow the operators that decide what is seen."""
        if operator in _SHOWING:
            if self._mode in _INVISIBLE or (self._off and any(self._marked)):
                self._unseen = True
        elif operator in _PATHS:
            self._paths += 1
        elif operator == b"Tr":
            self._mode = int(operands[0]) if operands and _is_number(operands[0]) else 0
        elif operator == b"q":
            self._modes.append(self._mode)
        elif operator == b"Q":
            self._mode = self._modes.pop() if self._modes else 0
        elif operator == b"Do" and operands:
            self._drawn.append((str(operands[0]), _area(cm)))
        elif operator == b"INLINE IMAGE":
            self._drawn.append(("", _area(cm)))
        elif operator in (b"BDC", b"BMC"):
            self._marked.append(
                len(operands) > 1 and operands[0] == "/OC" and str(operands[1]) in self._off
            )
        elif operator == b"EMC" and self._marked:
            self._marked.pop()

    def on_text(self, text: str, cm: Sequence[float], tm: Sequence[float], *_: object) -> None:
        """Count the characters of a run that begins out of sight or is painted invisibly."""
        if not text or text.isspace():
            return
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        inside = (
            self._left - _MARGIN <= x <= self._right + _MARGIN
            and self._bottom - _MARGIN <= y <= self._top + _MARGIN
        )
        if self._unseen or not inside:
            self._hidden += len("".join(text.split()))
        self._unseen = False

    def result(self, text: str) -> PageText:
        """Return the record of the page whose extracted text is `text`."""
        found = PageText(text, hidden=self._hidden, paths=self._paths)
        if self._drawn and len("".join(text.split())) < _SPARSE:
            found.image_share = self._image_share()
        return found

    def _image_share(self) -> float:
        images = {name for name, item in _xobjects(self._page) if item.get("/Subtype") == "/Image"}
        area = max(1.0, (self._right - self._left) * (self._top - self._bottom))
        covered = sum(size for name, size in self._drawn if not name or name in images)
        return min(1.0, covered / area)


def _area(cm: Sequence[float]) -> float:
    """Return the area in square points that an image painted under `cm` covers."""
    return abs(cm[0] * cm[3] - cm[1] * cm[2])


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _resources(item: DictionaryObject) -> DictionaryObject | None:
    resources = item.get("/Resources")
    resolved = resources.get_object() if resources is not None else None
    return resolved if isinstance(resolved, DictionaryObject) else None


def _xobjects(page: PageObject) -> Iterator[tuple[str, StreamObject]]:
    """Yield the XObjects that a page can paint, also through forms."""
    waiting: list[DictionaryObject] = [page]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_XOBJECTS:
        resources = _resources(waiting.pop())
        try:
            listed = resources["/XObject"].get_object() if resources else {}
        except (KeyError, PyPdfError, AttributeError):
            continue
        if not isinstance(listed, DictionaryObject):
            continue
        for name in listed:
            item = listed[name].get_object()
            if isinstance(item, StreamObject) and id(item) not in seen:
                seen.add(id(item))
                yield str(name), item
                if item.get("/Subtype") == "/Form":
                    waiting.append(item)


def _properties(page: PageObject, hidden_layers: frozenset[int]) -> frozenset[str]:
    """Return the names under which the page refers to layers that are off."""
    resources = _resources(page)
    try:
        listed = cast("DictionaryObject", resources["/Properties"].get_object() if resources else {})
        return frozenset(
            str(name)
            for name in listed
            if getattr(listed.raw_get(name), "idnum", None) in hidden_layers
        )
    except (KeyError, PyPdfError, AttributeError):
        return frozenset()
