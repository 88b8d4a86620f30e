"""Several sources in one container, and their texts in one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.domain.reading import JOINED, ExtractVerdict, MediaType
from watcher.extract import Source, extract, extract_isolated
from watcher.extract.parts import PARTS_TYPE, Part, is_packed, pack, unpack

ONE = b"<!doctype html><html lang=en><title>Terms</title><h1>Terms</h1><p>One <a href=/a>link</a>.</p></html>"
TWO = "<!doctype html><h2>Fees</h2><p><s>Old</s> Grüße <a href=/b>here</a></p>".encode("latin-1")


def packed(*parts: tuple[str, bytes]) -> Source:
    made = [Part(f"https://e.example/{n}", kind, "", data) for n, (kind, data) in enumerate(parts)]
    return Source(pack(made), PARTS_TYPE)


@given(
    st.lists(
        st.tuples(st.text(max_size=20), st.text(max_size=9), st.binary(max_size=50)),
        min_size=1,
        max_size=5,
    )
)
@settings(max_examples=100, deadline=None)
def test_a_container_gives_back_exactly_what_went_in(rows: list[tuple[str, str, bytes]]) -> None:
    parts = tuple(
        Part(
            url.encode("utf-8", "replace").decode(),
            kind.encode("utf-8", "replace").decode(),
            "",
            data,
        )
        for url, kind, data in rows
    )
    assert unpack(pack(parts)) == parts
    assert pack(parts) == pack(unpack(pack(parts)))


@pytest.mark.parametrize("cut", [0, 5, 16, 17, 60, -1])
def test_a_damaged_container_is_a_failed_reading(cut: int) -> None:
    whole = packed(("text/html", ONE)).data
    data = whole[:cut]
    with pytest.raises(ValueError, match="part"):
        unpack(data)
    if is_packed(data):
        assert extract(Source(data)).verdict is ExtractVerdict.FAILED
    for more in (
        whole + b"x",
        whole.replace(b"[[", b"[{", 1),
        b"watcher-parts/1\n" + b"[" * 9999 + b"\n",
    ):
        assert extract(Source(more)).verdict is ExtractVerdict.FAILED
    nested = packed((PARTS_TYPE, whole))
    assert extract(nested).verdict is ExtractVerdict.FAILED


def test_texts_are_joined_page_by_page_and_everything_moves_along() -> None:
    source = packed(
        ("text/html", ONE), ("text/html; charset=iso-8859-1", TWO), ("text/plain", b"Annex\n")
    )
    reading = extract_isolated(source)
    assert reading.text.data == extract(source).text.data
    assert reading.text.data.decode() == "Terms\n\nOne link.\fFees\n\nOld Grüße here\fAnnex\n"
    assert len(reading.text.pages) == 3
    assert reading.page_labels == ("1", "2", "3")
    assert reading.media_type is MediaType.HTML
    assert reading.rendition.engine == JOINED
    assert (reading.title, reading.language) == ("Terms", "en")
    cut = reading.text.data
    assert [cut[one.range.start : one.range.end].decode() for one in reading.headings] == [
        "Terms",
        "Fees",
    ]
    assert [
        (cut[one.range.start : one.range.end].decode(), one.target) for one in reading.links
    ] == [
        ("link", "/a"),
        ("here", "/b"),
    ]
    assert [cut[one.start : one.end].decode() for one in reading.struck] == ["Old"]


def test_parts_of_one_format_are_read_by_its_own_recipe() -> None:
    alone, joined = extract(Source(ONE)), extract(packed(("text/html", ONE), ("text/html", TWO)))
    assert joined.rendition == alone.rendition


def test_half_a_document_is_none() -> None:
    for bad in (b"", b"%PDF-1.7\n1 0 obj", b"PK\x03\x04garbage"):
        reading = extract(packed(("text/html", ONE), ("", bad)))
        assert not reading.usable
        assert reading.problems[0].message == "part 2 of 2 gives no text"
