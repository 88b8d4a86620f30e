from __future__ import annotations

import io
from pathlib import Path
from typing import cast

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import StreamObject
from reportlab.pdfgen.canvas import Canvas

from tests.extract.made_pdfs import FONT, drawn, lines, picture, raw
from watcher.domain.reading import ExtractVerdict, Reading
from watcher.extract import Options, Source, extract
from watcher.extract.compare import agreement


def read(data: bytes, engine: str = "pypdf") -> Reading:
    assert engine in ("pypdf", "pdfium")
    return extract(Source(data), Options(pdf_engine="pypdf" if engine == "pypdf" else "pdfium"))


def text_of(content: str | bytes, font: str = FONT, objects: tuple[str, ...] = ()) -> str:
    return read(raw(content, font=font, objects=objects)).text.data.decode()


both = pytest.mark.parametrize("engine", ["pypdf", "pdfium"])


@both
def test_golden_text_of_pages(engine: str) -> None:
    data = drawn(
        lines("Retention policy", "We keep data for 30 days."),
        lines(),
        lines("Page three"),
        title="Retention",
    )
    reading = read(data, engine)
    assert reading.text.data == b"Retention policy\nWe keep data for 30 days.\f\fPage three\n"
    assert reading.verdict is ExtractVerdict.OK
    assert reading.page_labels == ("1", "2", "3")
    assert reading.title == "Retention"
    assert reading.rendition.engine == engine
    assert dict(reading.rendition.versions)["canon"] == "1"


