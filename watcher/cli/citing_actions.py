"""What the citation commands do."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from watcher.cli.opening import actor, chosen_version, opened
from watcher.cli.output import Row, show_json, show_lines, show_rows, when
from watcher.domain.anchors import Citation
from watcher.domain.ids import document_id
from watcher.domain.ranges import Range
from watcher.domain.text import Unit
from watcher.errors import UsageError
from watcher.pipeline.anchoring import confirm as state_by_person
from watcher.pipeline.citing import EmissionKey, Emitted, emit
from watcher.pipeline.citing import resolve as resolve_citation
from watcher.pipeline.services import Services
from watcher.pipeline.touched import touched_citations
from watcher.pipeline.views import find_change
from watcher.store.rows import OperatorAct, Resolution, StoredCitation

_OFFSET = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Asked:
    """The passage that a person asks to cite."""

    ranges: Sequence[str]
    unit: str
    quote: str
    version: str | None


def emission_key(caller: str, answer: str, ordinal: int, labels: Sequence[str]) -> EmissionKey:
    """Return the key and labels of a use.

    Raises:
        UsageError: a label is not name=value.
    """
    pairs = []
    for label in labels:
        name, separator, value = label.partition("=")
        if not name or not separator:
            raise UsageError(f"{label!r} is not a label", hint="write name=value")
        pairs.append((name, value))
    return EmissionKey(caller, answer, ordinal, labels=tuple(pairs))


def cite(config: Path, document: str, asked: Asked, key: EmissionKey, *, as_json: bool) -> None:
    """Emit, and print the citation with its anchors."""
    with opened(config, write=True) as services:
        version = None
        if asked.version is not None:
            version = chosen_version(services, document, asked.version)
        emitted = emit(
            services,
            document_id(document),
            key,
            version=version,
            ranges=[_range(text) for text in asked.ranges],
            unit=Unit.parse(asked.unit),
            quote=asked.quote,
        )
        if as_json:
            show_json(_emitted_row(emitted))
            return
        citation = emitted.citation
        how = f", found by {emitted.step.value}" if emitted.step else ""
        standing = "current" if emitted.current else "superseded"
        show_lines([f"{citation.citation_id}  {citation.version} ({standing}){how}"])
        show_lines(
            f"  page {s.page}, bytes {s.start}:{s.end}, sha256 {s.sha256}"
            for s in citation.segments
        )


def resolve(config: Path, what: str, *, as_json: bool) -> None:
    """Print the passage; the errors are the contract's."""
    if what == "-":
        what = sys.stdin.read()
    with opened(config) as services:
        found = resolve_citation(services, what.strip())
        if as_json:
            show_json(_resolution_row(found))
            return
        citation = found.citation
        standing = f"{found.standing.value} since {when(found.since)}"
        show_lines([f"{citation.document_id}  {citation.version}  {standing}"])
        for segment, passage in zip(citation.segments, found.passages, strict=True):
            show_lines([f"page {segment.page}, bytes {segment.start}:{segment.end}:"])
            show_lines(passage.decode().split("\n"))


def list_citations(config: Path, document: str | None, limit: int, *, as_json: bool) -> None:
    """Print citations with their last statement."""
    with opened(config) as services:
        names = (
            [services.store.documents.get(document_id(document)).document_id]
            if document is not None
            else [d.document_id for d in services.store.documents.list()]
        )
        rows = [
            _citation_row(services, stored)
            for name in names
            for stored in services.store.citations.list(name, after=0, limit=limit)
        ]
        show_rows(
            rows[:limit],
            as_json=as_json,
            columns=["citation_id", "document_id", "page", "start", "end", "answers", "status"],
        )


def withdraw(config: Path, citation: str, caller: str, answer: str, reason: str) -> None:
    """Withdraw every use of a citation by one answer."""
    with opened(config, write=True) as services:
        uses = [
            emission
            for emission in services.store.citations.emissions(citation)
            if (emission.caller, emission.answer_id) == (caller, answer)
            and emission.withdrawn_at is None
        ]
        if not uses:
            raise UsageError(
                f"{caller}/{answer} does not use {citation}",
                hint="see `watcher citations list --json`",
            )
        for emission in uses:
            services.store.citations.withdraw(
                emission.number, at=services.clock.now(), actor=actor(), reason=reason
            )
        show_lines([f"withdrawn: {len(uses)} uses of {citation} by {caller}/{answer}"])


