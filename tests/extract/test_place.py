from __future__ import annotations

import re
import struct
import subprocess
import zlib
from array import array
from html import unescape
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tests.extract.made_pdfs import drawn, lines
from watcher.domain.text import CanonicalText
from watcher.extract import (
    GeometryError,
    Limits,
    Options,
    Place,
    Rect,
    Source,
    extract,
    locate,
    picture,
    wire,
)
from watcher.extract import place as places
from watcher.extract.geometry import Geometry
from watcher.extract.model import PdfEngine
from watcher.extract.rects import PageBoxes

ENGINES: tuple[PdfEngine, ...] = ("pypdf", "pdfium")
A4 = (595.3, 841.9)


def columns(canvas: Canvas) -> None:
    for number in range(3):
        canvas.drawString(72, 700 - 14 * number, f"left {number}")
        canvas.drawString(320, 700 - 14 * number, f"right {number}")


def turned(canvas: Canvas) -> None:
    canvas.setPageRotation(90)
    canvas.drawString(72, 700, "turned page")


def place_of(data: bytes, passage: bytes, engine: PdfEngine) -> Place:
    text = extract(Source(data), Options(pdf_engine=engine)).text
    start = text.data.index(passage)
    return locate(data, text, [(start, start + len(passage))])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_passage_over_two_lines_is_two_rectangles(engine: PdfEngine) -> None:
    data = drawn(lines("first page"), lines("We keep data", "for 30 days."))
    found = place_of(data, b"data\nfor 30", engine)
    assert found.coverage == 1.0
    first, second = found.rects
    assert first.page == second.page == 2
    assert first.x0 == pytest.approx(72 + stringWidth("We keep ", "Helvetica", 12), abs=1)
    assert second.x0 == pytest.approx(72, abs=1)
    # Helvetica 12 on a baseline 770 points above the lower edge.
    assert first.y0 < A4[1] - 770 < first.y1
    assert second.y0 - first.y0 == pytest.approx(16, abs=0.1)


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_are_not_joined(engine: PdfEngine) -> None:
    found = place_of(drawn(columns), b"left 0 right 0", engine)
    assert len(found.rects) == 2
    assert found.rects[0].x1 < 200 < found.rects[1].x0


def test_turned_pages_are_told_as_they_are_shown() -> None:
    found = place_of(drawn(turned), b"turned page", "pypdf")
    (rect,) = found.rects
    # The page is turned clockwise: what was 700 up is 700 from the left now.
    assert rect.x0 < 700 < rect.x1
    assert rect.y0 == pytest.approx(72, abs=1)
    assert rect.y1 - rect.y0 > 3 * (rect.x1 - rect.x0)


def test_a_passage_over_pages_has_rectangles_on_both() -> None:
    data = drawn(lines("one"), lines("two"))
    text = extract(Source(data)).text
    assert [rect.page for rect in locate(data, text, [(0, len(text))]).rects] == [1, 2]


def test_text_that_is_not_on_the_page_is_not_covered() -> None:
    data = drawn(lines("abc"))
    found = locate(data, CanonicalText(b"abc xyz\n"), [(0, 7)])
    assert found.coverage == 0.5


def test_a_file_that_pdfium_cannot_read_is_an_error_with_a_fix() -> None:
    with pytest.raises(GeometryError) as raised:
        locate(b"%PDF-1.4 nothing", CanonicalText(b"x\n"), [(0, 1)])
    assert raised.value.hint


def test_the_picture_marks_the_passage_and_nothing_else() -> None:
    data = drawn(lines("We keep data for 30 days."))
    text = extract(Source(data)).text
    start = text.data.index(b"30 days")
    (rect,) = locate(data, text, [(start, start + 7)]).rects
    width, height, rows = _pixels(picture(data, text, [(start, start + 7)], 1))
    assert (width, height) == (round(A4[0] * 2), round(A4[1] * 2))
    yellow = {
        (x, y)
        for y, row in enumerate(rows)
        for x in range(width)
        if row[3 * x : 3 * x + 3] == b"\xff\xff\x99"
    }
    assert yellow
    assert all(_inside(rect, x / 2, y / 2) for x, y in yellow)


