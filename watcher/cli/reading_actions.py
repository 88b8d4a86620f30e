"""What the reading commands do."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import typer

from watcher.cli.dating_actions import in_force_lines, in_force_row, read_day
from watcher.cli.opening import chosen_version, opened
from watcher.cli.output import Row, show_json, show_lines, show_rows, when
from watcher.domain.ids import DocumentId, VersionId, document_id
from watcher.errors import UsageError
from watcher.pipeline.anchoring import anchor_all
from watcher.pipeline.dating import in_force, needed
from watcher.pipeline.services import Services
from watcher.pipeline.views import Damage
from watcher.pipeline.views import verify as verify_all
from watcher.store.rows import Observation, Version, VersionAt


def documents(config: Path, *, as_json: bool) -> None:
    """Print one row for each document."""
    with opened(config) as services:
        show_rows(
            (_document_row(services, d.document_id) for d in services.store.documents.list()),
            as_json=as_json,
            columns=["document_id", "state", "version", "last", "outcome", "reason", "next_check"],
        )


def _document_row(services: Services, name: DocumentId) -> Row:
    store = services.store
    document = store.documents.get(name)
    current = store.versions.current(name)
    newest = store.observations.newest(name)
    verdict = newest.verdict if newest else None
    return {
        "document_id": name,
        "title": document.title,
        "state": document.state.value,
        "version": current.version if current else None,
        "since": when(current.since) if current else None,
        "last": when(newest.last) if newest else None,
        "outcome": verdict.outcome.value if verdict else None,
        "reason": verdict.reason.value if verdict and verdict.reason else None,
        "message": verdict.message if verdict else None,
        "next_check": when(document.next_check),
        "urls": list(document.urls),
    }


def versions(config: Path, document: str, *, as_json: bool) -> None:
    """Print the versions, oldest first."""
    name = document_id(document)
    with opened(config) as services:
        services.store.documents.get(name)
        claims = services.store.captures.claims(name)
        rows: list[Row] = [
            {
                "version": v.version,
                "first_stored": when(v.first_stored),
                "standing": _standing(v, claims),
                "since": when(v.since),
                "claimed": when(claims[v.version][0]) if v.version in claims else None,
                "pages": v.pages,
                "bytes": v.size,
            }
            for v in services.store.versions.list(name)
        ]
        held: list[Row] = [
            {
                "version": None,
                "first_stored": when(capture.captured_at),
                "standing": f"held: {capture.capture_id}",
                "since": None,
                "claimed": None,
                "pages": None,
                "bytes": capture.body_size,
            }
            for capture in services.store.captures.held(name)
        ]
        show_rows(
            rows + held,
            as_json=as_json,
            columns=["version", "first_stored", "standing", "since", "claimed", "pages", "bytes"],
        )


def _standing(version: Version, claims: Mapping[VersionId, tuple[datetime, datetime]]) -> str:
    """Return how a version stands; one that never was current was imported or only held."""
    if version.purged:
        return "purged"
    if version.standing is not None:
        return version.standing.value
    return "imported" if version.version in claims else "held"


def show(
    config: Path,
    document: str,
    version: str | None,
    at: str | None,
    in_force_on: str | None,
    page: int | None,
    *,
    text: bool,
    as_json: bool,
) -> None:
    """Print a version's facts, or exactly its text."""
    if sum(choice is not None for choice in (version, at, in_force_on)) > 1:
        raise UsageError("a version, a time and a day are three answers", hint="ask for one")
    with opened(config) as services:
        name = document_id(document)
        if in_force_on is not None:
            answer = in_force(services, name, read_day(in_force_on))
            chosen = needed(answer, name).version
            if not text and page is None:
                if as_json:
                    show_json(
                        {"document_id": name, "version": chosen, **in_force_row(services, answer)}
                    )
                    return
                show_lines(in_force_lines(answer))
        elif at is not None:
            services.store.documents.get(name)
            known = services.store.versions.at(name, _time(at))
            if not text:
                _show_at(known, as_json=as_json)
                return
            if known.version is None:
                raise UsageError(f"no version is known at {at}", document_id=name)
            chosen = known.version
        else:
            chosen = chosen_version(services, document, version)
        found = services.store.versions.text(name, chosen)
        if not text and page is None:
            _show_version(services, name, chosen, as_json=as_json)
            return
        body = found.data
        if page is not None:
            if not 1 <= page <= len(found.pages):
                raise UsageError(
                    f"there is no page {page}", document_id=name, hint=f"1 to {len(found.pages)}"
                )
            place = found.pages[page - 1]
            body = body[place.start : place.end]
        sys.stdout.flush()
        sys.stdout.buffer.write(body)


def _show_version(
    services: Services, name: DocumentId, version: VersionId, *, as_json: bool
) -> None:
    store = services.store
    facts = store.versions.get(name, version)
    found = store.versions.text(name, version)
    claims = store.captures.claims(name)
    row: Row = {
        "document_id": name,
        "version": version,
        "standing": _standing(facts, claims),
        "since": when(facts.since),
        "claimed": [when(moment) for moment in claims.get(version, ())],
        "first_stored": when(facts.first_stored),
        "bytes": facts.size,
        "pages": [
            {"page": number, "start": p.start, "end": p.end}
            for number, p in enumerate(found.pages, start=1)
        ],
    }
    if as_json:
        show_json(row)
        return
    show_lines(
        [
            f"{name}  {version}",
            _since(row),
            f"{facts.size} bytes, {facts.pages} pages",
        ]
    )
    for number, place in enumerate(found.pages[:20], start=1):
        first = found.data[place.start : place.end].decode().strip().split("\n", 1)[0]
        show_lines([f"  page {number}  {place.start}:{place.end}  {first[:80]}"])
    if len(found.pages) > 20:
        show_lines([f"  ... and {len(found.pages) - 20} more pages"])
    show_lines([f"the text itself: watcher show {name} --version {version[7:19]} --text"])


