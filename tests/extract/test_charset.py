from __future__ import annotations

import pytest

from watcher.domain.reading import ExtractVerdict
from watcher.extract import Source, extract
from watcher.extract.charset import CHARSET, charset_of, decode

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


POLICIES = {
    "cp932 euc_jp": JAPANESE,
    "gb18030": "我们保留您的个人信息的期限为合同终止之日起三十日。如您提出删除请求，我们将删除数据。",
    "big5hkscs": "我們保留您的個人資料的期限為契約終止之日起三十日。如您提出刪除請求，我們將刪除。",
    "cp949": "개인정보의 보유 기간은 계약이 종료된 날부터 삼십 일입니다.",
    "cp1251 koi8-r iso8859-5 cp866": "Срок хранения персональных данных составляет тридцать дней.",
    "cp1253 iso8859-7": "Η περίοδος διατήρησης των προσωπικών δεδομένων είναι τριάντα ημέρες.",
    "cp1255": "תקופת השמירה של מידע אישי היא שלושים יום מיום סיום ההסכם.",
    "cp1256": "مدة الاحتفاظ بالبيانات الشخصية ثلاثون يوما من تاريخ انتهاء العقد.",
    "cp874": "ระยะเวลาการเก็บรักษาข้อมูลส่วนบุคคลคือสามสิบวันนับจากวันที่สิ้นสุดสัญญา",
    "cp1250": "Okres przechowywania wynosi trzydzieści dni od zakończenia; żądanie można złożyć.",
    "cp1254": "Müşterinin yazılı talebi üzerine veriler silinir; değişiklikler yayımlandığı gün geçer.",
    "cp1257": "Asmens duomenų saugojimo laikotarpis yra trisdešimt dienų; raštišku prašymu, ginčų.",
    "cp1252": GERMAN + " Ausgenommen sind Aufzeichnungen nach § 147 AO – unverzüglich gelöscht.",
}


@pytest.mark.parametrize("frame", ["%s", "<html><body><p class=x>%s</p></body></html>"])
@pytest.mark.parametrize(
    ("codec", "text"),
    [(codec, text) for codecs, text in POLICIES.items() for codec in codecs.split()],
)
def test_undeclared_encodings_are_known_by_what_they_spell(
    codec: str, text: str, frame: str
) -> None:
    found = decode((frame % text).encode(codec), markup=frame != "%s")
    assert (found.text, found.doubtful) == (frame % text, False)
    assert "no encoding is declared" in found.note


@pytest.mark.parametrize("media_type", ["text/plain", "text/html"])
def test_an_encoding_that_nothing_proves_makes_the_reading_partial(media_type: str) -> None:
    reading = extract(Source("a\xa5\xb3b\xbe c\xb9d \xa1".encode("latin-1"), media_type))
    assert reading.verdict is ExtractVerdict.PARTIAL
    assert "may be wrong" in reading.problems[0].message
    assert dict(reading.rendition.versions)["charset"] == CHARSET
