"""What a source is: told by its bytes first, then by its sender, then by its name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from watcher.domain.reading import MediaType

_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF = re.compile(rb"%PDF-|%!PS-Adobe-\d+\.\d+ PDF-")
_HTML = re.compile(
    r"(?:\s|<!--.*?-->|<\?xml.*?\?>)*"
    r"<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|table|article|main|section"
    r"|h1|p|br|a|iframe|font|center)\b",
    re.IGNORECASE | re.DOTALL,
)
_HTML_DOCUMENT = re.compile(
    r"(?:\s|<!--.*?-->|<\?xml.*?\?>)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_FLAT_OPC = re.compile(rb"<pkg:package\b|schemas.microsoft.com/office/2006/xmlPackage")

_DECLARED: dict[str, MediaType] = {
    "text/html": MediaType.HTML,
    "application/xhtml+xml": MediaType.HTML,
    "application/pdf": MediaType.PDF,
    "application/x-pdf": MediaType.PDF,
    MediaType.DOCX.value: MediaType.DOCX,
    "application/vnd.ms-word.document.macroenabled.12": MediaType.DOCX,
    "text/markdown": MediaType.MARKDOWN,
    "text/x-markdown": MediaType.MARKDOWN,
    "text/plain": MediaType.TEXT,
}
_SUFFIXES: dict[str, MediaType] = {
    "html": MediaType.HTML,
    "htm": MediaType.HTML,
    "xhtml": MediaType.HTML,
    "pdf": MediaType.PDF,
    "docx": MediaType.DOCX,
    "docm": MediaType.DOCX,
    "dotx": MediaType.DOCX,
    "md": MediaType.MARKDOWN,
    "markdown": MediaType.MARKDOWN,
    "txt": MediaType.TEXT,
    "text": MediaType.TEXT,
}
_TEXTUAL = {MediaType.HTML, MediaType.MARKDOWN, MediaType.TEXT}


@dataclass(frozen=True, slots=True)
class Foreign:
    """A format that is refused: its name and what to do instead."""

    name: str
    fix: str


_SAVE_AS = "save it as DOCX or PDF and watch that"
_RTF = Foreign("RTF", _SAVE_AS)
_DOC = Foreign("Word 97-2003 (.doc)", _SAVE_AS)
_SIGNATURES: tuple[tuple[bytes, Foreign], ...] = (
    (b"{\\rtf", _RTF),
    (b"\x89PNG", Foreign("a PNG image", "publish or watch the text, not a picture of it")),
    (b"\xff\xd8\xff", Foreign("a JPEG image", "publish or watch the text, not a picture of it")),
    (b"GIF8", Foreign("a GIF image", "publish or watch the text, not a picture of it")),
    (b"II*\x00", Foreign("a TIFF image", "make a PDF with a text layer of it (ocrmypdf)")),
    (b"MM\x00*", Foreign("a TIFF image", "make a PDF with a text layer of it (ocrmypdf)")),
    (b"\x1f\x8b", Foreign("gzip", "unpack it first")),
    (b"7z\xbc\xaf\x27\x1c", Foreign("7-Zip", "unpack it first")),
    (b"%!PS", Foreign("PostScript", "convert it to PDF and watch that")),
    (b"\x7fELF", Foreign("a program", "check the URL")),
)


def detect_media_type(data: bytes, declared: str | None = None, name: str = "") -> MediaType | None:
    """Return what `data` is, or None where it is nothing that can be read.

    Signatures decide. Between the textual formats the bytes do not: there the
    declared type counts, then the name, and an HTML document that is declared
    as nothing in particular is told by its first tag.
    """
    signed = _by_signature(data)
    if signed is not None:
        return signed
    if foreign(data) is not None:
        return None
    said = declared_type(declared) or _by_name(name)
    if not _is_text(data, 0.1 if said in _TEXTUAL else 0.02):
        return said if said is MediaType.PDF else None
    if said in _TEXTUAL:
        return said
    head = _head(data)
    if (_HTML_DOCUMENT if said is MediaType.PDF else _HTML).match(head):
        return MediaType.HTML
    return said if said is MediaType.PDF else MediaType.TEXT


def declared_type(value: str | None) -> MediaType | None:
    """Return the readable type that a Content-Type value names, parameters aside."""
    return _DECLARED.get((value or "").split(";")[0].strip().lower())


def foreign(data: bytes) -> Foreign | None:
    """Return the name of a known format that is not read here, with the fix."""
    for signature, known in _SIGNATURES:
        if data.startswith(signature):
            return known
    if data.startswith(_OLE):
        return None if is_encrypted_office(data) else _DOC
    if data.startswith(_ZIP):
        return _foreign_zip(data)
    return None


def is_encrypted_office(data: bytes) -> bool:
    """Tell whether `data` is an Office file behind a password."""
    return data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data


def _by_signature(data: bytes) -> MediaType | None:
    if _PDF.search(data, 0, 1024):
        return MediaType.PDF
    if data.startswith(_ZIP) and b"word/" in data and b"[Content_Types].xml" in data:
        return MediaType.DOCX
    if is_encrypted_office(data) or _FLAT_OPC.search(data, 0, 2048):
        return MediaType.DOCX
    return None


def _foreign_zip(data: bytes) -> Foreign:
    head = data[:200]
    if b"application/vnd.oasis.opendocument" in head:
        return Foreign("OpenDocument (.odt)", _SAVE_AS)
    if b"application/epub+zip" in head:
        return Foreign("EPUB", "watch the HTML it was made of")
    if b"xl/" in data and b"[Content_Types].xml" in data:
        return Foreign("Excel (.xlsx)", "export the sheet as HTML or PDF")
    if b"ppt/" in data and b"[Content_Types].xml" in data:
        return Foreign("PowerPoint (.pptx)", "export it as PDF")
    return Foreign("a ZIP archive", "unpack it and watch the document inside")


def _by_name(name: str) -> MediaType | None:
    return _SUFFIXES.get(name.rsplit(".", 1)[-1].lower()) if "." in name else None


def _is_text(data: bytes, tolerated: float) -> bool:
    """Tell whether the first bytes can be text: a small share of controls, or UTF-16."""
    head = data[:2048]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or max(even, odd) > len(head) // 5:
        return min(even, odd) <= len(head) // 20
    controls = sum(1 for byte in head if byte < 0x20 and byte not in b"\t\n\r\f\x0b\x1b")
    return controls <= max(2, tolerated * len(head))


def _head(data: bytes) -> str:
    head = data[:4096]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    return head.replace(b"\x00", b"").removeprefix(b"\xef\xbb\xbf").decode("latin-1")