def _since(row: Row) -> str:
    """Return since when a version stands as it does; a claim is never called more than that."""
    since = f"since {row['since']}, " if row["since"] else ""
    claimed = row["claimed"]
    claim = (
        f", imported for {claimed[0]} by its source's claim"
        if isinstance(claimed, list) and claimed
        else ""
    )
    return f"{row['standing']} {since}first stored {row['first_stored']}{claim}"


def _show_at(known: VersionAt, *, as_json: bool) -> None:
    gap = known.gap
    row: Row = {
        "at": when(known.at),
        "version": known.version,
        "confirmed": _observation_row(known.confirmed),
        "differs": _observation_row(known.differs),
        "gap": None
        if gap is None
        else {
            "start": when(gap.start),
            "end": when(gap.end),
            "failed": [_observation_row(o) for o in gap.failed],
        },
    }
    if as_json:
        show_json(row)
        return
    show_lines(_at_lines(known))


def _at_lines(known: VersionAt) -> Iterator[str]:
    if known.version is None:
        yield f"no version is known at {when(known.at)}"
    else:
        yield f"{known.version}"
    if known.confirmed:
        seen = known.confirmed
        yield (
            f"last confirmed: {seen.count} observations from {when(seen.first)} to"
            f" {when(seen.last)} ({seen.verdict.outcome.value})"
        )
    if known.differs:
        yield f"first that differs: {when(known.differs.first)}"
    if known.gap:
        start, end = when(known.gap.start) or "the beginning", when(known.gap.end) or "now"
        yield f"nothing is claimed between {start} and {end}"
        for seen in known.gap.failed:
            reason = seen.verdict.reason.value if seen.verdict.reason else ""
            yield f"  {seen.count} x {reason} from {when(seen.first)} to {when(seen.last)}"


def _observation_row(seen: Observation | None) -> Row | None:
    if seen is None:
        return None
    return {
        "first": when(seen.first),
        "last": when(seen.last),
        "count": seen.count,
        "outcome": seen.verdict.outcome.value,
        "reason": seen.verdict.reason.value if seen.verdict.reason else None,
        "http_status": seen.http_status,
    }


def _time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is not a time", hint="write 2026-05-12 or 2026-05-12T02:13:00Z"
        ) from None


def changes(config: Path, document: str | None, limit: int, *, as_json: bool) -> None:
    """Print changes, newest first."""
    with opened(config) as services:
        name = document_id(document) if document is not None else None
        if name is not None:
            services.store.documents.get(name)
        rows: list[Row] = []
        for change in services.store.changes.list(name, limit=limit):
            judged = services.store.changes.classification(change.change_id)
            rows.append(
                {
                    "change_id": change.change_id if as_json else change.change_id[:12],
                    "document_id": change.document_id,
                    "at": when(change.at),
                    "kind": change.kind.value,
                    "cause": change.cause.value,
                    "state": change.state.value,
                    "class": judged.change_class.value if judged else None,
                    "tier": judged.tier.value if judged else None,
                    "score": judged.score if judged else None,
                    "facets": list(judged.facets) if judged else [],
                    "from_version": change.from_version,
                    "to_version": change.to_version,
                }
            )
        show_rows(
            rows,
            as_json=as_json,
            columns=[
                "change_id",
                "document_id",
                "at",
                "class",
                "tier",
                "from_version",
                "to_version",
            ],
        )


def verify(config: Path, *, as_json: bool) -> None:
    """Check everything; exit with 18 (hash_mismatch) where something is damaged."""
    damaged = False
    with opened(config) as services:
        for found in verify_all(services):
            if isinstance(found, Damage):
                damaged = True
                row: Row = {
                    "document_id": found.document_id,
                    "what": found.what,
                    "reason": found.reason,
                    "message": found.message,
                }
                if as_json:
                    show_json(row)
                else:
                    show_lines([f"DAMAGED {found.message}"])
            elif as_json:
                show_json({"summary": found, "damaged": damaged})
            else:
                show_lines([found + (": see above" if damaged else ": everything holds")])
    if damaged:
        raise typer.Exit(18)


def draw(config: Path, citation: str, image: Path) -> None:
    """Draw the page of a citation, its passage marked, into a PNG file."""
    from watcher.pipeline.picturing import picture_of

    with opened(config) as services:
        image.write_bytes(picture_of(services, services.store.citations.get(citation).citation))
        show_lines([f"wrote {image}"])


def reanchor(
    config: Path, document: str | None, to: str | None, *, recompute: bool, as_json: bool
) -> None:
    """State what is missing for a version, and print where the citations are."""
    if document is None:
        raise UsageError("nothing to re-anchor", hint="give a document_id, or --cases FILE")
    with opened(config, write=True) as services:
        version = chosen_version(services, document, to)
        rows: list[Row] = [
            {
                "citation_id": citation_id,
                "status": statement.status.value,
                "how": statement.how.value if statement.how else None,
                "ranges": [list(r) for r in statement.ranges],
                "candidates": [list(r) for r in statement.candidates],
                "material": statement.material,
                "context_changed": statement.context_changed,
                "carries": statement.carries,
                "similarity": statement.similarity,
                "coverage": statement.coverage,
                "method": statement.method,
                "algorithm": statement.algorithm,
            }
            for citation_id, statement in anchor_all(
                services, document_id(document), version, recompute=recompute
            )
        ]
        show_rows(
            rows,
            as_json=as_json,
            columns=["citation_id", "status", "ranges", "material", "carries", "method"],
        )
