"""One document from several addresses: fetched in order, one capture, all or nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from watcher.domain.verdicts import Evidence, Outcome, Refusal, Verdict
from watcher.extract.parts import PARTS_TYPE, Part, pack
from watcher.fetch import Answer, AnswerKind, Fetcher, Request
from watcher.pipeline.requests import request_at

Judge = Callable[[Answer], Awaitable[Verdict]]
"""Reads an answer and judges it by itself."""


async def fetch_parts(
    fetcher: Fetcher, request: Request, urls: Sequence[str], judge: Judge
) -> Answer:
    """Fetch the request's address and then `urls`, and return one answer that holds all.

    Every part must be a document by itself. The first that does not answer, or
    is an error page or a wall, is the answer: a document with a part missing
    is not the document. There is no conditional state, as validators belong to
    one address: parts are always fetched whole.
    """
    addresses = (request.url, *urls)
    answers: list[Answer] = []
    found: list[Evidence] = []
    for number, url in enumerate(addresses, start=1):
        answer = await fetcher.fetch(request_at(url, replace(request, validators=None)))
        found += [Evidence(f"part_{number}", answer.shown_url), *answer.evidence]
        if answer.kind is AnswerKind.BODY:
            verdict = await judge(answer)
            if verdict.outcome is Outcome.REFUSED:
                answer = replace(answer, kind=AnswerKind.REFUSED, verdict=verdict, body=b"")
        if answer.kind is not AnswerKind.BODY:
            return replace(answer, validators=None, evidence=tuple(found))
        answers.append(answer)
    size = sum(len(answer.body) for answer in answers)
    if size > request.limits.decoded_bytes:
        return _too_large(answers[0], size, tuple(found))
    parts = [Part(a.shown_url, a.content_type, a.declared_charset, a.body) for a in answers]
    return replace(
        answers[0],
        body=pack(parts),
        content_type=PARTS_TYPE,
        declared_charset="",
        validators=None,
        raw_bytes=sum(answer.raw_bytes for answer in answers),
        evidence=tuple(found),
    )


def _too_large(first: Answer, size: int, found: tuple[Evidence, ...]) -> Answer:
    verdict = Verdict(
        Outcome.REFUSED,
        Refusal.TOO_LARGE,
        f"the parts have {size} bytes together",
        "raise fetch.max_bytes if the document really is that large",
    )
    return replace(
        first,
        kind=AnswerKind.REFUSED,
        verdict=verdict,
        body=b"",
        validators=None,
        evidence=found,
    )
