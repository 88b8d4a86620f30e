"""What the watching commands do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Literal

from watcher import __version__
from watcher.alert.delivery import Sender
from watcher.cli.entries import entry_text, suggest_document_id, write_entry
from watcher.cli.opening import actor, opened
from watcher.cli.outcomes import leave_by
from watcher.cli.output import Row, show_lines, show_rows, when
from watcher.domain.ids import DocumentId, document_id
from watcher.domain.verdicts import Verdict
from watcher.errors import UsageError, WatcherError
from watcher.fetch import Fetcher
from watcher.pipeline.check import Checker, CheckReport
from watcher.pipeline.deliver import build_senders, deliver_due
from watcher.pipeline.ingest import decide as decide_capture
from watcher.pipeline.ingest import ingest as ingest_file
from watcher.pipeline.requests import fetch_settings
from watcher.pipeline.rerendering import rerender as rerender_document
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import load

_LEASE_SECONDS = 600.0


def add(config: Path, url: str, document: str, title: str, networks: tuple[str, ...]) -> None:
    """Write the entry, then check it once."""
    folder = load(config).documents_dir
    name = document or suggest_document_id(url)
    path = write_entry(folder, entry_text(url, document_id(name), title, networks), name)
    try:
        load(config)
    except WatcherError:
        path.unlink()
        raise
    show_lines([f"wrote {path}"])
    check(config, [name], full=False, as_json=False)


def check(config: Path, documents: Sequence[str], *, full: bool, as_json: bool) -> None:
    """Check and print one row for each document."""
    with opened(config, write=True) as services:
        sync_documents(services)
        names = [document_id(name) for name in documents] or list(services.entries)
        for name in names:
            services.store.documents.get(name)
        rows = asyncio.run(_check_all(services, names, full=full))
        show_rows(
            rows,
            as_json=as_json,
            columns=["document_id", "outcome", "reason", "version", "message"],
        )
    leave_by(str(row["outcome"]) for row in rows)


async def _check_all(services: Services, names: Sequence[DocumentId], *, full: bool) -> list[Row]:
    rows: list[Row] = []
    senders = _senders(services)
    async with Fetcher(fetch_settings(services.settings, __version__)) as fetcher:
        checker = Checker(services, fetcher)
        for name in names:
            leased = services.store.documents.claim(
                name, services.clock.now(), lease_seconds=_LEASE_SECONDS, owner=actor()
            )
            report = await checker.check(leased, full=full)
            rows.append(_report_row(services, report))
    while await deliver_due(services, senders):
        pass
    return rows


def _report_row(services: Services, report: CheckReport) -> Row:
    current = services.store.versions.current(report.document_id)
    verdict = report.verdict
    if verdict is None:
        return {
            "document_id": report.document_id,
            "outcome": "deferred",
            "reason": None,
            "version": current.version if current else None,
            "message": report.answer.note,
            "change_id": None,
        }
    hint = f" -> {verdict.hint}" if verdict.hint else ""
    return {
        "document_id": report.document_id,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason.value if verdict.reason else None,
        "version": current.version if current else None,
        "message": verdict.message + hint,
        "change_id": report.change_id,
    }


def ingest(
    config: Path,
    file: Path,
    document: str,
    media_type: str | None,
    title: str,
    *,
    as_json: bool,
) -> None:
    """Take a file in and print the verdict."""
    if not file.is_file():
        raise UsageError(f"{file} is not a file", hint="name the document's file")
    name = document_id(document)
    with opened(config, write=True) as services:
        verdict, change_id = asyncio.run(
            ingest_file(services, name, file, media_type=media_type, title=title)
        )
        asyncio.run(_deliver(services))
        show_rows(
            [_ingest_row(services, name, verdict, change_id)],
            as_json=as_json,
            columns=["document_id", "outcome", "reason", "version", "message"],
        )
    leave_by([verdict.outcome.value])


def _senders(services: Services) -> dict[str, Sender]:
    """Return the senders of a command: its console is standard error, rows are on the other."""
    with redirect_stdout(sys.stderr):
        return build_senders(services.settings)


async def _deliver(services: Services) -> None:
    senders = _senders(services)
    while await deliver_due(services, senders):
        pass


def _ingest_row(
    services: Services, name: DocumentId, verdict: Verdict, change_id: str | None
) -> Row:
    current = services.store.versions.current(name)
    hint = f" -> {verdict.hint}" if verdict.hint else ""
    return {
        "document_id": name,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason.value if verdict.reason else None,
        "version": current.version if current else None,
        "since": when(current.since) if current else None,
        "message": verdict.message + hint,
        "change_id": change_id,
    }


def decide(config: Path, capture: str, reason: str, *, accepted: bool) -> None:
    """Record a decision about a held capture."""
    with opened(config, write=True) as services:
        change_id = decide_capture(
            services, capture, accepted=accepted, actor=actor(), reason=reason
        )
        asyncio.run(_deliver(services))
        word = "accepted" if accepted else "rejected"
        more = f"; change {change_id[:12]}" if change_id else ""
        show_lines([f"{word} {capture}{more}"])


def rerender(
    config: Path, document: str, engine: Literal["pypdf", "pdfium"] | None, *, as_json: bool
) -> None:
    """Re-read the current capture and print what came of it."""
    name = document_id(document)
    with opened(config, write=True) as services:
        commit = asyncio.run(rerender_document(services, name, engine))
        current = services.store.versions.current(name)
        row: Row = {
            "document_id": name,
            "outcome": "read anew" if commit else "the same recipe",
            "engine": current.rendition.engine if current else None,
            "version": current.version if current else None,
            "change_id": commit.change_id if commit else None,
        }
        show_rows([row], as_json=as_json, columns=["document_id", "outcome", "engine", "version"])
