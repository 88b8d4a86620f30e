"""What a source is: told by its bytes first, then by its sender, then by its name."""

from __future__ import annotations

import re

from watcher.domain.reading import MediaType
from watcher.extract.foreign import OLE, ZIP, foreign

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


def detect_media_type(data: bytes, declared: str | None = None, name: str = "") -> MediaType | None:
    """Return what `data` is, or None where it is nothing that can be read.

    Signatures decide. Between the textual formats the bytes do not: there the
    declared type counts, then the name, and an HTML document that is declared
    as nothing in particular is told by its first tag.
    """
    signed = _by_signature(data)
    if signed is not None:
        return signed
    if not is_encrypted_office(data) and foreign(data) is not None:
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


def is_encrypted_office(data: bytes) -> bool:
    """Tell whether `data` is an Office file behind a password."""
    return data.startswith(OLE) and "EncryptedPackage".encode("utf-16-le") in data


def _by_signature(data: bytes) -> MediaType | None:
    if _PDF.search(data, 0, 1024):
        return MediaType.PDF
    if data.startswith(ZIP) and b"word/" in data and b"[Content_Types].xml" in data:
        return MediaType.DOCX
    if is_encrypted_office(data) or _FLAT_OPC.search(data, 0, 2048):
        return MediaType.DOCX
    return None


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
