"""How many characters of a page nobody sees, asked of pdfium.

Hidden text is rare, so a page is asked as a whole first: its text objects for
how they paint and how large, its text for what of it is in the crop box. Characters
are asked one by one only where something was found, and then mostly which
object they are of: what is invisible or white is so as an object.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from watcher.extract.paint import TINY
from watcher.extract.text_state import Matrix, product

_INVISIBLE = frozenset([3, 7])
"""Text render modes that paint nothing."""
_NO_TEXT = -1
"""The render mode of what is no text object."""
_MARGIN = 2.0
_FAR = 1e9
_DEEPEST_FORM = 4
_WHITE = 250
_FILLED = 1
"""Fill modes from here on fill a path."""
_MOST_OBJECTS = 100_000
_MOST_AREAS = 20_000
_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Box = tuple[float, float, float, float]
_Object = int
"""The address of an object of pdfium's; it stays while the page is open."""


def _direct(function: object, result: type, *arguments: type) -> Callable[..., int]:
    """Return a function of pdfium's that takes and gives addresses as integers.

    The binding makes a Python object of every pointer, and a page has thousands.
    """
    address = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    return ctypes.CFUNCTYPE(result, *arguments)(address or 0)


_P, _I = ctypes.c_void_p, ctypes.c_int
_object_of_page = _direct(pdfium_c.FPDFPage_GetObject, _P, _P, _I)
_object_of_form = _direct(pdfium_c.FPDFFormObj_GetObject, _P, _P, ctypes.c_ulong)
_object_of_char = _direct(pdfium_c.FPDFText_GetTextObject, _P, _P, _I)
_objects_in_form = _direct(pdfium_c.FPDFFormObj_CountObjects, _I, _P)
_kind = _direct(pdfium_c.FPDFPageObj_GetType, _I, _P)
_mode = _direct(pdfium_c.FPDFTextObj_GetTextRenderMode, _I, _P)
_font_size = _direct(pdfium_c.FPDFTextObj_GetFontSize, _I, _P, _P)
_fill_colour = _direct(pdfium_c.FPDFPageObj_GetFillColor, _I, _P, _P, _P, _P, _P)
_matrix_of = _direct(pdfium_c.FPDFPageObj_GetMatrix, _I, _P, _P)
_bounds_of = _direct(pdfium_c.FPDFPageObj_GetBounds, _I, _P, _P, _P, _P, _P)
_draw_mode = _direct(pdfium_c.FPDFPath_GetDrawMode, _I, _P, _P, _P)
_char_box = _direct(pdfium_c.FPDFText_GetCharBox, _I, _P, _I, _P, _P, _P, _P)
_loose_box = _direct(pdfium_c.FPDFText_GetLooseCharBox, _I, _P, _I, _P)

# Where pdfium writes its answers: made once for all calls; a worker has one thread.
_RGBA = tuple(ctypes.c_uint() for _ in range(4))
_EDGES = tuple(ctypes.c_double() for _ in range(4))
_BOUNDS = tuple(ctypes.c_float() for _ in range(4))
_SIZE, _MATRIX, _LOOSE = ctypes.c_float(), pdfium_c.FS_MATRIX(), pdfium_c.FS_RECTF()
_TO_RGBA, _TO_EDGES, _TO_BOUNDS = (
    tuple(map(ctypes.addressof, slots)) for slots in (_RGBA, _EDGES, _BOUNDS)
)
_TO_SIZE, _TO_MATRIX, _TO_LOOSE = map(ctypes.addressof, (_SIZE, _MATRIX, _LOOSE))


@dataclass(slots=True)
class _Painted:
    """The text objects of a page that may be unseen, and areas of colour under white ones."""

    unseen: set[_Object] = field(default_factory=set)
    white: set[_Object] = field(default_factory=set)
    tiny: set[_Object] = field(default_factory=set)
    areas: list[Box] = field(default_factory=list)

    @property
    def is_odd(self) -> bool:
        """Whether any character has to be asked for its object."""
        return bool(self.unseen or self.white or self.tiny)


def hidden(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, chars: str) -> int:
    """Count the characters that are invisible, white on white, tiny or outside the crop box."""
    crop = page.get_cropbox()
    painted, outside = _painted(page), _is_any_outside(text_page, crop)
    odd = painted.is_odd
    if not (odd or outside):
        return 0
    raw, count = _address(text_page.raw), 0
    for index, char in enumerate(chars):
        if char.isspace():
            continue
        if odd and _is_unseen(raw, index, painted):
            count += 1
        elif outside:
            _char_box(raw, index, *_TO_EDGES)
            x0, x1, y0, y1 = _EDGES
            count += _is_off(crop, (x0.value, y0.value, x1.value, y1.value))
    return count


def _address(pointer: object) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def _is_off(crop: Box, box: Box) -> bool:
    left, bottom, right, top = crop
    x0, y0, x1, y1 = box
    return (
        x1 < left - _MARGIN or x0 > right + _MARGIN or y1 < bottom - _MARGIN or y0 > top + _MARGIN
    )


def _is_unseen(text_page: int, index: int, painted: _Painted) -> bool:
    item = _object_of_char(text_page, index)
    if item in painted.unseen:
        return True
    if not (item in painted.white or item in painted.tiny):
        return False
    if not _loose_box(text_page, index, _TO_LOOSE):
        return False
    x0, y0, x1, y1 = _LOOSE.left, _LOOSE.bottom, _LOOSE.right, _LOOSE.top
    if max(y1 - y0, x1 - x0) < TINY:
        return True
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return item in painted.white and not any(
        left <= x <= right and bottom <= y <= top for left, bottom, right, top in painted.areas
    )


def _is_any_outside(text_page: pdfium.PdfTextPage, crop: Box) -> bool:
    """Tell whether any character is wholly outside: the text within is shorter then."""
    left, bottom, right, top = crop
    near = left - _MARGIN, top + _MARGIN, right + _MARGIN, bottom - _MARGIN
    everywhere = -_FAR, _FAR, _FAR, -_FAR
    within, whole = (
        pdfium_c.FPDFText_GetBoundedText(text_page.raw, *area, None, 0)
        for area in (near, everywhere)
    )
    return bool(within != whole)


def _painted(page: pdfium.PdfPage) -> _Painted:
    """Look at the text objects; at the areas only where white text asks for them."""
    found = _Painted()
    raw, others = _address(page.raw), []
    waiting: list[tuple[_Object, Matrix, int]] = []
    for index in range(min(_MOST_OBJECTS, pdfium_c.FPDFPage_CountObjects(page.raw))):
        item = _object_of_page(raw, index)
        if not _is_text(item, found, _IDENTITY):
            waiting.append((item, _IDENTITY, 0))
    while waiting:
        item, matrix, depth = waiting.pop()
        if _is_text(item, found, matrix):
            continue
        if _kind(item) != pdfium_c.FPDF_PAGEOBJ_FORM:
            others.append((item, matrix))
        elif depth < _DEEPEST_FORM and len(waiting) < _MOST_OBJECTS:
            inner = product(_matrix(item), matrix)
            waiting += [
                (_object_of_form(item, index), inner, depth + 1)
                for index in range(_objects_in_form(item))
            ]
    for item, matrix in others[:_MOST_AREAS] if found.white else ():
        if _kind(item) != pdfium_c.FPDF_PAGEOBJ_PATH or _is_filled(item):
            found.areas.append(_bounds(item, matrix))
    return found


def _is_text(item: _Object, found: _Painted, matrix: Matrix) -> bool:
    """Tell whether it is a text object; take note of one that may be unseen."""
    mode = _mode(item)
    if mode == _NO_TEXT:
        return False
    if mode in _INVISIBLE:
        found.unseen.add(item)
    elif _fill_colour(item, *_TO_RGBA):
        red, green, blue, alpha = _RGBA
        if not alpha.value:
            found.unseen.add(item)
        elif red.value >= _WHITE and min(green.value, blue.value) >= _WHITE:
            found.white.add(item)
    if _is_tiny(item, matrix):
        found.tiny.add(item)
    return True


def _is_tiny(item: _Object, outer: Matrix) -> bool:
    """Tell whether the font size is tiny across the direction of writing.

    A rectangle does not tell: that of a full stop or a dash is as small.
    """
    if not (_font_size(item, _TO_SIZE) and _matrix_of(item, _TO_MATRIX)):
        return False
    size, c, d = _SIZE.value, _MATRIX.c, _MATRIX.d
    x, y = outer[0] * c + outer[2] * d, outer[1] * c + outer[3] * d
    return bool(size * size * (x * x + y * y) < TINY * TINY)


def _is_filled(item: _Object) -> bool:
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    if not _draw_mode(item, ctypes.addressof(mode), ctypes.addressof(stroke)):
        return False
    if mode.value < _FILLED:
        return False
    colour = _colour(item)
    return colour is None or (min(colour[:3]) < _WHITE and colour[3] > 0)


def _colour(item: _Object) -> tuple[int, int, int, int] | None:
    if not _fill_colour(item, *_TO_RGBA):
        return None
    red, green, blue, alpha = _RGBA
    return red.value, green.value, blue.value, alpha.value


def _bounds(item: _Object, matrix: Matrix) -> Box:
    _bounds_of(item, *_TO_BOUNDS)
    x0, y0, x1, y1 = (part.value for part in _BOUNDS)
    a, b, c, d, e, f = matrix
    corners = [(x, y) for x in (x0, x1) for y in (y0, y1)]
    xs = [a * x + c * y + e for x, y in corners]
    ys = [b * x + d * y + f for x, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _matrix(item: _Object) -> Matrix:
    if not _matrix_of(item, _TO_MATRIX):
        return _IDENTITY
    found = _MATRIX
    return found.a, found.b, found.c, found.d, found.e, found.f