def test_page_labels_and_outline_are_locators() -> None:
    writer = PdfWriter(clone_from=io.BytesIO(drawn(lines("Preface"), lines("1. Scope", "text"))))
    writer.set_page_label(0, 0, PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(1, 1, PageLabelStyle.DECIMAL, start=1)
    top = writer.add_outline_item(title="Scope", page_number=1)
    writer.add_outline_item(title="text", page_number=1, parent=top)
    buffer = io.BytesIO()
    writer.write(buffer)
    reading = read(buffer.getvalue())
    assert reading.page_labels == ("i", "1")
    data = reading.text.data
    found = [(data[h.range.start : h.range.end], h.level) for h in reading.headings]
    assert found == [(b"Scope", 1), (b"text", 2)]


@both
def test_passwords(engine: str) -> None:
    data = drawn(lines("secret"), encrypt="user")
    assert read(data, engine).verdict is ExtractVerdict.ENCRYPTED
    writer = PdfWriter(clone_from=io.BytesIO(drawn(lines("open to all"))))
    writer.encrypt("", "owner", algorithm="AES-256")
    buffer = io.BytesIO()
    writer.write(buffer)
    assert read(buffer.getvalue(), engine).text.data == b"open to all\n"


@both
def test_scanned_pages_are_named(engine: str) -> None:
    assert read(drawn(picture), engine).verdict is ExtractVerdict.NEEDS_OCR
    reading = read(drawn(lines("A page with enough words on it"), picture), engine)
    assert reading.verdict is ExtractVerdict.PARTIAL
    assert [(p.code, p.page) for p in reading.problems] == [("needs_ocr", 2)]
    assert len(reading.text.pages) == 2


@both
def test_a_blank_file_is_empty_not_scanned(engine: str) -> None:
    reading = read(drawn(lines(), lines()), engine)
    assert (reading.verdict, reading.text.data) == (ExtractVerdict.OK, b"")
    assert [p.code for p in reading.problems] == ["empty"]


@pytest.mark.parametrize("cut", [0, 9, 200, -400])
def test_damaged_files_fail_and_never_raise(cut: int) -> None:
    data = drawn(lines("some words"))[:cut]
    reading = extract(Source(data, "application/pdf"))
    assert reading.verdict in (ExtractVerdict.FAILED, ExtractVerdict.OK)
    assert reading.usable == (b"some words" in reading.text.data)


def test_one_bad_page_leaves_the_others() -> None:
    writer = PdfWriter(clone_from=io.BytesIO(drawn(lines("one"), lines("two"), lines("three"))))
    contents = cast("StreamObject", writer.pages[1]["/Contents"].get_object())
    contents._data = b"\x00broken" * 9
    buffer = io.BytesIO()
    writer.write(buffer)
    reading = read(buffer.getvalue())
    assert reading.verdict is ExtractVerdict.PARTIAL
    assert reading.text.data == b"one\f\fthree\n"
    assert [p.page for p in reading.problems] == [2]


TEXT_STATE = [
    # A word in pieces, each where the last one ended: word spacing, stretch and
    # character spacing all move the pen.
    ("BT /F1 10 Tf 50 700 Td 4 Tw (a b) Tj 17.9 0 Td (c) Tj ET", "a bc"),
    ("BT /F1 10 Tf 50 700 Td 50 Tz (abc) Tj 8.1 0 Td (d) Tj ET", "abcd"),
    ("BT /F1 10 Tf 50 700 Td 2 Tc (abc) Tj 22.1 0 Td (d) Tj ET", "abcd"),
    ("BT /F1 10 Tf 50 700 Td [(ret) -20 (en) 15 (tion)] TJ ET", "retention"),
    ("BT /F1 10 Tf 50 700 Td [(two) -300 (words)] TJ ET", "two words"),
    ("BT /F1 10 Tf 50 700 Td (two) Tj 60 0 Td (cells) Tj ET", "two cells"),
    ("BT /F1 10 Tf 50 700 Td (one) Tj 0 -12 Td (two) Tj ET", "one\ntwo"),
    ("BT /F1 10 Tf 12 TL 50 700 Td (one) Tj T* (two) Tj (a) ' ET", "one\ntwo\na"),
    ('BT /F1 10 Tf 12 TL 50 700 Td (one) Tj 0 0 (two) " ET', "one\ntwo"),
    ("BT /F1 10 Tf 50 700 TD (one) Tj 0 -12 TD (two) Tj T* (c) Tj ET", "one\ntwo\nc"),
    ("BT /F1 10 Tf 50 700 Td (10) Tj 4 Ts /F1 6 Tf (2) Tj ET", "102"),
    ("BT /F1 10 Tf 1 0 0 1 300 700 Tm (right) Tj 1 0 0 1 50 700 Tm (left) Tj ET", "right\nleft"),
    ("BT /F1 10 Tf 0 1 -1 0 50 100 Tm (up) Tj 30 0 Td (wards) Tj ET", "up wards"),
    ("q 2 0 0 2 0 0 cm BT /F1 10 Tf 20 300 Td (big) Tj 13.9 0 Td (ger) Tj ET Q", "bigger"),
    ("BT /F1 10 Tf 50 700 Td <524554> Tj <454e54494F4E> Tj ET", "RETENTION"),
    ("BT /F1 10 Tf 50 700 Td (a\\(b\\)\\051 (nested (x)) \\101) Tj ET", "a(b)) (nested (x)) A"),
    ("BT /F1 10 Tf 50 700 Td (line\\\r\njoined) Tj ET", "linejoined"),
    ("% (no) Tj\nBT /F1 10 Tf 50 700 Td (yes) Tj ET", "yes"),
    ("BI /W 4 /H 1 /BPC 8 /CS /G ID \x01 EI\x02\x03 EI BT /F1 10 Tf 50 700 Td (a) Tj ET", "a"),
    ("/Span << /ActualText (fi) >> BDC BT /F1 10 Tf 50 700 Td (\\256) Tj ET EMC", "fi"),
    ("BT /F1 10 Tf 50 700 Td ( ) Tj 0 0 Td (info) Tj ET", "info"),
    ("BT /F1 10 Tf 50 700 Td [(a)] [(b)] TJ (c) ET (d Tj", "b"),
]


@pytest.mark.parametrize(("content", "text"), TEXT_STATE)
def test_text_state(content: str, text: str) -> None:
    assert text_of(content) == text + "\n"


def test_a_font_without_a_space_does_not_glue_words() -> None:
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 7 0 R "
        "/DescendantFonts [6 0 R] >>"
    )
    descendant = (
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 1020 /CIDSystemInfo "
        "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [1 [500 500]] >>"
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> "
        "endcodespacerange 2 beginbfchar <0001> <0061> <0002> <0062> endbfchar endcmap"
    )
    stream = f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream"
    content = "BT /F1 10 Tf 50 700 Td [<0001> -232 <0002> -20 <0002>] TJ ET"
    assert text_of(content, font=font, objects=(descendant, stream)) == "a bb\n"


