"""What `watcher history import` does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from watcher.cli.opening import opened
from watcher.cli.output import Row, show_lines, show_rows, when
from watcher.domain.ids import DocumentId, document_id
from watcher.errors import UsageError
from watcher.pipeline.history import (
    LeftOut,
    Past,
    Taken,
    git_states,
    listed_files,
    named_files,
    take_all,
    warc_states,
)
from watcher.pipeline.services import Services


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a history comes from; exactly one of files, dates, git and warc is given."""

    files: tuple[Path, ...]
    dates: Path | None
    git: tuple[Path, str] | None
    warc: Path | None
    url: str


def import_history(config: Path, document: str, sources: Sources, *, as_json: bool) -> None:
    """Take the states in, and print one row for each.

    Raises:
        UsageError: not exactly one source, or one that cannot be read.
    """
    given = [sources.files, sources.dates, sources.git, sources.warc]
    if sum(map(bool, given)) != 1 or (sources.url and not sources.warc):
        raise UsageError(
            "a history comes from one source",
            hint="give dated files, or --dates CSV, or --git REPOSITORY PATH, or --warc FILE",
        )
    name = document_id(document)
    with opened(config, write=True) as services:
        rows = asyncio.run(_take(services, name, _states(services, name, sources)))
        show_rows(
            rows,
            as_json=as_json,
            columns=["claimed_at", "outcome", "version", "new", "where", "message"],
        )
        if not as_json:
            taken = sum(row["outcome"] == "imported" for row in rows)
            show_lines([f"{taken} of {len(rows)} states of {name} are citable"])


def _states(services: Services, name: DocumentId, sources: Sources) -> Iterable[Past | LeftOut]:
    if sources.files:
        return named_files(sources.files)
    if sources.dates:
        return listed_files(sources.dates)
    if sources.git:
        return git_states(*sources.git)
    assert sources.warc is not None
    entry = services.entries.get(name)
    url = sources.url or (str(entry.url) if entry else "")
    if not url:
        raise UsageError(f"{name} has no url in the configuration", hint="name it: --url https://…")
    return warc_states(sources.warc, url)


async def _take(
    services: Services, name: DocumentId, states: Iterable[Past | LeftOut]
) -> list[Row]:
    return [_row(taken) async for taken in take_all(services, name, states)]


def _row(taken: Taken) -> Row:
    verdict = taken.verdict
    outcome = "imported" if taken.version else verdict.outcome.value if verdict else "left out"
    return {
        "claimed_at": when(taken.claimed_at),
        "outcome": outcome,
        "reason": verdict.reason.value if verdict and verdict.reason else None,
        "version": taken.version,
        "capture_id": taken.capture_id,
        "new": taken.new,
        "where": taken.where,
        "message": taken.why,
    }
