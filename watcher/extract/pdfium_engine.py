"""pdfium: text with the place of every character. Never imported by the daemon's process.

Its C++ aborts on hostile files, so it lives in workers only. Text is built from
`FPDFText_GetUnicode` per character, not from `FPDFText_GetText`: the latter's
indexes drift from those of the character boxes (pypdfium2 issue 261).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from importlib.metadata import version

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from watcher.domain.reading import Problem
from watcher.extract.pdf_model import BrokenError, EncryptedError, PageText

VERSIONS = (
    ("pdfium", str(pdfium.PDFIUM_INFO.build)),
    ("pypdfium2", version("pypdfium2")),
)

_SPARSE = 20
_MOST_CHARACTERS = 2_000_000
"""On one page; a text bomb has more."""
_MOST_PAGES = 20_000
_INVISIBLE = 3
_MARGIN = 2.0


def pages(data: bytes) -> Iterator[PageText]:
    """Yield every page of the file.

    Raises:
        EncryptedError: it needs a password.
        BrokenError: it cannot be opened or has no page.
    """
    document = open_document(data)
    try:
        for number in range(len(document)):
            yield _page(document, number)
    finally:
        document.close()


def open_document(data: bytes) -> pdfium.PdfDocument:
    """Return the open file (errors as in `pages`)."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium_c.FPDF_ERR_PASSWORD:
            raise EncryptedError from error
        raise BrokenError(str(error)) from error
    if not 0 < len(document) <= _MOST_PAGES:
        count = len(document)
        document.close()
        raise BrokenError(f"it has {count} pages")
    return document


def characters(text_page: pdfium.PdfTextPage) -> list[str]:
    """Return the characters of a page by their pdfium index; a surrogate half may stand alone."""
    read = pdfium_c.FPDFText_GetUnicode
    raw = text_page.raw
    return [chr(read(raw, index)) for index in range(text_page.count_chars())]


def _page(document: pdfium.PdfDocument, number: int) -> PageText:
    try:
        page = document[number]
        try:
            return _read(page, number)
        finally:
            page.close()
    except pdfium.PdfiumError as error:
        return PageText(problem=Problem("page_broken", str(error), number + 1))


def _read(page: pdfium.PdfPage, number: int) -> PageText:
    text_page = page.get_textpage()
    try:
        if text_page.count_chars() > _MOST_CHARACTERS:
            message = f"the page has more than {_MOST_CHARACTERS} characters"
            return PageText(problem=Problem("limit", message, number + 1))
        chars = characters(text_page)
        found = PageText(paired("".join(chars)))
        found.hidden = _hidden(page, text_page, chars)
        if len("".join(found.text.split())) < _SPARSE:
            found.image_share, found.paths = _drawn(page)
        return found
    finally:
        text_page.close()


def paired(text: str) -> str:
    """Return `text` with surrogate halves that stand side by side made one character."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _hidden(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, chars: list[str]) -> int:
    """Count the characters that are painted invisibly or outside the crop box."""
    left, bottom, right, top = page.get_cropbox()
    box = [ctypes.c_double() for _ in range(4)]
    pointers = [ctypes.byref(value) for value in box]
    hidden = 0
    for index, char in enumerate(chars):
        if char.isspace():
            continue
        target = pdfium_c.FPDFText_GetTextObject(text_page.raw, index)
        if target and pdfium_c.FPDFTextObj_GetTextRenderMode(target) == _INVISIBLE:
            hidden += 1
            continue
        pdfium_c.FPDFText_GetCharBox(text_page.raw, index, *pointers)
        x0, x1, y0, y1 = (value.value for value in box)
        if (
            x1 < left - _MARGIN
            or x0 > right + _MARGIN
            or y1 < bottom - _MARGIN
            or y0 > top + _MARGIN
        ):
            hidden += 1
    return hidden


def _drawn(page: pdfium.PdfPage) -> tuple[float, int]:
    """Return the share of the page under images and the number of drawn paths."""
    width, height = page.get_size()
    area, paths = 0.0, 0
    for item in page.get_objects(max_depth=4):
        if item.type == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            x0, y0, x1, y1 = item.get_bounds()
            area += max(0.0, x1 - x0) * max(0.0, y1 - y0)
        elif item.type == pdfium_c.FPDF_PAGEOBJ_PATH:
            paths += max(1, pdfium_c.FPDFPath_CountSegments(item.raw))
    return min(1.0, area / max(1.0, width * height)), paths
