"""Gathering the facts that the verdict on received bytes rests on."""

from __future__ import annotations

from watcher.domain.reading import MediaType, Reading
from watcher.domain.verdicts import Verdict
from watcher.extract.parts import is_packed
from watcher.fetch import Answer
from watcher.fetch.complete import ends_properly
from watcher.fetch.page_facts import PageFacts, page_facts
from watcher.fetch.verdict import AnswerFacts, Baseline, judge
from watcher.pipeline.services import Services
from watcher.store.rows import Current, NewCapture


def judge_reading(
    services: Services,
    capture: NewCapture,
    reading: Reading,
    current: Current | None,
    answer: Answer | None,
) -> Verdict:
    """Return the verdict on received bytes, held against the last accepted ones."""
    baseline = _baseline(services, current) if current is not None else None
    return judge(_facts(capture, reading, baseline, answer))


def judge_first(answer: Answer, capture: NewCapture, reading: Reading) -> Verdict:
    """Return the verdict on an answer of which nothing is known yet."""
    return judge(_facts(capture, reading, None, answer))


def _facts(
    capture: NewCapture, reading: Reading, baseline: Baseline | None, answer: Answer | None
) -> AnswerFacts:
    media_type = reading.media_type.value if reading.media_type else ""
    final_url = answer.final_url if answer else capture.final_url
    return AnswerFacts(
        requested_url=answer.hops[0].url if answer and answer.hops else capture.url,
        final_url=final_url,
        media_type=media_type,
        text=reading.text.data.decode(),
        extract_verdict=reading.verdict,
        headers=dict(capture.headers),
        declared_type=capture.content_type,
        title=reading.title,
        pages=len(reading.text.pages),
        blank_pages=blank_pages(reading),
        closed=not capture.body.strip() or _closed(capture.body, reading.media_type),
        page=_page(reading.media_type, capture.body, reading.charset),
        baseline=baseline,
    )


def _baseline(services: Services, current: Current) -> Baseline:
    store = services.store
    capture = store.captures.get(current.capture_id)
    reading = store.captures.reading(current.reading_id)
    body = store.captures.body(current.capture_id)
    media_type = reading.media_type.value if reading.media_type else ""
    return Baseline(
        text=reading.text.data.decode(),
        media_type=media_type,
        final_url=capture.final_url,
        title=reading.title,
        closed=_closed(body, reading.media_type),
        blank_pages=blank_pages(reading),
        page=_page(reading.media_type, body, reading.charset),
    )


def blank_pages(reading: Reading) -> int:
    """Count the pages without text; a document of one page is empty, not blank in part."""
    data = reading.text.data
    if len(reading.text.pages) == 1:
        return 0
    return sum(not data[page.start : page.end].strip() for page in reading.text.pages)


def _closed(body: bytes, media_type: MediaType | None) -> bool:
    # Of several sources in one capture each was judged by itself before.
    return is_packed(body) or ends_properly(body, media_type)


def _page(media_type: MediaType | None, body: bytes, charset: str) -> PageFacts | None:
    if media_type is not MediaType.HTML or is_packed(body):
        return None
    return page_facts(body, charset or None)
