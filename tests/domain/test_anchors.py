"""Anchors, citation ids and the closed list of resolution errors."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from watcher.domain import resolution
from watcher.domain.anchors import Segment, cite, parse_anchor, resolve_anchor, resolve_segment
from watcher.domain.ids import (
    change_id,
    citation_id,
    document_id,
    is_citation_id,
    version_id,
    version_of,
)
from watcher.domain.resolution import REASONS, HashMismatchError, Reason, ResolutionError
from watcher.domain.text import CanonicalText, Unit
from watcher.errors import UsageError

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "anchor_vectors.json").read_text(encoding="utf-8")
)
TEXT = CanonicalText("Erste Seite: 30 Tage.\fZweite Seite: § 17 gilt.\n".encode())


@pytest.mark.parametrize("vector", VECTORS["anchors"], ids=lambda v: v["name"])
def test_anchor_vectors(vector: dict[str, Any]) -> None:
    text = CanonicalText(vector["text"].encode())
    anchor = {
        "schema": "watcher.anchor/1",
        "document_id": "d",
        "version": text.version,
        "page": vector["page"],
        "start": vector["start"],
        "end": vector["end"],
        "unit": vector["unit"],
        "sha256": vector["sha256"] or "0" * 64,
    }
    if vector["expect"] == "ok":
        assert resolve_anchor(text, parse_anchor(anchor)).decode() == vector["excerpt"]
        return
    with pytest.raises((ResolutionError, UsageError)) as caught:
        resolve_anchor(text, parse_anchor(anchor))
    if isinstance(caught.value, ResolutionError):
        assert caught.value.reason.value == vector["expect"]
    else:
        assert type(vector["start"]) is not int


def test_the_citation_id_is_what_anyone_computes() -> None:
    body = "retention-policy\nsha256:" + "ab" * 32 + "\n3\n9\n20\n31"
    expected = base64.b32encode(hashlib.sha256(body.encode()).digest()[:20]).decode().lower()
    made = citation_id("retention-policy", "sha256:" + "ab" * 32, [(3, 9), (20, 31)])
    assert made == "c1" + expected == "c1dwglh2hzuewjtj272goeg337b2jstqiq"
    assert is_citation_id(made)
    assert not is_citation_id(made[:-1])
    assert not is_citation_id(made.upper())


def test_a_citation_over_two_pages_has_two_segments() -> None:
    first, second = TEXT.pages
    citation = cite(TEXT, document_id("d"), [first, second])
    assert [segment.page for segment in citation.segments] == [1, 2]
    with pytest.raises(ResolutionError, match="crosses a page"):
        cite(TEXT, document_id("d"), [(first.start, second.end)])
    assert {anchor["citation_id"] for anchor in citation.anchors()} == {citation.citation_id}
    for anchor, page in zip(citation.anchors(), TEXT.pages, strict=True):
        assert resolve_anchor(TEXT, parse_anchor(anchor)) == TEXT.data[page.start : page.end]


def test_any_difference_fails_closed() -> None:
    (good,) = cite(TEXT, document_id("d"), [(0, 5)]).segments
    assert resolve_segment(TEXT, TEXT.version, good) == b"Erste"
    wrong: list[tuple[Segment, Reason]] = [
        (replace(good, page=2), Reason.PAGE_MISMATCH),
        (replace(good, end=6), Reason.ANCHOR_MISMATCH),
        (replace(good, sha256="0" * 64), Reason.ANCHOR_MISMATCH),
        (replace(good, end=0), Reason.RANGE_INVALID),
        (replace(good, end=len(TEXT) + 1), Reason.RANGE_INVALID),
    ]
    for segment, reason in wrong:
        with pytest.raises(ResolutionError) as caught:
            resolve_segment(TEXT, TEXT.version, segment)
        assert caught.value.reason is reason
    damaged = CanonicalText(TEXT.data.replace(b"30", b"90"))
    with pytest.raises(HashMismatchError, match="watcher verify"):
        resolve_segment(damaged, TEXT.version, good)


def test_every_reason_has_one_error_and_one_row() -> None:
    errors = {
        kind.reason: kind
        for kind in vars(resolution).values()
        if isinstance(kind, type)
        and issubclass(kind, ResolutionError)
        and kind is not ResolutionError
    }
    assert set(errors) == set(Reason) == set(REASONS)
    for reason, kind in errors.items():
        assert kind.code == reason.value
        assert kind.exit_code == REASONS[reason].exit_code
    assert len({facts.exit_code for facts in REASONS.values()}) == len(REASONS)


def test_only_the_contracts_errors_count_against_the_sli() -> None:
    counted = {
        kind.reason: (kind("x").counts(stored=True), kind("x").counts(stored=False))
        for kind in ResolutionError.__subclasses__()
    }
    assert counted[Reason.HASH_MISMATCH] == (True, True)
    assert counted[Reason.RANGE_INVALID] == counted[Reason.UNKNOWN_VERSION] == (True, False)
    for never in (Reason.FORBIDDEN, Reason.UNKNOWN_DOCUMENT, Reason.VERSION_PURGED):
        assert counted[never] == (False, False)


@pytest.mark.parametrize("bad", ["", "A", "-a", "a" * 129, "a/b", "a\n", "é"])
def test_document_ids_are_strict(bad: str) -> None:
    with pytest.raises(UsageError, match="document_id"):
        document_id(bad)


@pytest.mark.parametrize(
    "bad", ["", "sha256:", "sha256:" + "A" * 64, "a" * 64, "sha256:" + "a" * 65]
)
def test_version_ids_are_strict(bad: str) -> None:
    with pytest.raises(UsageError, match="version"):
        version_id(bad)


def test_ids_of_versions_and_changes() -> None:
    assert version_id(version_of(b"")) == "sha256:" + hashlib.sha256(b"").hexdigest()
    assert change_id("d", "1", "2") != change_id("d", "1", "3") != change_id("e", "1", "3")


@pytest.mark.parametrize("unit", ["", None, "bytes", "UTF-8-BYTES"])
def test_an_anchor_without_a_known_unit_is_an_error(unit: str | None) -> None:
    with pytest.raises(ResolutionError) as caught:
        Unit.parse(unit)
    assert caught.value.reason is Reason.UNIT_INVALID


def test_segments_stand_in_the_order_of_the_text_and_share_nothing() -> None:
    for ranges in ([(6, 11), (0, 5)], [(0, 8), (6, 11)], [(0, 5), (0, 5)]):
        with pytest.raises(ResolutionError, match="begins before"):
            cite(TEXT, document_id("d"), ranges)
    assert len(cite(TEXT, document_id("d"), [(0, 5), (5, 11)]).segments) == 2
