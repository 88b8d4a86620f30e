from __future__ import annotations

import io
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from watcher.domain.reading import ExtractVerdict, Landmark, Reading
from watcher.extract import Source, extract

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"


def package(body: str, links: dict[str, tuple[str, str]] | None = None, **parts: str) -> bytes:
    """A DOCX whose document links to `links` (id -> kind, target); `parts` under word/."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("[Content_Types].xml", "<Types/>")
        out.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{RELS}"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        )
        out.writestr(
            "word/document.xml", f"<w:document {SPACES}><w:body>{body}</w:body></w:document>"
        )
        listed = "".join(
            f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{target}"'
            + (' TargetMode="External"' if "://" in target else "")
            + "/>"
            for key, (kind, target) in (links or {}).items()
        )
        out.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{RELS}">{listed}</Relationships>',
        )
        for name, content in parts.items():
            out.writestr(f"word/{name}.xml", content.replace("<X>", f"<w:x {SPACES}>"))
    return buffer.getvalue()


def p(*runs: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{''.join(runs)}</w:p>"


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def read(data: bytes) -> Reading:
    return extract(Source(data, name="policy.docx"))


def text_of(body: str) -> str:
    return read(package(body)).text.data.decode()


def test_every_part_in_reading_order() -> None:
    body = (
        p(r("Title"), style="H")
        + p(r("See"), '<w:r><w:footnoteReference w:id="2"/></w:r>', r(" below."))
        + "<w:tbl><w:tr><w:tc>"
        + p(r("a"))
        + p(r("b"))
        + "</w:tc><w:tc>"
        + p()
        + "</w:tc><w:tc>"
        + p(r("c"))
        + "</w:tc></w:tr></w:tbl>"
        + "<w:sdt><w:sdtPr><w:alias w:val='no'/></w:sdtPr><w:sdtContent>"
        + p(r("control"))
        + "</w:sdtContent></w:sdt>"
        + p(f"<w:ins>{r('in')}</w:ins>", "<w:del><w:r><w:delText>out</w:delText></w:r></w:del>")
        + '<w:sectPr><w:headerReference w:type="default" r:id="h"/>'
        + '<w:footerReference w:type="default" r:id="f"/></w:sectPr>'
    )
    data = package(
        body,
        {
            "h": ("header", "header1.xml"),
            "f": ("footer", "footer1.xml"),
            "n": ("footnotes", "footnotes.xml"),
            "e": ("endnotes", "endnotes.xml"),
            "c": ("comments", "comments.xml"),
            "s": ("styles", "styles.xml"),
        },
        header1=f"<X>{p(r('Head'))}</w:x>",
        footer1=f"<X>{p(r('Foot'))}</w:x>",
        footnotes=f'<X><w:footnote w:id="1">{p(r("first"))}</w:footnote>'
        f'<w:footnote w:id="2">{p(r("second"))}</w:footnote></w:x>',
        endnotes=f'<X><w:endnote w:id="1">{p(r("end"))}</w:endnote></w:x>',
        comments=f'<X><w:comment w:id="1">{p(r("comment"))}</w:comment></w:x>',
        styles='<X><w:style w:styleId="B"><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
        '<w:style w:styleId="H"><w:basedOn w:val="B"/></w:style></w:x>',
    )
    reading = read(data)
    assert reading.text.data.decode() == (
        "Head\n\nTitle\n\nSee below.\n\na b | | c\n\ncontrol\ninout\n\n"
        "second\nfirst\n\nend\n\nFoot\n\ncomment\n"
    )
    text = reading.text.data
    assert [(text[h.range.start : h.range.end], h.level) for h in reading.headings] == [
        (b"Title", 2)
    ]
    assert [text[span.start : span.end] for span in reading.struck] == [b"out"]
    assert [mark.kind for mark in reading.landmarks] == [
        Landmark.HEADER,
        Landmark.FOOTER,
        Landmark.ASIDE,
    ]


def test_a_text_box_waits_for_its_paragraph_and_its_fallback_is_not_read_twice() -> None:
    box = f"<w:txbxContent>{p(r('boxed'))}</w:txbxContent>"
    shape = (
        f"<w:r><mc:AlternateContent><mc:Choice><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert text_of(p(r("be"), shape, r("fore"))) == "before\nboxed\n"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>", "a b"),
        ("<w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r>", "a\nb"),
        ('<w:r><w:t>a</w:t><w:br w:type="page"/><w:t>b</w:t></w:r>', "a\nb"),
        ("<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r>", "a\u2011b"),
        ("<w:r><w:t>a</w:t><w:softHyphen/><w:t>b</w:t></w:r>", "a\u00adb"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', "☑"),
        (r("re") + "<w:proofErr/>" + r("ten") + "<w:bookmarkStart/>" + r("tion"), "retention"),
        ("<w:r><w:instrText>PAGE</w:instrText></w:r>" + r("a"), "a"),
        ("<w:smartTag><w:customXml>" + r("a") + "</w:customXml></w:smartTag>", "a"),
    ],
)
def test_inside_a_paragraph(inner: str, text: str) -> None:
    assert text_of(p(inner)) == text + "\n"


def test_hyperlinks_of_both_kinds() -> None:
    body = p(
        f'<w:hyperlink r:id="l" w:anchor="s2">{r("one")}</w:hyperlink>',
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "https://b/"'
        '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>',
        r(" two"),
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
        r(" three"),
    )
    reading = read(package(body, {"l": ("hyperlink", "https://a/")}))
    text = reading.text.data
    assert text == b"one two three\n"
    assert [(text[link.range.start : link.range.end], link.target) for link in reading.links] == [
        (b"one", "https://a/#s2"),
        (b"two", "https://b/"),
    ]


def test_struck_and_hidden_runs_are_text_and_are_told() -> None:
    reading = read(package(p(r("kept "), r("struck", "<w:strike/>"), r(" secret", "<w:vanish/>"))))
    assert reading.text.data == b"kept struck secret\n"
    assert [(span.start, span.end) for span in reading.struck] == [(5, 11)]
    assert reading.hidden_characters == 6


def test_strict_documents_are_read() -> None:
    body = p(r("strict")).replace(W, "http://purl.oclc.org/ooxml/wordprocessingml/main")
    data = package(body)
    assert read(data).text.data == b"strict\n"


def bomb() -> bytes:
    return package(p(r("a" * 40_000_000)))


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    reading = read(bomb())
    assert reading.verdict is ExtractVerdict.FAILED
    assert "ZIP bomb" in reading.problems[0].message


def test_a_document_type_is_refused() -> None:
    lol = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    data = package(p(r("a")), {"c": ("comments", "comments.xml")}, comments=f"{lol}<X>&b;</w:x>")
    reading = read(data)
    assert (reading.verdict, reading.text.data) == (ExtractVerdict.FAILED, b"")
    assert "document type" in reading.problems[0].message


def test_depth_is_an_answer_not_a_crash() -> None:
    nested = "<w:smartTag>" * 20_000 + r("x") + "</w:smartTag>" * 20_000
    reading = read(package(p(nested)))
    assert reading.verdict is ExtractVerdict.FAILED


@pytest.mark.parametrize("cut", [10, 200, -30])
def test_damaged_packages_fail_by_name(cut: int) -> None:
    data = package(p(r("a")))
    reading = extract(
        Source(
            data[:cut],
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            name="x.docx",
        )
    )
    assert reading.verdict in (ExtractVerdict.FAILED, ExtractVerdict.UNSUPPORTED)
    assert not reading.usable


def test_a_locked_document_is_encrypted() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512) + "EncryptedPackage".encode("utf-16-le")
    assert read(ole).verdict is ExtractVerdict.ENCRYPTED


@pytest.mark.shared
def test_real_documents_keep_every_piece_of_text(shared_data: Path) -> None:
    missing: dict[str, list[str]] = {}
    for path in sorted((shared_data / "extract" / "docx").rglob("*.docx")):
        data = path.read_bytes()
        if not data.startswith(b"PK"):
            continue
        text = "".join(read(data).text.data.decode().split()).replace("|", "")
        lost = [
            piece for piece in _pieces(data) if "".join(piece.split()).replace("|", "") not in text
        ]
        if lost:
            missing[path.name] = lost[:5]
    assert missing == {}


def _pieces(data: bytes) -> list[str]:
    """The w:t texts of every part, fallbacks aside."""
    found: list[str] = []
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        for name in parts.namelist():
            kind = name.removeprefix("word/").rstrip("0123456789.xml")
            if kind not in ("document", "header", "footer", "footnotes", "endnotes", "comments"):
                continue
            root = ET.fromstring(parts.read(name))
            for parent in list(root.iter()):
                for child in list(parent):
                    if child.tag.endswith("}Fallback"):
                        parent.remove(child)
            found += [e.text or "" for e in root.iter() if e.tag.endswith("main}t")]
    return found


LISTS = """<X><w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Sub"/>
<w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:suff w:val="space"/>
<w:lvlText w:val="(%3)"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/>
<w:numFmt w:val="upperRoman"/><w:lvlText w:val="Article %1"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:isLgl/>
<w:lvlText w:val="%1-%2"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>
<w:lvlText w:val="\u2022"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="3"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="1"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:x>"""


def item(text: str, number: int, depth: int = 0) -> str:
    return (
        f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'
        f"</w:pPr>{r(text)}</w:p>"
    )


def test_clauses_have_the_numbers_that_word_shows() -> None:
    body = (
        item("Scope", 1)
        + p(r("Terms"), style="Sub")
        + item("data", 1, 2)
        + item("person", 1, 2)
        + p(r("Duties"), style="Child")
        + item("again from a", 1, 2)
        + item("Storage", 1)
        + item("Duration", 1, 1)
        + item("dot", 3)
        + item("One", 2)
        + item("legal", 2, 1)
        + item("Two", 2)
        + item("Anew", 4)
        + item("goes on", 4)
        + item("no list", 0)
        + item("unknown", 77)
    )
    styles = (
        '<X><w:style w:styleId="Sub"><w:pPr><w:outlineLvl w:val="1"/>'
        '<w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:styleId="Child"><w:basedOn w:val="Sub"/><w:pPr><w:numPr><w:ilvl w:val="1"/>'
        "</w:numPr></w:pPr></w:style></w:x>"
    )
    header = f"<X>{item('Head', 1)}</w:x>"
    links = {"n": ("numbering", "numbering.xml"), "s": ("styles", "styles.xml")}
    links["h"] = ("header", "header1.xml")
    body += '<w:sectPr><w:headerReference r:id="h"/></w:sectPr>'
    reading = read(package(body, links, numbering=LISTS, styles=styles, header1=header))
    lines = [line for line in reading.text.data.decode().split("\n") if line]
    assert lines == [
        "4. Head",
        "4. Scope",
        "4.1 Terms",
        "(a) data",
        "(b) person",
        "4.2 Duties",
        "(a) again from a",
        "5. Storage",
        "5.1 Duration",
        "dot",
        "Article I One",
        "1-1 legal",
        "Article II Two",
        "1. Anew",
        "2. goes on",
        "no list",
        "unknown",
    ]
    text = reading.text.data
    headings = [text[h.range.start : h.range.end] for h in reading.headings]
    assert headings == [b"4.1 Terms", b"4.2 Duties"]
    assert dict(reading.rendition.versions)["walk"] == "2"


MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("<m:f><m:num>A</m:num><m:den>B</m:den></m:f>", "1/2"),
        ("<m:d><m:e>A</m:e><m:e>B</m:e></m:d>", "(1|2)"),
        (
            '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr><m:e>A</m:e></m:d>',
            "[1",
        ),
        ("<m:rad><m:deg/><m:e>A</m:e></m:rad>", "√1"),
        (
            (
                '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>A</m:sub><m:sup>B</m:sup>'
                "<m:e>A</m:e></m:nary>"
            ),
            "∑1 2 1",
        ),
        ("<m:m><m:mr><m:e>A</m:e><m:e>B</m:e></m:mr><m:mr><m:e>B</m:e></m:mr></m:m>", "1 2 2"),
    ],
)
def test_formulas_keep_their_signs(inner: str, text: str) -> None:
    for letter, digit in (("A", "1"), ("B", "2")):
        inner = inner.replace(f">{letter}<", f"><m:r><m:t>{digit}</m:t></m:r><")
    assert text_of(p(f"<m:oMath {MATH}>{inner}</m:oMath>")) == text + "\n"
