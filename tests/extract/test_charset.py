from __future__ import annotations

import pytest

from watcher.extract.charset import charset_of, decode

GERMAN = "Die Aufbewahrungsfrist beträgt für Schlüssel 30 Tage."
CHINESE = "数据保留期限为三十天。"
JAPANESE = "個人情報の保存期間は三十日です。"
CHINESE = "个人信息的保存期限为三十天。"


@pytest.mark.parametrize(
    ("data", "declared", "text", "name"),
    [
        (GERMAN.encode(), None, GERMAN, "utf-8"),
        (GERMAN.encode(), "utf-8", GERMAN, "utf-8"),
        (b"\xef\xbb\xbf" + GERMAN.encode(), "iso-8859-1", GERMAN, "utf-8"),
        (b"\xff\xfe" + GERMAN.encode("utf-16-le"), "utf-8", GERMAN, "utf-16le"),
        (b"\xfe\xff" + GERMAN.encode("utf-16-be"), None, GERMAN, "utf-16be"),
        (GERMAN.encode("utf-16-le"), None, GERMAN, "utf-16le"),
        (GERMAN.encode("latin-1"), "ISO-8859-1", GERMAN, "windows-1252"),
        ("“30 days” – €".encode("cp1252"), "latin1", "“30 days” – €", "windows-1252"),
        (JAPANESE.encode("cp932"), "Shift_JIS", JAPANESE, "shift_jis"),
        (JAPANESE.encode("euc_jp"), "euc-jp", JAPANESE, "euc_jp"),
        (CHINESE.encode("gb18030"), "gb2312", CHINESE, "gb18030"),
        (JAPANESE.encode("iso2022_jp"), "iso-2022-jp", JAPANESE, "iso2022_jp"),
        ("Срок хранения".encode("cp1251"), "windows-1251", "Срок хранения", "windows-1251"),
        ("Срок хранения".encode("iso8859-5"), "iso-8859-5", "Срок хранения", "iso-8859-5"),
    ],
)
def test_declared_and_marked_encodings(
    data: bytes, declared: str | None, text: str, name: str
) -> None:
    found = decode(data, declared)
    assert (found.text, found.charset) == (text, name)


def test_a_wrong_header_is_overruled_by_the_bytes_and_told() -> None:
    found = decode(GERMAN.encode(), "iso-8859-1")
    assert found.text == GERMAN
    assert found.note == "declared windows-1252, but the bytes are utf-8"
    found = decode(GERMAN.encode("latin-1"), "utf-8")
    assert found.text == GERMAN
    assert "utf-8" in found.note


def test_a_header_beats_a_declaration_and_a_declaration_beats_a_guess() -> None:
    page = b"<html><head><meta charset='windows-1251'></head>" + "Срок".encode("cp1251")
    assert decode(page, None, markup=True).text.endswith("Срок")
    page = b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>"
    page += "Срок".encode("cp1251")
    assert decode(page, "windows-1251", markup=True).text.endswith("Срок")


def test_a_declaration_inside_a_comment_or_plain_text_does_not_count() -> None:
    page = b"<!-- <meta charset=windows-1251> -->" + "für".encode("latin-1")
    assert decode(page, None, markup=True).text.endswith("für")
    assert decode(b"<meta charset=windows-1251>" + "für".encode("latin-1")).text.endswith("für")


def test_a_page_without_declaration_is_read_by_its_language() -> None:
    page = b'<html lang="ru"><p>' + "Срок хранения".encode("cp1251")
    assert decode(page, None, markup=True).text.endswith("Срок хранения")


def test_xml_declaration_counts() -> None:
    page = b'<?xml version="1.0" encoding="shift_jis"?><html><p>' + JAPANESE.encode("cp932")
    assert decode(page, None, markup=True).text.endswith(JAPANESE)


def test_one_bad_byte_does_not_change_the_encoding() -> None:
    found = decode(GERMAN.encode() * 3 + b"\xff", "utf-8")
    assert found.charset == "utf-8"
    assert found.text.count("\ufffd") == 1
    assert found.note


@pytest.mark.parametrize("declared", ["nonsense", "", None, "x" * 5000])
def test_unknown_labels_are_ignored(declared: str | None) -> None:
    assert decode("für".encode(), declared).text == "für"


def test_charset_of_a_content_type() -> None:
    assert charset_of('text/html; Charset="Windows-1252"') == "Windows-1252"
    assert charset_of("text/html") is None
    assert charset_of(None) is None


JAPANESE = "保存期間は三十日です。個人情報は削除します。"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["保存期間は三十日です。" * 9, "<p>" + JAPANESE * 9, CHINESE * 9])
def test_wide_text_without_a_mark_and_without_ascii(text: str, codec: str) -> None:
    found = decode(text.encode(codec))
    assert (found.text, found.charset) == (text, codec.replace("-le", "le").replace("-be", "be"))


@pytest.mark.parametrize("declared", [None, "utf-8", "iso-8859-1", "iso-2022-jp"])
def test_seven_bit_japanese_says_what_it_is(declared: str | None) -> None:
    assert decode(JAPANESE.encode("iso2022_jp"), declared).text == JAPANESE


def test_controls_do_not_make_single_bytes_wide() -> None:
    text = "Schl\xfcssel f\xfcr \x01\x02\x03 drei\xdfig Tage " * 9
    assert decode(text.encode("latin-1")).charset == "windows-1252"