def affected(config: Path, change: str, *, as_json: bool) -> None:
    """Print the citations that a change does not carry, with their answers."""
    with opened(config) as services:
        found = find_change(services, change)
        rows: list[Row] = [
            {
                "citation_id": item.citation.citation.citation_id,
                "status": item.statement.status.value,
                "material": item.statement.material,
                "context_changed": item.statement.context_changed,
                "ranges": [list(r) for r in item.statement.ranges],
                "answers": [f"{e.caller}/{e.answer_id}#{e.ordinal}" for e in item.emissions],
            }
            for item in touched_citations(services, found)
        ]
        show_rows(rows, as_json=as_json, columns=["citation_id", "status", "material", "answers"])


def confirm(
    config: Path,
    citation: str,
    version: str | None,
    ranges: Sequence[str],
    reason: str,
    *,
    harmless: bool,
    as_json: bool,
) -> None:
    """Record a person's statement, and the act."""
    with opened(config, write=True) as services:
        document = services.store.citations.get(citation).citation.document_id
        chosen = chosen_version(services, document, version)
        places = [Range(*_range(text)) for text in ranges]
        who = actor()
        statement = state_by_person(
            services, citation, chosen, places, actor=who, harmless=harmless
        )
        act = OperatorAct(services.clock.now(), who, "confirm", citation, document, reason)
        services.store.acts.record(act)
        row: Row = {
            "citation_id": citation,
            "version": chosen,
            "status": statement.status.value,
            "ranges": [list(r) for r in statement.ranges],
            "carries": statement.carries,
            "algorithm": statement.algorithm,
        }
        show_rows([row], as_json=as_json, columns=["citation_id", "status", "ranges", "carries"])


def _range(text: str) -> tuple[int, int]:
    start, separator, end = text.partition(":")
    if not separator or not _OFFSET.fullmatch(start) or not _OFFSET.fullmatch(end):
        raise UsageError(f"{text[:60]!r} is not a range", hint="write --range 120:180")
    return int(start), int(end)


def _anchor_rows(citation: Citation) -> list[Row]:
    return [dict(anchor) for anchor in citation.anchors()]


def _emitted_row(emitted: Emitted) -> Row:
    return {
        "citation_id": emitted.citation.citation_id,
        "document_id": emitted.citation.document_id,
        "version": emitted.citation.version,
        "current": emitted.current,
        "found_by": emitted.step.value if emitted.step else "range",
        "new": emitted.emission.new,
        "expires_at": when(emitted.emission.expires_at),
        "anchors": _anchor_rows(emitted.citation),
    }


def _resolution_row(found: Resolution) -> Row:
    return {
        "citation_id": found.citation.citation_id,
        "document_id": found.citation.document_id,
        "version": found.citation.version,
        "standing": found.standing.value,
        "since": when(found.since),
        "passages": [passage.decode() for passage in found.passages],
        "anchors": _anchor_rows(found.citation),
    }


def _citation_row(services: Services, stored: StoredCitation) -> Row:
    citation = stored.citation
    store = services.store.citations
    statements = store.statements(citation.citation_id)
    first = citation.segments[0]
    return {
        "citation_id": citation.citation_id,
        "document_id": citation.document_id,
        "version": citation.version,
        "page": first.page,
        "start": first.start,
        "end": first.end,
        "segments": len(citation.segments),
        "answers": [
            f"{e.caller}/{e.answer_id}#{e.ordinal}" + (" (withdrawn)" if e.withdrawn_at else "")
            for e in store.emissions(citation.citation_id)
        ],
        "status": statements[-1].statement.status.value if statements else "as emitted",
        "statements": [
            {
                "version": s.version,
                "status": s.statement.status.value,
                "ranges": [list(r) for r in s.statement.ranges],
                "material": s.statement.material,
                "context_changed": s.statement.context_changed,
                "similarity": s.statement.similarity,
                "method": s.statement.method,
                "algorithm": s.statement.algorithm,
            }
            for s in statements
        ],
    }
