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
from collections.abc import Iterable

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
from watcher.extract.rects import Place, Rect

_FINE = 100
"""pdfium gives device coordinates as integers: this many to the point."""
_SAME_LINE = 0.5
"""Boxes that share this part of the lower one's height stand on one line."""
_WORD_GAP = 1.5
"""Boxes further apart than this many heights are two rectangles (columns)."""
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
        self._pages: dict[int, _PageMap] = {}

    def close(self) -> None:
        """Give the file back."""
        for page in self._pages.values():
            page.close()
        self._document.close()

    def place(self, ranges: Iterable[tuple[int, int]]) -> Place:
        """Return where the byte ranges stand, in their order, line by line."""
        rects: list[Rect] = []
        ink = covered = 0
        for start, end in ranges:
            for part in self._text.split_at_pages(start, end):
                number = self._text.page_of(part.start)
                if number > len(self._document):
                    continue
                page = self._page(number)
                found, wanted = page.indexes(part)
                ink, covered = ink + wanted, covered + len(found)
                rects += page.rects(found)
        return Place(tuple(rects), covered / ink if ink else 0.0)

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

    def _page(self, number: int) -> _PageMap:
        known = self._pages.get(number)
        if known is None:
            bounds = self._text.pages[number - 1]
            known = _PageMap(self._document[number - 1], number, bounds, self._text.data)
            self._pages[number] = known
        return known


class _PageMap:
    """One page: from its part of the text to pdfium's character indexes and boxes."""

    def __init__(self, page: pdfium.PdfPage, number: int, bounds: Range, data: bytes) -> None:
        self._page = page
        self._number = number
        self._bounds = bounds
        self._text_page = page.get_textpage()
        chars = _scalars(characters(self._text_page))
        self._ours = make_key(data[bounds.start : bounds.end], KeyKind.INK)
        theirs = make_key(chars.encode(), KeyKind.INK)
        self._index = _aligned(self._ours, theirs, _offsets(chars))
        width, height = page.get_size()
        self._size = round(width * _FINE), round(height * _FINE)

    def close(self) -> None:
        self._text_page.close()
        self._page.close()

    def indexes(self, part: Range) -> tuple[list[int], int]:
        """Return pdfium's indexes of the ink in `part`, and how much ink it has."""
        first, last = self._ours.from_source(
            part.start - self._bounds.start, part.end - self._bounds.start
        )
        found = [self._index[at] for at in range(first, last)]
        return [index for index in found if index >= 0], last - first

    def rects(self, indexes: list[int]) -> list[Rect]:
        """Return one rectangle for each line that the characters stand on."""
        merged: list[list[float]] = []
        for index in indexes:
            box = self._box(index)
            if box is None:
                continue
            if merged and _joins(merged[-1], box):
                last = merged[-1]
                last[0], last[1] = min(last[0], box[0]), min(last[1], box[1])
                last[2], last[3] = max(last[2], box[2]), max(last[3], box[3])
            else:
                merged.append(list(box))
        return [Rect(self._number, *box) for box in merged]

    def _box(self, index: int) -> tuple[float, float, float, float] | None:
        loose = pdfium_c.FS_RECTF()
        if not pdfium_c.FPDFText_GetLooseCharBox(self._text_page.raw, index, loose):
            return None
        xs, ys = [], []
        for x, y in ((loose.left, loose.bottom), (loose.right, loose.top)):
            device_x, device_y = ctypes.c_int(), ctypes.c_int()
            pdfium_c.FPDF_PageToDevice(
                self._page.raw, 0, 0, *self._size, 0, x, y, device_x, device_y
            )
            xs.append(device_x.value / _FINE)
            ys.append(device_y.value / _FINE)
        return min(xs), min(ys), max(xs), max(ys)


def _joins(last: list[float], box: tuple[float, float, float, float]) -> bool:
    """Tell whether `box` continues the line of `last`, across or (on turned pages) down."""
    for low, high in ((1, 3), (0, 2)):
        shared = min(last[high], box[high]) - max(last[low], box[low])
        least = min(last[high] - last[low], box[high] - box[low])
        along = 1 - low
        gap = max(box[along] - last[along + 2], last[along] - box[along + 2])
        if shared > _SAME_LINE * least and gap <= _WORD_GAP * max(least, 1.0):
            return True
    return False


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
