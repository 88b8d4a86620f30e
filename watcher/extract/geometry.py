"""Where a passage stands on its PDF pages, and a picture of it.

pdfium knows the box of each of its characters. A text that pdfium made maps to
them one to one; a text that pypdf made maps by its ink, the characters without
white space, which both engines read alike. Runs pdfium: for workers only.
"""

from __future__ import annotations

import ctypes
import re
import struct
import zlib
from array import array
from collections.abc import Callable, Iterable

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from rapidfuzz.distance import Indel

from watcher.domain.keys import Key, KeyKind, make_key
from watcher.domain.ranges import Range
from watcher.domain.text import CanonicalText
from watcher.extract.canon import one_to_one
from watcher.extract.pdfium_engine import (
    characters,
    hyphens_at_line_ends,
    open_document,
    paired,
)
from watcher.extract.rects import PageBoxes, Place, place

Box = tuple[float, float, float, float]

_FINE = 100
"""pdfium gives device coordinates as integers: this many to the point."""
_FAR = 10_000.0
"""Points to the points that tell a page's map."""
_POINTS = 72
"""To the inch."""
_MOST_PIXELS = 20_000_000
_MOST_INK = 40_000
"""On one page; beyond it an inexact alignment would cost too much."""
_PAPER = bytes(value * 3 // 5 for value in range(256))


class Geometry:
    """The boxes of one file for one of its texts; each page is mapped once, when asked for.

    Raises:
        EncryptedError, BrokenError: pdfium cannot open the file.
    """

    def __init__(self, data: bytes, text: CanonicalText) -> None:
        self._document = open_document(data)
        self._text = text
        self._pages: dict[int, PageBoxes] = {}

    def close(self) -> None:
        """Give the file back."""
        self._document.close()

    def place(self, ranges: Iterable[tuple[int, int]]) -> Place:
        """Return where the byte ranges stand, in their order, line by line."""
        return place(self._text, ranges, self.boxes)

    def boxes(self, number: int) -> PageBoxes | None:
        """Return the boxes of page `number` (from 1), None where the file has no such page."""
        if number > len(self._document):
            return None
        known = self._pages.get(number)
        if known is None:
            bounds = self._text.pages[number - 1]
            known = _boxes(self._document[number - 1], number, bounds, self._text.data)
            self._pages[number] = known
        return known

    def picture(self, number: int, ranges: Iterable[tuple[int, int]], dpi: int) -> bytes:
        """Return a PNG of page `number` (from 1) with the byte ranges marked.

        Without ranges it is grey. A page too large for `dpi` is drawn smaller.
        """
        marked = tuple(ranges)
        shown = [rect for rect in self.place(marked).rects if rect.page == number]
        page = self._document[number - 1]
        width, height = page.get_size()
        scale = min(dpi / _POINTS, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
        bitmap = page.render(scale=scale, rev_byteorder=True, grayscale=not marked)
        width, height, stride = bitmap.width, bitmap.height, bitmap.stride
        channels = bitmap.n_channels
        pixels = bytearray(bitmap.buffer)
        for rect in shown:
            left, right = (max(0, min(width, round(x * scale))) for x in (rect.x0, rect.x1))
            top, bottom = (max(0, min(height, round(y * scale))) for y in (rect.y0, rect.y1))
            for row in range(top, bottom):
                blue = slice(
                    row * stride + left * channels + 2, row * stride + right * channels, channels
                )
                pixels[blue] = pixels[blue].translate(_PAPER)
        rows = [pixels[row * stride : row * stride + width * channels] for row in range(height)]
        return _png(rows, width, channels)


def _boxes(page: pdfium.PdfPage, number: int, bounds: Range, data: bytes) -> PageBoxes:
    """Map one page: from its part of the text to pdfium's characters and their boxes."""
    text_page = page.get_textpage()
    try:
        chars = _scalars(characters(text_page))
        ours = make_key(data[bounds.start : bounds.end], KeyKind.INK)
        theirs = make_key(chars.encode(), KeyKind.INK)
        indexes = _aligned(ours, theirs, _offsets(chars))
        to_device = _device(page)
        boxes = array("f")
        loose = pdfium_c.FS_RECTF()
        for index in indexes:
            if index < 0 or not pdfium_c.FPDFText_GetLooseCharBox(text_page.raw, index, loose):
                boxes.extend(_NO_BOX)
            else:
                boxes.extend(to_device(loose.left, loose.bottom, loose.right, loose.top))
        return PageBoxes(number, array("I", (bounds.start + at for at in ours.starts)), boxes)
    finally:
        text_page.close()
        page.close()


_NO_BOX = (float("nan"),) * 4


def _device(page: pdfium.PdfPage) -> Callable[[float, float, float, float], Box]:
    """Return what turns a box of the page's own space into one of the page as it is shown.

    pdfium knows crop box and rotation; three points tell the whole map, since it is affine.
    """
    width, height = page.get_size()
    size = round(width * _FINE), round(height * _FINE)

    def shown(x: float, y: float) -> tuple[float, float]:
        device_x, device_y = ctypes.c_int(), ctypes.c_int()
        pdfium_c.FPDF_PageToDevice(page.raw, 0, 0, *size, 0, x, y, device_x, device_y)
        return device_x.value / _FINE, device_y.value / _FINE

    (e, f), (ax, ay), (bx, by) = shown(0, 0), shown(_FAR, 0), shown(0, _FAR)
    a, b, c, d = (ax - e) / _FAR, (ay - f) / _FAR, (bx - e) / _FAR, (by - f) / _FAR

    def box(left: float, bottom: float, right: float, top: float) -> Box:
        x0, y0 = a * left + c * bottom + e, b * left + d * bottom + f
        x1, y1 = a * right + c * top + e, b * right + d * top + f
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    return box


def _scalars(chars: str) -> str:
    """Return as many characters as pdfium has, each as the canonical text writes it.

    The second half of a surrogate pair is a space: its ink is the first one's.
    """
    text = hyphens_at_line_ends(chars)
    if _PAIR.search(text) is not None:
        text = _PAIR.sub(lambda pair: paired(pair[0]) + " ", text)
    return one_to_one(text)


_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _offsets(text: str) -> dict[int, int]:
    """Return the character index at each byte offset that begins one."""
    offsets, position = {}, 0
    for index, char in enumerate(text):
        offsets[position] = index
        position += len(char.encode())
    return offsets


def _aligned(ours: Key, theirs: Key, index_at: dict[int, int]) -> list[int]:
    """Return pdfium's index for each character of `ours`, -1 where it has none."""
    indexes = [index_at[start] for start in theirs.starts]
    if ours.text == theirs.text:
        return indexes
    found = [-1] * len(ours.text)
    if len(ours.text) > _MOST_INK or len(theirs.text) > _MOST_INK:
        return found
    for block in Indel.opcodes(ours.text, theirs.text).as_matching_blocks():
        for step in range(block.size):
            found[block.a + step] = indexes[block.b + step]
    return found


def _png(rows: list[bytearray], width: int, channels: int) -> bytes:
    """Encode rows of pixels (ISO/IEC 15948): grey, RGB or RGBA by the number of channels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)

    colour = {1: 0, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", width, len(rows), 8, colour, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 6)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )
