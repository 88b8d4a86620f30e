"""Pages written by somebody who had not seen the rules: what stands in for documents, and documents."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from watcher.domain.reading import MediaType
from watcher.domain.verdicts import Outcome, Verdict
from watcher.extract.model import Options, Source
from watcher.extract.read import extract
from watcher.fetch import AnswerFacts, Baseline, judge, page_facts
from watcher.fetch.complete import ends_properly
from watcher.fetch.status import status_verdict
from watcher.fetch.verdict import Made

PAGES = Path(__file__).parent / "unseen" / "pages.jsonl"
MOST_DOUBTED = 1
"""Of 60 documents, how many are held for a person when seen first; none is refused."""
MOST_BEGUN = 1
"""Of 150 pages that are none, how many begin a document; with a document before, none."""


@cache
def pages(*, documents: bool) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in PAGES.read_text("utf-8").splitlines()]
    return [row for row in rows if (row["kind"] == "document") is documents]


def body_of(row: dict[str, Any]) -> bytes:
    return str(row["html"]).encode()


def facts(row: dict[str, Any], baseline: Baseline | None = None) -> AnswerFacts:
    body, content_type = body_of(row), row["headers"].get("content-type", "")
    reading = extract(Source(body, content_type), Options())
    html = reading.media_type is MediaType.HTML
    page = cache(lambda: page_facts(body, reading.charset) if html else None)
    return AnswerFacts(
        requested_url=row["url"],
        final_url=row["final_url"],
        media_type=reading.media_type.value if reading.media_type else "",
        text=reading.text.data.decode(),
        extract_verdict=reading.verdict,
        headers=row["headers"],
        declared_type=content_type,
        title=reading.title,
        closed=not body.strip() or ends_properly(body, reading.media_type),
        page=page,
        baseline=baseline,
    )


def before(row: dict[str, Any], url: str) -> Baseline:
    known = facts(row)
    return Baseline(
        known.text, known.media_type, url, known.title, made=lambda: Made(page=known.page())
    )


def verdict(row: dict[str, Any], baseline: Baseline | None = None) -> Verdict:
    if row["status"] >= 400:
        return status_verdict(row["url"], row["status"], row["headers"], body_of(row), "utf-8")
    return judge(facts(row, baseline))


def test_hardly_a_page_that_is_no_document_begins_one() -> None:
    stand_ins = pages(documents=False)
    assert len(stand_ins) >= 100
    assert len({row["lang"] for row in stand_ins}) >= 8
    begun = [row["id"] for row in stand_ins if verdict(row).outcome is Outcome.ACCEPTED]
    assert len(begun) <= MOST_BEGUN, begun


def test_no_such_page_takes_the_place_of_a_document_in_its_language() -> None:
    documents = {row["lang"]: row for row in pages(documents=True)}
    for row in pages(documents=False):
        document = documents.get(row["lang"])
        known = before(document, row["url"]) if document else None
        if known is not None:
            assert verdict(row, known).outcome is not Outcome.ACCEPTED, row["id"]


def test_no_document_is_refused() -> None:
    first = {row["id"]: verdict(row).outcome for row in pages(documents=True)}
    assert Outcome.REFUSED not in first.values(), first
    held = [name for name, outcome in first.items() if outcome is Outcome.HELD]
    assert len(held) <= MOST_DOUBTED, held


def test_every_document_is_accepted_after_itself() -> None:
    for row in pages(documents=True):
        again = verdict(row, before(row, row["final_url"]))
        assert again.outcome is Outcome.ACCEPTED, (row["id"], again)
