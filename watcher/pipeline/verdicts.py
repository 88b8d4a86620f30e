"""Gathering the facts that the verdict on received bytes rests on."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from watcher.domain.reading import ExtractVerdict, MediaType, Reading
from watcher.domain.verdicts import Outcome, Verdict
from watcher.extract.parts import is_packed
from watcher.fetch import Answer
from watcher.fetch.complete import ends_properly
from watcher.fetch.page_facts import PageFacts, page_facts
from watcher.fetch.verdict import AnswerFacts, Baseline, Made, judge
from watcher.pipeline.at_hand import AtHand
from watcher.pipeline.services import Services
from watcher.store.rows import Current, NewCapture

_MORE_HIDDEN = 20
"""Hidden characters more than in the last accepted reading that are flagged."""


def judge_reading(
    at_hand: AtHand,
    capture: NewCapture,
    reading: Reading,
    current: Current | None,
    answer: Answer | None,
) -> Verdict:
    """Return the verdict on received bytes, held against the last accepted ones."""
    before = at_hand.reading(current.reading_id) if current is not None else None
    baseline = _baseline(at_hand.services, current, before) if current and before else None
    return _flagged(judge(_facts(capture, reading, baseline, answer)), reading, before)


def judge_first(answer: Answer, capture: NewCapture, reading: Reading) -> Verdict:
    """Return the verdict on an answer of which nothing is known yet."""
    return _flagged(judge(_facts(capture, reading, None, answer)), reading, None)


def _flagged(verdict: Verdict, reading: Reading, before: Reading | None) -> Verdict:
    """Return an accepting verdict with what a person should know of the extraction.

    `low_agreement`: the two PDF engines read it differently. `ocr`: some of its
    pages were read from images. `hidden_text`: it has more text that nobody sees.
    """
    if verdict.outcome is not Outcome.ACCEPTED:
        return verdict
    codes = {problem.code for problem in reading.problems}
    flags: list[str] = [code for code in ("low_agreement", "ocr") if code in codes]
    if reading.hidden_characters >= (before.hidden_characters if before else 0) + _MORE_HIDDEN:
        flags.append("hidden_text")
    return replace(verdict, flags=(*verdict.flags, *flags))


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
        problem=reading.problems[0].message if reading.problems else "",
        headers=dict(capture.headers),
        declared_type=capture.content_type,
        title=reading.title,
        pages=len(reading.text.pages),
        blank_pages=blank_pages(reading),
        closed=not capture.body.strip() or _closed(capture.body, reading.media_type),
        page=cache(partial(_page, reading, capture.body)),
        baseline=baseline,
    )


def _baseline(services: Services, current: Current, reading: Reading) -> Baseline:
    store = services.store
    capture = store.captures.get(current.capture_id)
    media_type = reading.media_type.value if reading.media_type else ""
    return Baseline(
        text=reading.text.data.decode(),
        media_type=media_type,
        final_url=capture.final_url,
        title=reading.title,
        blank_pages=blank_pages(reading),
        made=cache(lambda: _made(reading, store.captures.body(current.capture_id))),
    )


def _made(reading: Reading, body: bytes) -> Made:
    return Made(_closed(body, reading.media_type), _page(reading, body))


def blank_pages(reading: Reading) -> int:
    """Count the pages without text; a document of one page is empty, not blank in part."""
    data = reading.text.data
    if len(reading.text.pages) == 1:
        return 0
    return sum(not data[page.start : page.end].strip() for page in reading.text.pages)


def _closed(body: bytes, media_type: MediaType | None) -> bool:
    # Of several sources in one capture each was judged by itself before.
    return is_packed(body) or ends_properly(body, media_type)


def _page(reading: Reading, body: bytes) -> PageFacts | None:
    """Return the facts of an HTML page that could be read, whether or not it has text.

    What the killable worker could not read within its limits is not parsed a
    second time here, where nothing would stop it: deep nesting and endless
    attributes cost the parser quadratic time.
    """
    failed = reading.verdict is ExtractVerdict.FAILED
    if reading.media_type is not MediaType.HTML or is_packed(body) or failed:
        return None
    return page_facts(body, reading.charset or None)
