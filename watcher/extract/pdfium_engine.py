"""pdfium: text with the place of every character. Never imported by the daemon's process.

Its C++ aborts on hostile files, so it lives in workers only. A character's index
is that of its box; where the text of the whole page has drifted from that
(pypdfium2 issue 261) the characters are asked for one by one.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from importlib.metadata import version

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from watcher.domain.reading import Problem
from watcher.extract.pdf_model import BrokenError, EncryptedError, PageText
from watcher.extract.pdfium_hidden import hidden

VERSIONS = (
    ("pdfium", str(pdfium.PDFIUM_INFO.build)),
    ("pypdfium2", version("pypdfium2")),
)

_SPARSE = 20
_MOST_CHARACTERS = 2_000_000
"""On one page; a text bomb has more."""
_MOST_PAGES = 20_000
_SAMPLE = 200
"""Characters of a page that are asked whether a table says what they are."""
_HYPHENS = str.maketrans({"\ufffe": "-", "\x02": "-"})
"""How pdfium writes a hyphen that ends a line; it puts no line end after it."""
_HALVES = re.compile("[\ud800-\udfff]")


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


def characters(text_page: pdfium.PdfTextPage) -> str:
    """Return the characters of a page by their pdfium index; a surrogate half may stand alone.

    The whole text in one call is right where it has as many characters as the
    page: then its indexes have not drifted.
    """
    raw, count = text_page.raw, text_page.count_chars()
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium_c.FPDFText_GetText(raw, 0, count, buffer)
    if written == count + 1:
        whole = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass")
        if len(whole) == count:
            return whole
    read = pdfium_c.FPDFText_GetUnicode
    return "".join([chr(read(raw, index)) for index in range(count)])


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
        found = PageText(paired(hyphens_at_line_ends(chars)))
        found.hidden = hidden(page, text_page, chars)
        found.guessed = _guessed(text_page, len(chars))
        if len("".join(found.text.split())) < _SPARSE:
            found.image_share, found.paths = _drawn(page)
        return found
    finally:
        text_page.close()


def _guessed(text_page: pdfium.PdfTextPage, count: int) -> int:
    """Estimate how many characters have no Unicode mapping, from a regular sample."""
    step = max(1, count // _SAMPLE)
    asked = range(0, count, step)
    failing = pdfium_c.FPDFText_HasUnicodeMapError
    return step * sum(1 for index in asked if failing(text_page.raw, index) == 1)


def hyphens_at_line_ends(text: str) -> str:
    """Return `text` with pdfium's two marks for a hyphen at a line end as `-`."""
    return text.translate(_HYPHENS)


def paired(text: str) -> str:
    """Return `text` with surrogate halves that stand side by side made one character."""
    if _HALVES.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


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
