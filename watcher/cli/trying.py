"""`watcher try`: one address, everything that is found, nothing stored."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from watcher import __version__
from watcher.cli.entries import entry_text, suggest_document_id, toml_string
from watcher.cli.outcomes import leave_by
from watcher.cli.output import show_json, show_lines
from watcher.clock import SystemClock
from watcher.domain.reading import Reading
from watcher.domain.verdicts import Verdict
from watcher.errors import UsageError
from watcher.extract import Limits, Options, Source, extract_isolated
from watcher.fetch import Answer, AnswerKind, Fetcher, FetchSettings, Request
from watcher.pipeline.following import fetch_newest
from watcher.pipeline.intake import capture_of
from watcher.pipeline.verdicts import judge_first
from watcher.settings.documents import DocumentEntry

_LINES = 12


@dataclass(frozen=True, slots=True)
class Means:
    """How an address is tried: what an entry would say of networks, scripts, links and parts."""

    networks: tuple[str, ...] = ()
    browser: bool = False
    follow: str = ""
    newest: str = "date"
    select: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


def try_url(url: str, means: Means, *, as_json: bool) -> None:
    """Fetch, read and judge `url` once, and print all of it.

    Raises:
        UsageError: `url` or one of `means` is nothing that an entry could say.
    """
    name = suggest_document_id(url)
    for network in means.networks:
        _check_network(network)
    entry = _entry(url, name, means)
    answer = asyncio.run(_fetch(entry))
    reading, verdict = None, answer.verdict
    if answer.kind is AnswerKind.BODY:
        source = Source(
            answer.body,
            answer.content_type or None,
            answer.declared_charset or None,
            url.split("?", maxsplit=1)[0].rsplit("/", 1)[-1],
        )
        options = Options(select=entry.select, remove=entry.remove)
        reading = extract_isolated(source, options, Limits())
        verdict = judge_first(answer, capture_of(answer, url, SystemClock().now()), reading)
    if as_json:
        show_json(_row(url, answer, reading, verdict))
        leave_by([verdict.outcome.value] if verdict else [])
        return
    show_lines(_lines(answer, reading, verdict))
    show_lines(["", "# the entry to paste into your documents folder", ""])
    title = reading.title if reading else ""
    show_lines(entry_text(url, name, title, means.networks).splitlines())
    show_lines(_entry_lines(means))
    leave_by([verdict.outcome.value] if verdict else [])


def _entry(url: str, name: str, means: Means) -> DocumentEntry:
    """Return the entry that `means` describe, checked as a configuration file's is."""
    try:
        return DocumentEntry.model_validate(
            {
                "document_id": name,
                "url": url,
                "allowed_networks": means.networks,
                "render": "browser" if means.browser else "http",
                "select": means.select,
                "remove": means.remove,
                "follow": {"link": means.follow, "newest": means.newest} if means.follow else None,
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{field}: {first['msg'].removeprefix('Value error, ')}",
            hint="see `watcher try --help` and docs/configuration.md",
        ) from None


def _entry_lines(means: Means) -> Iterator[str]:
    """Yield what the entry says beside the address, as TOML."""
    if means.browser:
        yield 'render = "browser"'
    for key, rules in (("select", means.select), ("remove", means.remove)):
        if rules:
            yield f"{key} = [{', '.join(map(toml_string, rules))}]"
    if means.follow:
        newest = toml_string(means.newest)
        yield f"follow = {{ link = {toml_string(means.follow)}, newest = {newest} }}"


def _check_network(network: str) -> None:
    try:
        ipaddress.ip_network(network)
    except ValueError as error:
        raise UsageError(str(error), hint="write a network such as 10.0.0.0/8") from None


async def _fetch(entry: DocumentEntry) -> Answer:
    request = Request(
        document_id=entry.document_id,
        url=str(entry.url),
        allowed_networks=entry.allowed_networks,
        render=entry.render == "browser",
    )
    settings = FetchSettings(contact="trying one address by hand", version=__version__)
    async with Fetcher(settings) as fetcher:
        if entry.follow:
            return await fetch_newest(fetcher, request, entry.follow)
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
