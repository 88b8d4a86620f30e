from __future__ import annotations

import io
import zipfile

import pytest

from watcher.domain.reading import ExtractVerdict, MediaType
from watcher.extract import Source, detect_media_type, extract


def packed(**parts: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return buffer.getvalue()


DOCX = packed(**{"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<x/>"})


@pytest.mark.parametrize(
    ("data", "declared", "name", "expected"),
    [
        (b"%PDF-1.7\n", "text/html", "x.html", MediaType.PDF),
        (b"\n\njunk%PDF-1.4", None, "", MediaType.PDF),
        (DOCX, "application/octet-stream", "x.bin", MediaType.DOCX),
        (b"<!doctype html><p>x", None, "", MediaType.HTML),
        (b"  <!-- c --> <HTML>", "application/octet-stream", "", MediaType.HTML),
        (b"<!doctype html><p>gone", "application/pdf", "p.pdf", MediaType.HTML),
        (b"\xff\xfe" + "<html>".encode("utf-16-le"), None, "", MediaType.HTML),
        (b"# Title\n", None, "policy.md", MediaType.MARKDOWN),
        (b"<p align=center>\n# T", "text/markdown; charset=utf-8", "", MediaType.MARKDOWN),
        (b"<!doctype html>", "text/plain", "", MediaType.TEXT),
        (b"plain words", None, "", MediaType.TEXT),
        (b"", "application/pdf", "", MediaType.PDF),
        (b"", "text/html", "", MediaType.HTML),
        (b"{\\rtf1 x}", "text/plain", "x.txt", None),
        (b"\x89PNG\r\n", "text/html", "", None),
        (bytes(range(256)) * 8, None, "", None),
        (bytes(range(256)) * 8, "text/html", "", None),
        (bytes(900), "text/plain", "", None),
        (b"<p>a\x00b", "text/html", "", MediaType.HTML),
        (b"a\x00b", None, "", MediaType.TEXT),
    ],
)
def test_bytes_decide_then_the_sender_then_the_name(
    data: bytes, declared: str | None, name: str, expected: MediaType | None
) -> None:
    assert detect_media_type(data, declared, name) is expected


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"{\\rtf1\\ansi Retention is 30 days.}", "RTF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "Word 97-2003"),
        (packed(mimetype=b"application/vnd.oasis.opendocument.text"), "OpenDocument"),
        (packed(**{"[Content_Types].xml": b"", "xl/workbook.xml": b""}), "Excel"),
        (packed(readme=b"x"), "ZIP"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\xff\xd8\xff\xe0", "JPEG"),
    ],
)
def test_foreign_formats_are_refused_by_name_with_the_fix(data: bytes, name: str) -> None:
    reading = extract(Source(data))
    assert reading.verdict is ExtractVerdict.UNSUPPORTED
    assert not reading.usable
    assert name in reading.problems[0].message
    assert ": " in reading.problems[0].message


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\n {\\rtf1 a}", "RTF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le"), ".xls"),
        (b"PK\x03\x04" + b"Index/Document.iwa", "iWork"),
        (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet", ".ods"),
        (b"From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n", "MHTML"),
        (b'<?xml version="1.0"?><office:document xmlns:office="x">', "flat OpenDocument"),
        (b"(\xb5/\xfd" + b"x" * 9, "Zstandard"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"BZh91AY&SY", "bzip2"),
        (b"AT&TFORM\x00\x00", "DjVu"),
        (b"Title" + b"\x00" * 55 + b"BOOKMOBI", "Kindle"),
        (b'{"url": "https://docs.google.com/open?id=1"}', "Google"),
    ],
)
def test_more_formats_are_refused_by_name(data: bytes, name: str) -> None:
    reading = extract(Source(data, name="policy.txt"))
    assert reading.verdict is ExtractVerdict.UNSUPPORTED
    assert name in reading.problems[0].message
    assert not reading.text.data
