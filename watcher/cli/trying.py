"""`watcher try`: one address, everything that is found, nothing stored."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterator

from watcher import __version__
from watcher.cli.entries import entry_text, suggest_document_id
from watcher.cli.output import show_json, show_lines
from watcher.clock import SystemClock
from watcher.domain.reading import Reading
from watcher.domain.verdicts import Verdict
from watcher.errors import UsageError
from watcher.extract import Limits, Options, Source, extract_isolated
from watcher.fetch import Answer, AnswerKind, Fetcher, FetchSettings, Request
from watcher.pipeline.intake import capture_of
from watcher.pipeline.verdicts import judge_first

_LINES = 12


def try_url(url: str, networks: tuple[str, ...], *, browser: bool, as_json: bool) -> None:
    """Fetch, read and judge `url` once, and print all of it."""
    name = suggest_document_id(url)
    for network in networks:
        _check_network(network)
    request = Request(document_id=name, url=url, allowed_networks=networks, render=browser)
    answer = asyncio.run(_fetch(request))
    reading, verdict = None, answer.verdict
    if answer.kind is AnswerKind.BODY:
        source = Source(
            answer.body,
            answer.content_type or None,
            answer.declared_charset or None,
            url.split("?", maxsplit=1)[0].rsplit("/", 1)[-1],
        )
        reading = extract_isolated(source, Options(), Limits())
        verdict = judge_first(answer, capture_of(answer, url, SystemClock().now()), reading)
    if as_json:
        show_json(_row(url, answer, reading, verdict))
        return
    show_lines(_lines(answer, reading, verdict))
    show_lines(["", "# the entry to paste into your documents folder", ""])
    title = reading.title if reading else ""
    show_lines(entry_text(url, name, title, networks).splitlines())
    show_lines(['render = "browser"'] if browser else [])


def _check_network(network: str) -> None:
    try:
        ipaddress.ip_network(network)
    except ValueError as error:
        raise UsageError(str(error), hint="write a network such as 10.0.0.0/8") from None


async def _fetch(request: Request) -> Answer:
    settings = FetchSettings(contact="trying one address by hand", version=__version__)
    async with Fetcher(settings) as fetcher:
        return await fetcher.fetch(request)


def _lines(answer: Answer, reading: Reading | None, verdict: Verdict | None) -> Iterator[str]:
    for hop in answer.hops:
        to = f" -> {hop.location}" if hop.location else ""
        yield f"{hop.status} {hop.url} ({hop.peer}){to}"
    for fact in answer.evidence:
        yield f"  {fact.name}: {fact.value}"
    if verdict is not None:
        reason = f", {verdict.reason.value}" if verdict.reason else ""
        yield f"verdict: {verdict.outcome.value}{reason} {verdict.message}".rstrip()
        if verdict.hint:
            yield f"  -> {verdict.hint}"
        for fact in verdict.evidence:
            yield f"  {fact.name}: {fact.value}"
    elif answer.note:
        yield f"deferred: {answer.note}"
    if reading is None:
        return
    kind = reading.media_type.value if reading.media_type else "unknown type"
    yield f"read: {kind} by {reading.rendition.engine}, {reading.verdict.value}"
    yield f"  title: {reading.title or '(none)'}; language: {reading.language or '(none)'}"
    pages = len(reading.text.pages)
    yield f"  {len(reading.text)} bytes, {pages} pages, {reading.text.version}"
    for problem in reading.problems:
        page = f" (page {problem.page})" if problem.page else ""
        yield f"  {problem.code}: {problem.message}{page}"
    for line in reading.text.data.decode().splitlines()[:_LINES]:
        yield f"  | {line[:160]}"


def _row(
    url: str, answer: Answer, reading: Reading | None, verdict: Verdict | None
) -> dict[str, str | int | None]:
    return {
        "url": url,
        "final_url": answer.shown_url,
        "status": answer.status,
        "outcome": verdict.outcome.value if verdict else "deferred",
        "reason": verdict.reason.value if verdict and verdict.reason else None,
        "message": verdict.message if verdict else answer.note,
        "media_type": reading.media_type.value if reading and reading.media_type else None,
        "version": reading.text.version if reading and reading.usable else None,
        "pages": len(reading.text.pages) if reading else None,
        "title": reading.title if reading else None,
    }