def _inside(rect: Rect, x: float, y: float) -> bool:
    return rect.x0 - 1 <= x <= rect.x1 + 1 and rect.y0 - 1 <= y <= rect.y1 + 1


def _pixels(png: bytes) -> tuple[int, int, list[bytes]]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    at, packed = 8, b""
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            packed += png[at + 8 : at + 8 + size]
        at += size + 12
    raw, step = zlib.decompress(packed), 1 + 3 * width
    return width, height, [raw[y * step + 1 : (y + 1) * step] for y in range(height)]


@pytest.mark.shared
@pytest.mark.system
@pytest.mark.parametrize("engine", ENGINES)
def test_rectangles_agree_with_pdftotext(shared_data: Path, engine: PdfEngine) -> None:
    path = shared_data / "extract" / "pdf" / "policy" / "FedRAMP_Extensions.pdf"
    data = path.read_bytes()
    text = extract(Source(data), Options(pdf_engine=engine)).text
    geometry = Geometry(data, text)
    compared = 0
    for number, words in enumerate(_words(path)):
        page = text.pages[number]
        body = text.data[page.start : page.end]
        for word, x0, x1, middle in words:
            hits = [
                m.start() for m in re.finditer(rb"(?<!\S)" + re.escape(word) + rb"(?!\S)", body)
            ]
            if (
                len(word) < 4
                or word.endswith(b"-")
                or len(hits) != 1
                or [w[0] for w in words].count(word) != 1
            ):
                continue
            start = page.start + hits[0]
            (rect,) = geometry.place([(start, start + len(word))]).rects
            assert rect.x0 == pytest.approx(x0, abs=3.5), word
            assert rect.x1 == pytest.approx(x1, abs=3.5), word
            assert rect.y0 < middle < rect.y1, word
            compared += 1
    geometry.close()
    assert compared > 300


def _words(path: Path) -> list[list[tuple[bytes, float, float, float]]]:
    """pdftotext's words page by page: bytes, left, right, vertical middle."""
    done = subprocess.run(
        ["pdftotext", "-bbox", str(path), "-"], capture_output=True, check=True, timeout=60
    )
    pattern = re.compile(
        r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>'
    )
    return [
        [
            (unescape(m[5]).encode(), float(m[1]), float(m[3]), (float(m[2]) + float(m[4])) / 2)
            for m in pattern.finditer(page)
        ]
        for page in done.stdout.decode("utf-8", "replace").split("<page ")[1:]
    ]


def test_a_page_that_was_asked_for_is_not_mapped_again() -> None:
    data = drawn(lines("asked before"), lines("not yet"))
    text = extract(Source(data)).text
    first = locate(data, text, [(0, 5)])
    none = Limits(wall_seconds=1e-6)
    again = locate(data, text, [(0, 5), (6, 12)], none)
    assert again.rects[0] == first.rects[0]
    assert again.coverage == 1.0
    with pytest.raises(GeometryError):
        locate(data, text, [(text.pages[1].start, text.pages[1].end)], none)
    with pytest.raises(GeometryError):
        locate(data + b"\n", text, [(0, 5)], none)


def test_the_pages_kept_are_bounded() -> None:
    cache = places._Cache(most_ink=10)
    for number in (1, 2, 3):
        cache.put(b"a", PageBoxes(number, array("I", range(4)), array("f", [0.0] * 16)))
    assert [cache.get(b"a", number) is not None for number in (1, 2, 3)] == [False, True, True]
    cache.put(b"a", PageBoxes(3, array("I", range(400)), array("f", [0.0] * 1600)))
    assert [cache.get(b"a", number) is not None for number in (2, 3)] == [False, True]


@pytest.mark.parametrize("cut", [0, 7, 9, 100])
def test_damaged_boxes_are_refused(cut: int) -> None:
    boxes = PageBoxes(1, array("I", range(9)), array("f", [0.5] * 36))
    assert wire.load_boxes(wire.dump_boxes(boxes)) == boxes
    with pytest.raises(ValueError, match="boxes"):
        wire.load_boxes(wire.dump_boxes(boxes)[:cut])
