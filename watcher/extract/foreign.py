"""Formats that are refused: told by their first bytes, each with its name and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A format that is refused: its name and what to do instead."""

    name: str
    fix: str


_SAVE_AS = "save it as DOCX or PDF and watch that"
_SHEET = "export the sheet as HTML or PDF"
_SLIDES = "export it as PDF"
_PAGE = "watch the page itself, or save it as HTML"
_UNPACK = "unpack it first"
_PICTURE = "publish or watch the text, not a picture of it"
_SCAN = "make a PDF of it and switch ocr on, or publish the text"
_BOOK = "watch the HTML or PDF it was made of"

_SIGNATURES: tuple[tuple[re.Pattern[bytes], Foreign], ...] = tuple(
    (re.compile(pattern, re.DOTALL), Foreign(name, fix))
    for pattern, name, fix in (
        (rb"\s*\{\\rtf", "RTF", _SAVE_AS),
        (rb"\x89PNG", "a PNG image", _PICTURE),
        (rb"\xff\xd8\xff", "a JPEG image", _PICTURE),
        (rb"GIF8", "a GIF image", _PICTURE),
        (rb"RIFF....WEBP", "a WebP image", _PICTURE),
        (rb"....ftyp(heic|heix|mif1|avif)", "a HEIF image", _PICTURE),
        (rb"....ftyp", "a video", _PICTURE),
        (rb"II\*\x00|MM\x00\*", "a TIFF image", _SCAN),
        (rb"AT&TFORM", "DjVu", _SCAN),
        (rb"\x1f\x8b", "gzip", _UNPACK),
        (rb"BZh[1-9]1AY", "bzip2", _UNPACK),
        (rb"\xfd7zXZ", "xz", _UNPACK),
        (rb"\x28\xb5\x2f\xfd", "Zstandard", _UNPACK),
        (rb"7z\xbc\xaf\x27\x1c", "7-Zip", _UNPACK),
        (rb"Rar!\x1a\x07", "RAR", _UNPACK),
        (rb".{257}ustar", "a tar archive", _UNPACK),
        (rb"PK\x05\x06", "an empty ZIP archive", "check the URL"),
        (rb"%!PS(?!-Adobe-\d+\.\d+ PDF)", "PostScript", "convert it to PDF and watch that"),
        (rb"\x7fELF|MZ.{58}\x00", "a program", "check the URL"),
        (rb"\xffWPC", "WordPerfect", _SAVE_AS),
        (rb".{60}(BOOKMOBI|TEXtREAd)", "a Kindle book", _BOOK),
        (rb"bplist0", "a Safari web archive", _PAGE),
        ((rb"(?:[A-Za-z-]+: [^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){1,20}?"
         rb"Content-Type: multipart/related"), "a saved web page (MHTML)", _PAGE),
        (rb"\s*(?:<\?xml.{0,200}?\?>\s*)?<office:document\b", "flat OpenDocument", _SAVE_AS),
        (rb"\s*\{\s*\"url\":\s*\"https://docs\.google\.com/", "a shortcut to a Google document",
         "publish it to the web and watch that address"),
    )
)  # fmt: skip
_STREAMS = (
    ("WordDocument", Foreign("Word 97-2003 (.doc)", _SAVE_AS)),
    ("Workbook", Foreign("Excel 97-2003 (.xls)", _SHEET)),
    ("PowerPoint Document", Foreign("PowerPoint 97-2003 (.ppt)", _SLIDES)),
    ("__substg1.0", Foreign("an Outlook message (.msg)", "save its attachment or its text")),
)
"""Streams of compound files, and what they make of it."""
_OPEN_DOCUMENTS = (
    (b"opendocument.spreadsheet", Foreign("OpenDocument (.ods)", _SHEET)),
    (b"opendocument.presentation", Foreign("OpenDocument (.odp)", _SLIDES)),
    (b"opendocument.", Foreign("OpenDocument (.odt)", _SAVE_AS)),
    (b"application/epub+zip", Foreign("EPUB", _BOOK)),
)
_MEMBERS = (
    (b"xl/", Foreign("Excel (.xlsx)", _SHEET)),
    (b"ppt/", Foreign("PowerPoint (.pptx)", _SLIDES)),
    (b".iwa", Foreign("Apple iWork (.pages, .numbers, .key)", _SAVE_AS)),
    (b".fdseq", Foreign("XPS", "print it to a PDF and watch that")),
)


def foreign(data: bytes) -> Foreign | None:
    """Return the name of a known format that is not read here, with the fix."""
    head = data[:4096]
    for signature, known in _SIGNATURES:
        if signature.match(head):
            return known
    if data.startswith(OLE):
        return next(
            (known for name, known in _STREAMS if name.encode("utf-16-le") in data),
            Foreign("a file of Word 97-2003 (.doc) or its time", _SAVE_AS),
        )
    return _zipped(data) if data.startswith(ZIP) else None


def _zipped(data: bytes) -> Foreign:
    for mark, known in _OPEN_DOCUMENTS:
        if mark in data[:200]:
            return known
    for mark, known in _MEMBERS:
        if mark in data:
            return known
    return Foreign("a ZIP archive", "unpack it and watch the document inside")
