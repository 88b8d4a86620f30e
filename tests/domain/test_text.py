"""The canonical text: units, pages, ranges, against vectors and arbitrary Unicode."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.domain.anchors import cite, resolve_segment
from watcher.domain.chunks import chunks
from watcher.domain.resolution import RangeInvalidError, ResolutionError
from watcher.domain.text import CanonicalText, Unit
from watcher.errors import UsageError

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "anchor_vectors.json").read_text(encoding="utf-8")
)
unicode_text = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\f\n 📜é中"), max_size=4000
)
bounded = settings(max_examples=150, deadline=None)


@pytest.mark.parametrize("vector", VECTORS["units"], ids=lambda v: v["name"])
def test_units_agree_with_the_vectors(vector: dict[str, Any]) -> None:
    text = CanonicalText(vector["text"].encode())
    assert text.version == "sha256:" + vector["sha256"]
    for place in [*vector["same_place"], vector["lengths"]]:
        offset = place[Unit.UTF8]
        for unit in Unit:
            assert text.from_bytes(offset, unit) == place[unit]
            assert text.to_bytes(place[unit], unit) == offset


@pytest.mark.parametrize("vector", VECTORS["units"], ids=lambda v: v["name"])
def test_offsets_inside_a_character_are_errors(vector: dict[str, Any]) -> None:
    text = CanonicalText(vector["text"].encode())
    inside = [offset for offset in range(len(text) + 1) if not text.is_boundary(offset)]
    assert inside[: len(vector["inside_a_character"])] == vector["inside_a_character"]
    assert len(inside) == vector["inside_count"]
    for offset in inside:
        with pytest.raises(RangeInvalidError):
            text.from_bytes(offset, Unit.UTF16)
    for offset in vector["inside_a_pair"]:
        with pytest.raises(RangeInvalidError):
            text.to_bytes(offset, Unit.UTF16)


@bounded
@given(unicode_text)
def test_every_boundary_converts_both_ways(source: str) -> None:
    text = CanonicalText(source.encode())
    position = units = 0
    for points, char in enumerate([*source, ""]):
        assert text.from_bytes(position, Unit.CODE_POINTS) == points
        assert text.from_bytes(position, Unit.UTF16) == units
        assert text.to_bytes(points, Unit.CODE_POINTS) == position
        assert text.to_bytes(units, Unit.UTF16) == position
        position += len(char.encode())
        units += len(char.encode("utf-16-le")) // 2


@bounded
@given(unicode_text)
def test_pages_and_separators_tile_the_text(source: str) -> None:
    text = CanonicalText(source.encode())
    assert b"\f".join(text.data[p.start : p.end] for p in text.pages) == text.data
    assert len(text.pages) == source.count("\f") + 1
    for number, page in enumerate(text.pages, start=1):
        if page.length:
            assert text.page_of(page.start) == text.page_of(page.end - 1) == number


@bounded
@given(unicode_text, st.data())
def test_a_citation_resolves_to_exactly_what_was_cited(source: str, data: st.DataObject) -> None:
    text = CanonicalText(source.encode())
    start, end = sorted(data.draw(st.tuples(*[st.integers(-1, len(source) + 1)] * 2)))
    if not 0 <= start < end <= len(source) or "\f" in source[start:end]:
        with pytest.raises(RangeInvalidError):
            cite(text, "d", [(start, end)], Unit.CODE_POINTS)  # type: ignore[arg-type]
        return
    citation = cite(text, "d", [(start, end)], Unit.CODE_POINTS)  # type: ignore[arg-type]
    (segment,) = citation.segments
    passage = resolve_segment(text, text.version, segment)
    assert passage == source[start:end].encode()
    assert segment.sha256 == hashlib.sha256(passage).hexdigest()
    assert segment.page == source[:start].count("\f") + 1


@bounded
@given(unicode_text, st.data())
def test_splitting_at_pages_keeps_every_byte(source: str, data: st.DataObject) -> None:
    text = CanonicalText(source.encode())
    a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(source))] * 2)))
    start, end = (len(source[:n].encode()) for n in (a, b))
    parts = text.split_at_pages(start, end)
    joined = b"".join(text.data[p.start : p.end] for p in parts)
    assert joined == text.data[start:end].replace(b"\f", b"")
    for part in parts:
        text.check_range(part.start, part.end)


@bounded
@given(unicode_text)
def test_chunks_tile_the_pages_and_prove_their_bytes(source: str) -> None:
    text = CanonicalText(source.encode())
    made = list(chunks(text))
    assert b"".join(text.data[c.start : c.end] for c in made) == text.data.replace(b"\f", b"")
    for ordinal, chunk in enumerate(made):
        assert chunk.ordinal == ordinal
        assert chunk.page == text.page_of(chunk.start)
        assert chunk.sha256 == text.sha256(chunk.start, chunk.end)


def test_text_that_is_not_utf8_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="byte 2"):
        CanonicalText(b"ab\xff")


@pytest.mark.parametrize("offset", [True, 0.0, "0", None, 2**63])
def test_only_integers_in_bounds_are_offsets(offset: Any) -> None:
    text = CanonicalText(b"Access logs must be retained.")
    for call in (lambda: text.check_range(offset, 5), lambda: text.to_bytes(offset, Unit.UTF16)):
        with pytest.raises(ResolutionError):
            call()
