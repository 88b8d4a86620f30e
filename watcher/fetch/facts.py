"""From an answer and its reading to what `judge` wants to know. Pure."""

from __future__ import annotations

from watcher.domain.reading import MediaType, Reading
from watcher.fetch.complete import ends_properly
from watcher.fetch.model import Answer
from watcher.fetch.page_facts import PageFacts, page_facts
from watcher.fetch.verdict import AnswerFacts, Baseline


def answer_facts(
    requested_url: str, answer: Answer, reading: Reading, baseline: Baseline | None = None
) -> AnswerFacts:
    """Return the facts of an answer with a body, read as `reading`."""
    return AnswerFacts(
        requested_url=requested_url,
        final_url=answer.final_url,
        media_type=reading.media_type.value if reading.media_type else "",
        text=reading.text.data.decode(),
        extract_verdict=reading.verdict,
        headers=dict(answer.headers),
        declared_type=answer.content_type,
        title=reading.title,
        pages=len(reading.text.pages),
        blank_pages=blank_pages(reading),
        closed=ends_properly(answer.body, reading.media_type),
        page=_page(reading, answer.body, answer.declared_charset),
        baseline=baseline,
    )


def baseline_of(reading: Reading, body: bytes, final_url: str, charset: str = "") -> Baseline:
    """Return the baseline that an accepted capture makes: `body` read as `reading`."""
    return Baseline(
        text=reading.text.data.decode(),
        media_type=reading.media_type.value if reading.media_type else "",
        final_url=final_url,
        title=reading.title,
        closed=ends_properly(body, reading.media_type),
        blank_pages=blank_pages(reading),
        page=_page(reading, body, charset),
    )


def blank_pages(reading: Reading) -> int:
    """Return how many pages of a reading hold no text."""
    data = reading.text.data
    return sum(not data[page.start : page.end].strip() for page in reading.text.pages)


def _page(reading: Reading, body: bytes, charset: str) -> PageFacts | None:
    if reading.media_type is not MediaType.HTML:
        return None
    return page_facts(body, charset or None)