def test_codes_that_no_table_translates_are_not_passed_off_as_words() -> None:
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H "
        "/DescendantFonts [6 0 R] >>"
    )
    descendant = (
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo "
        "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    )
    content = "BT /F1 10 Tf 50 700 Td <004100420043004400450046004700480049004a004b> Tj ET"
    reading = read(raw(content, font=font, objects=(descendant,)))
    assert reading.verdict is ExtractVerdict.GARBLED
    assert reading.problems[0].page == 1
    assert not reading.usable


@both
@pytest.mark.parametrize(
    ("content", "hidden"),
    [
        ("BT /F1 10 Tf 50 700 Td (seen) Tj ET", 0),
        ("BT /F1 10 Tf 50 700 Td (seen) Tj 3 Tr 0 -20 Td (not seen) Tj ET", 7),
        ("BT /F1 10 Tf 50 700 Td (seen) Tj 900 0 Td (far away) Tj ET", 7),
        ("q BT 3 Tr /F1 10 Tf 50 700 Td (no) Tj ET Q BT /F1 10 Tf 50 600 Td (yes) Tj ET", 2),
        ("BT /F1 10 Tf 1 g 50 700 Td (white) Tj 0 g 0 -20 Td (black) Tj ET", 5),
        ("BT /F1 10 Tf 1 1 1 rg 50 700 Td (white) Tj ET", 5),
        ("0 0 .5 rg 40 690 200 30 re f 1 g BT /F1 10 Tf 50 700 Td (on blue) Tj ET", 0),
        ("1 g 40 690 200 30 re f BT /F1 10 Tf 50 700 Td (white) Tj ET", 5),
        ("BT /F1 .4 Tf 50 700 Td (tiny) Tj /F1 9 Tf 0 -20 Td (seen) Tj ET", 4),
        ("q .05 0 0 .05 0 0 cm BT /F1 10 Tf 900 9000 Td (tiny) Tj ET Q", 4),
    ],
)
def test_hidden_characters_are_kept_and_counted(content: str, hidden: int, engine: str) -> None:
    reading = read(raw(content), engine)
    assert reading.hidden_characters == hidden
    assert reading.text.data


def test_a_layer_that_is_off_is_hidden() -> None:
    reading = read(
        raw(
            "/OC /L1 BDC BT /F1 10 Tf 50 700 Td (off) Tj ET EMC BT /F1 10 Tf 50 600 Td (on) Tj ET",
            catalog="/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>",
            resources="/Properties << /L1 6 0 R >>",
            objects=("<< /Type /OCG /Name (draft) >>",),
        )
    )
    assert reading.text.data == b"off\non\n"
    assert reading.hidden_characters == 3


def form(content: str) -> str:
    return (
        "<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> "
        f"/XObject << /X 6 0 R >> >> /Length {len(content)} >>\nstream\n{content}\nendstream"
    )


def test_forms_are_read_in_place_and_once_where_they_paint_themselves() -> None:
    shown = "BT /F1 10 Tf 50 600 Td (inside) Tj ET "
    page = "BT /F1 10 Tf 50 700 Td (a) Tj ET /X Do BT /F1 10 Tf 50 500 Td (b) Tj ET"
    data = raw(page, resources="/XObject << /X 6 0 R >>", objects=(form(shown),))
    assert read(data).text.data == b"a\ninside\nb\n"
    data = raw(page, resources="/XObject << /X 6 0 R >>", objects=(form(shown + "/X Do"),))
    reading = read(data)
    assert reading.text.data == b"a\ninside\nb\n"
    assert reading.verdict is ExtractVerdict.PARTIAL
    assert reading.problems[0].code == "left_out"


def test_a_lone_surrogate_becomes_one_replacement_character() -> None:
    cmap = "begincmap 1 beginbfchar <41> <d835> endbfchar endcmap"
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>"
    stream = f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream"
    text = text_of("BT /F1 10 Tf 50 700 Td (xAy) Tj ET", font=font, objects=(stream,))
    assert text == "x\ufffdy\n"


def test_attachments_are_told() -> None:
    writer = PdfWriter(clone_from=io.BytesIO(drawn(lines("see the annex"))))
    writer.add_attachment("annex.xml", b"<x/>")
    buffer = io.BytesIO()
    writer.write(buffer)
    reading = read(buffer.getvalue())
    assert [(p.code, p.message) for p in reading.problems] == [
        ("attachment", "has an attached file: annex.xml")
    ]
    assert reading.verdict is ExtractVerdict.OK


def test_rotated_pages_read_like_others() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        canvas.drawString(72, 700, "turned page")

    assert read(drawn(draw)).text.data == b"turned page\n"


@pytest.mark.shared
def test_both_engines_agree_on_real_policies(shared_data: Path) -> None:
    for path in sorted((shared_data / "histories" / "basecamp-dpa").glob("*.pdf"))[1::3]:
        data = path.read_bytes()
        ours, theirs = read(data), read(data, "pdfium")
        assert len(ours.text.pages) == len(theirs.text.pages) == len(PdfReader(path).pages)
        assert agreement(ours.text, theirs.text) > 0.99


def test_pdfium_writes_a_hyphen_at_a_line_end_as_one() -> None:
    data = drawn(lines("Storage and e-", "discovery of data"))
    assert "e-discovery" in read(data, "pdfium").text.data.decode()
    assert "e-\ndiscovery" in read(data).text.data.decode()


def test_an_engine_that_is_not_installed_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("watcher.extract.pdf.HAS_PDFIUM", False)
    reading = read(drawn(lines("text")), "pdfium")
    assert (reading.verdict, reading.problems[0].code) == (ExtractVerdict.FAILED, "engine_missing")
    assert "pip install" in reading.problems[0].message


COMPOSITE = (
    "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /{encoding} {more} "
    "/DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /X /CIDSystemInfo "
    "<< /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>] >>"
)


@pytest.mark.parametrize(
    ("encoding", "text", "codec"),
    [
        ("90ms-RKSJ-H", "保存期間は30日 ｶﾅ", "cp932"),
        ("90msp-RKSJ-H", "個人情報", "cp932"),
        ("EUC-H", "保存期間 30", "euc_jp"),
        ("KSCms-UHC-H", "개인정보 30", "cp949"),
        ("GBK-EUC-H", "保留 30 天", "gbk"),
        ("GBK2K-H", "\u3400㐀三十", "gb18030"),
        ("ETen-B5-H", "保存三十天", "cp950"),
        ("HKscs-B5-H", "保存", "big5hkscs"),
        ("UniJIS-UTF16-H", "保存𠮷", "utf-16-be"),
        ("UniJIS-UCS2-H", "保存", "utf-16-be"),
        ("UniGB-UTF8-H", "保 𠮷", "utf-8"),
        ("UniKS-UTF32-H", "보존", "utf-32-be"),
    ],
)
def test_predefined_cmaps_are_read_by_their_character_set(
    encoding: str, text: str, codec: str
) -> None:
    font = COMPOSITE.format(encoding=encoding, more="")
    content = f"BT /F1 10 Tf 50 700 Td <{text.encode(codec).hex()}> Tj ET"
    assert text_of(content, font=font) == text + "\n"


def test_seven_bit_jis_and_names_that_say_nothing() -> None:
    codes = bytes(byte & 0x7F for byte in "保存".encode("euc_jp")).hex()
    content = f"BT /F1 10 Tf 50 700 Td <{codes}> Tj ET"
    assert text_of(content, font=COMPOSITE.format(encoding="H", more="")) == "保存\n"
    unknown = COMPOSITE.format(encoding="Hojo-H", more="")
    content = f"BT /F1 10 Tf 50 700 Td <{codes * 6}> Tj ET"
    assert read(raw(content, font=unknown)).verdict is ExtractVerdict.GARBLED
    told = COMPOSITE.format(encoding="Identity-H", more="/ToUnicode /Identity-H")
    assert text_of("BT /F1 10 Tf 50 700 Td <4fdd> Tj ET", font=told) == "保\n"


def test_an_embedded_cmap_says_how_long_codes_are() -> None:
    cmap = "begincodespacerange <00> <7f> <8140> <fefe> endcodespacerange"
    tounicode = "begincmap 2 beginbfchar <0041> <0061> <8141> <4fdd> endbfchar endcmap"
    streams = tuple(f"<< /Length {len(s)} >>\nstream\n{s}\nendstream" for s in (cmap, tounicode))
    font = COMPOSITE.format(encoding="X", more="/ToUnicode 7 0 R").replace("/X /ToU", "6 0 R /ToU")
    content = "BT /F1 10 Tf 50 700 Td <4181414142> Tj ET"
    assert text_of(content, font=font, objects=streams) == "a保a\ufffd\n"


def noted(*notes: str, objects: tuple[str, ...] = ()) -> bytes:
    return raw(
        "BT /F1 10 Tf 50 700 Td (page) Tj ET",
        page=f"/Annots [{' '.join(notes)}]",
        objects=objects,
    )


PAINTED = form("BT /F1 10 Tf 2 2 Td (painted) Tj ET")


@both
@pytest.mark.parametrize(
    ("note", "text", "hidden"),
    [
        ("/Subtype /FreeText /Contents (July 30, 2020)", "July 30, 2020", 0),
        ("/Subtype /FreeText /Contents (other) /AP << /N 6 0 R >>", "painted", 0),
        ("/Subtype /Stamp /AP << /N 6 0 R >>", "painted", 0),
        ("/Subtype /Highlight /Contents (why?)", "why?", 0),
        ("/Subtype /Text /F 2 /Contents (gone)", "gone", 4),
        ("/Subtype /Link /Contents (no)", "", 0),
        ("/Subtype /Widget /FT /Tx /T (n) /V (30 days)", "30 days", 0),
        ("/Subtype /Widget /FT /Tx /V (pain ted) /AP << /N 6 0 R >>", "pain ted", 0),
        ("/Subtype /Widget /Parent << /FT /Ch /V [(a) (b)] >>", "a\nb", 0),
        ("/Subtype /Widget /FT /Tx /Ff 8192 /V (secret)", "", 0),
        ("/Subtype /Widget /FT /Btn /TU (I agree) /AS /Yes", "☒ I agree", 0),
        ("/Subtype /Widget /FT /Btn /T (agree) /AS /Off", "☐ agree", 0),
        ("/Subtype /Widget /FT /Btn /Ff 32768 /Parent << /T (r) /V /B >>", "◉ r", 0),
        ("/Subtype /Widget /FT /Sig /AP << /N 6 0 R >>", "painted", 0),
    ],
)
def test_what_stands_beside_the_content_is_read_after_it(
    note: str, text: str, hidden: int, engine: str
) -> None:
    data = noted(f"<< /Type /Annot /Rect [9 9 90 30] {note} >>", objects=(PAINTED,))
    reading = read(data, engine)
    assert reading.text.data.decode() == "page\n" + (text + "\n" if text else "")
    assert reading.hidden_characters == hidden
    assert dict(reading.rendition.versions)["notes"] == "1"


def test_damaged_annotations_cost_nothing_else() -> None:
    notes = ("77 0 R", "(text)", "<< /Subtype /Widget /FT /Btn /Parent 6 0 R >>", "null")
    data = noted(
        *notes, "<< /Subtype /FreeText /Contents (kept) >>", objects=("<< /Parent 6 0 R >>",)
    )
    assert read(data).text.data == "page\n☐\nkept\n".encode()


def test_a_form_that_a_viewer_makes_up_is_partial() -> None:
    data = raw("BT /F1 10 Tf 50 700 Td (Please wait) Tj ET", catalog="/NeedsRendering true")
    reading = read(data)
    assert (reading.verdict, reading.problems[0].code) == (ExtractVerdict.PARTIAL, "left_out")


def test_what_annotations_paint_is_bounded_and_shared_appearances_are_read_once() -> None:
    stamp = "<< /Subtype /Stamp /AP << /N 6 0 R >> >>"
    assert (
        read(noted(*[stamp] * 3, objects=(PAINTED,))).text.data
        == b"page" + 3 * b"\npainted" + b"\n"
    )
    long = form("0 " * 600_000)
    reading = read(noted(stamp, "<< /Subtype /FreeText /Contents (x) >>", objects=(long,)))
    assert (reading.verdict, reading.problems[0].code) == (ExtractVerdict.PARTIAL, "left_out")
    assert reading.text.data == b"page\n"
