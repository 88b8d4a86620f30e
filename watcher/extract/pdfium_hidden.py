"""How many characters of a page nobody sees, asked of pdfium.

Hidden text is rare, so a page is asked as a whole first: its objects for what
they paint and how, its few text rectangles for their place. Characters are
asked one by one only where something was found.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from watcher.extract.paint import TINY
from watcher.extract.text_state import Matrix, product

_INVISIBLE = frozenset([3, 7])
"""Text render modes that paint nothing."""
_MARGIN = 2.0
_DEEPEST_FORM = 4
_WHITE = 250
_FILLED = 1
"""Fill modes from here on fill a path."""
_MOST_OBJECTS = 100_000
_MOST_AREAS = 20_000

Box = tuple[float, float, float, float]


@dataclass(slots=True)
class _Painted:
    """What the objects of a page are: whether any text may be unseen, and areas of colour."""

    unseen: bool = False
    white: bool = False
    areas: list[Box] = field(default_factory=list)


def hidden(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, chars: str) -> int:
    """Count the characters that are invisible, white on white, tiny or outside the crop box."""
    painted = _painted(page)
    outside, tiny = _odd_places(page, text_page)
    painted.unseen = painted.unseen or tiny
    if not (outside or painted.unseen or painted.white):
        return 0
    crop = page.get_cropbox()
    box = [ctypes.c_double() for _ in range(4)]
    pointers = [ctypes.byref(value) for value in box]
    count = 0
    for index, char in enumerate(chars):
        if char.isspace():
            continue
        if (painted.unseen or painted.white) and _is_unseen(text_page, index, painted):
            count += 1
            continue
        pdfium_c.FPDFText_GetCharBox(text_page.raw, index, *pointers)
        x0, x1, y0, y1 = (value.value for value in box)
        count += _is_off(crop, (x0, y0, x1, y1))
    return count


def _is_off(crop: Box, box: Box) -> bool:
    left, bottom, right, top = crop
    x0, y0, x1, y1 = box
    return (
        x1 < left - _MARGIN or x0 > right + _MARGIN or y1 < bottom - _MARGIN or y0 > top + _MARGIN
    )


def _is_unseen(text_page: pdfium.PdfTextPage, index: int, painted: _Painted) -> bool:
    item = pdfium_c.FPDFText_GetTextObject(text_page.raw, index)
    if item and pdfium_c.FPDFTextObj_GetTextRenderMode(item) in _INVISIBLE:
        return True
    loose = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFText_GetLooseCharBox(text_page.raw, index, loose):
        return False
    if max(loose.top - loose.bottom, loose.right - loose.left) < TINY:
        return True
    red, green, blue, alpha = (_colour(item) if item else None) or (0, 0, 0, 255)
    if alpha == 0 or min(red, green, blue) < _WHITE:
        return alpha == 0
    x, y = (loose.left + loose.right) / 2, (loose.bottom + loose.top) / 2
    return not any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in painted.areas)


def _odd_places(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage) -> tuple[bool, bool]:
    """Tell whether any text is outside the crop box, and whether any is tiny."""
    left, bottom, right, top = page.get_cropbox()
    box = [ctypes.c_double() for _ in range(4)]
    x0, y1, x1, y0 = box
    pointers = [ctypes.byref(value) for value in box]
    outside = tiny = False
    for index in range(text_page.count_rects()):
        pdfium_c.FPDFText_GetRect(text_page.raw, index, *pointers)
        tiny = tiny or min(x1.value - x0.value, y1.value - y0.value) < TINY
        outside = outside or (
            x0.value < left - _MARGIN
            or x1.value > right + _MARGIN
            or y0.value < bottom - _MARGIN
            or y1.value > top + _MARGIN
        )
    return outside, tiny


def _painted(page: pdfium.PdfPage) -> _Painted:
    """Look at the text objects; at the areas only where white text asks for them."""
    raw, found = page.raw, _Painted()
    others = []
    identity: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    waiting = [
        (pdfium_c.FPDFPage_GetObject(raw, index), identity, 0)
        for index in range(min(_MOST_OBJECTS, pdfium_c.FPDFPage_CountObjects(raw)))
    ]
    while waiting:
        item, matrix, depth = waiting.pop()
        kind = pdfium_c.FPDFPageObj_GetType(item)
        if kind == pdfium_c.FPDF_PAGEOBJ_TEXT:
            _look_at_text(item, found)
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM:
            if depth < _DEEPEST_FORM and len(waiting) < _MOST_OBJECTS:
                inner = product(_matrix(item), matrix)
                waiting += [
                    (pdfium_c.FPDFFormObj_GetObject(item, index), inner, depth + 1)
                    for index in range(pdfium_c.FPDFFormObj_CountObjects(item))
                ]
        else:
            others.append((item, matrix, kind))
    for item, matrix, kind in others[:_MOST_AREAS] if found.white else ():
        if kind != pdfium_c.FPDF_PAGEOBJ_PATH or _is_filled(item):
            found.areas.append(_bounds(item, matrix))
    return found


def _look_at_text(item: pdfium_c.FPDF_PAGEOBJECT, found: _Painted) -> None:
    if pdfium_c.FPDFTextObj_GetTextRenderMode(item) in _INVISIBLE:
        found.unseen = True
    colour = _colour(item)
    if colour is not None:
        found.unseen = found.unseen or colour[3] == 0
        found.white = found.white or min(colour[:3]) >= _WHITE


def _is_filled(item: pdfium_c.FPDF_PAGEOBJECT) -> bool:
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium_c.FPDFPath_GetDrawMode(item, ctypes.byref(mode), ctypes.byref(stroke)):
        return False
    if mode.value < _FILLED:
        return False
    colour = _colour(item)
    return colour is None or (min(colour[:3]) < _WHITE and colour[3] > 0)


def _colour(item: pdfium_c.FPDF_PAGEOBJECT) -> tuple[int, int, int, int] | None:
    if not pdfium_c.FPDFPageObj_GetFillColor(item, *_POINTERS):
        return None
    red, green, blue, alpha = _PARTS
    return red.value, green.value, blue.value, alpha.value


_PARTS = tuple(ctypes.c_uint() for _ in range(4))
_POINTERS = tuple(map(ctypes.byref, _PARTS))
"""Where pdfium writes a colour: made once, since a page has thousands; a worker has one thread."""


def _bounds(item: pdfium_c.FPDF_PAGEOBJECT, matrix: Matrix) -> Box:
    parts = [ctypes.c_float() for _ in range(4)]
    pdfium_c.FPDFPageObj_GetBounds(item, *map(ctypes.byref, parts))
    x0, y0, x1, y1 = (part.value for part in parts)
    a, b, c, d, e, f = matrix
    corners = [(x, y) for x in (x0, x1) for y in (y0, y1)]
    xs = [a * x + c * y + e for x, y in corners]
    ys = [b * x + d * y + f for x, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _matrix(item: pdfium_c.FPDF_PAGEOBJECT) -> Matrix:
    found = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(item, ctypes.byref(found)):
        return 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
    return found.a, found.b, found.c, found.d, found.e, found.f
