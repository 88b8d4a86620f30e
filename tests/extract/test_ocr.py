from __future__ import annotations

import io
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.extract.made_pdfs import drawn, lines
from watcher.domain.reading import ExtractVerdict
from watcher.extract import Limits, Options, Source, extract_isolated, ocr
from watcher.extract.tool import report

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="needs the system package tesseract-ocr"
)
ENGLISH = Options(pdf_engine="pypdf", ocr=("eng",))


def scanned(*texts: str) -> bytes:
    """A picture of lines, as a PNG."""
    image = Image.new("L", (1240, 1754), 255)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=40)
    for number, text in enumerate(texts):
        pen.text((120, 150 + 80 * number), text, fill=0, font=font)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def scan(canvas: Canvas) -> None:
    image = scanned("Records are kept for 30 days.", "They are deleted after that.")
    canvas.drawImage(ImageReader(io.BytesIO(image)), 0, 0, *A4)
    canvas.drawString(500, 20, "- 2 -")


@needs_tesseract
def test_scanned_pages_are_read_and_say_so() -> None:
    data = drawn(lines("A page with a text layer of its own"), scan, lines("And another one of it"))
    plain = extract_isolated(Source(data), replace(ENGLISH, ocr=()))
    assert plain.verdict is ExtractVerdict.PARTIAL
    reading = extract_isolated(Source(data), ENGLISH)
    assert reading.verdict is ExtractVerdict.OK
    pages = reading.text.data.decode().split("\f")
    assert pages[0] == "A page with a text layer of its own"
    assert pages[1].split("\n")[:1] == ["Records are kept for 30 days."]
    assert "They are deleted after that." in pages[1]
    assert "- 2 -" in pages[1]
    assert pages[2] == "And another one of it\n"
    assert [(p.code, p.page) for p in reading.problems] == [("ocr", 2)]
    assert "eng" in reading.problems[0].message
    assert "problem     ocr: page 2: read from its image by tesseract" in report("a", reading)
    again = extract_isolated(Source(data), ENGLISH)
    assert (again.text.version, again.rendition) == (reading.text.version, reading.rendition)


@needs_tesseract
def test_the_recipe_is_in_every_rendition_of_a_document_that_asks() -> None:
    source = Source(drawn(lines("all of it is text")))
    plain, asked = (extract_isolated(source, replace(ENGLISH, ocr=o)) for o in ((), ("eng",)))
    assert plain.text.version == asked.text.version
    assert plain.rendition != asked.rendition
    assert ("ocr", "eng") in asked.rendition.options
    versions = dict(asked.rendition.versions)
    assert versions["tesseract"][0].isdigit()
    assert len(versions["ocr_models"]) == 16
    assert dict(plain.rendition.versions).keys() == versions.keys() - {"tesseract", "ocr_models"}


@needs_tesseract
def test_a_scan_without_any_text_becomes_usable_and_an_empty_picture_does_not() -> None:
    def empty(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(io.BytesIO(scanned())), 0, 0, *A4)

    reading = extract_isolated(Source(drawn(scan)), ENGLISH)
    assert reading.usable
    reading = extract_isolated(Source(drawn(empty)), ENGLISH)
    assert reading.verdict is ExtractVerdict.NEEDS_OCR
    assert not reading.usable


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    reading = extract_isolated(Source(drawn(lines("text"))), ENGLISH)
    assert (reading.verdict, reading.problems[0].code) == (ExtractVerdict.FAILED, "engine_missing")
    assert "tesseract-ocr" in reading.problems[0].message


@needs_tesseract
def test_a_language_without_a_model_is_named() -> None:
    reading = extract_isolated(Source(drawn(scan)), replace(ENGLISH, ocr=("eng", "xyz_abcd")))
    assert "tesseract-ocr-xyz-abcd" in reading.problems[0].message


@needs_tesseract
def test_a_page_that_takes_too_much_stays_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "_MEMORY_BYTES", 1 << 20)
    reading = extract_isolated(Source(drawn(lines("A page of text, not a scan"), scan)), ENGLISH)
    assert reading.verdict is ExtractVerdict.PARTIAL
    assert [(p.code, p.page) for p in reading.problems] == [("needs_ocr", 2), ("ocr_failed", 2)]


@needs_tesseract
def test_a_page_that_cannot_be_drawn_stays_unread() -> None:
    limits = Limits(memory_bytes=1 << 28, result_bytes=20_000)
    data = drawn(scan)
    reading = extract_isolated(Source(data), ENGLISH, limits)
    assert reading.verdict is ExtractVerdict.NEEDS_OCR
    assert "ocr_failed" in [problem.code for problem in reading.problems]
