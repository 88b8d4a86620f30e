"""What the commands about dates of effect do."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from watcher.cli.opening import actor, chosen_version, opened
from watcher.cli.output import Row, show_json, show_lines, show_rows, when
from watcher.domain.ids import DocumentId, document_id
from watcher.domain.resolution import ResolutionError
from watcher.domain.reviews import DateStatus
from watcher.errors import UsageError
from watcher.pipeline.dating import InForce, find_dates
from watcher.pipeline.services import Services
from watcher.store.rows import EffectiveDate


def list_dates(config: Path, document: str | None, *, as_json: bool) -> None:
    """Print dates of effect, searching first what was not searched yet."""
    name = DocumentId(document_id(document)) if document is not None else None
    with opened(config) as services:
        if name is not None:
            services.store.documents.get(name)
        todo = bool(services.store.dates.unscanned(name, limit=1))
        if not todo:
            _show(services, name, as_json=as_json)
    if todo:
        with opened(config, write=True) as services:
            find_dates(services, name)
            _show(services, name, as_json=as_json)


def _show(services: Services, name: DocumentId | None, *, as_json: bool) -> None:
    rows = (date_row(services, found) for found in services.store.dates.list(name))
    columns = ["document_id", "day", "status", "by", "version", "page", "text"]
    show_rows(rows, as_json=as_json, columns=columns)


def decide(
    config: Path,
    document: str,
    day: str,
    version: str | None,
    *,
    confirmed: bool,
    as_json: bool,
) -> None:
    """Record a person's decision about a day, and print it."""
    moment, name = read_day(day), DocumentId(document_id(document))
    decision = DateStatus.CONFIRMED if confirmed else DateStatus.REJECTED
    with opened(config, write=True) as services:
        chosen, now = chosen_version(services, document, version), services.clock.now()
        find_dates(services, name)
        dates = services.store.dates
        known = [d for d in dates.list(name) if (d.version, d.day) == (chosen, moment)]
        if not known and not confirmed:
            raise UsageError(
                f"{moment} was not found in that version",
                document_id=name,
                hint=f"see `watcher dates list {name}`",
            )
        number = (known[0] if known else dates.state(name, chosen, moment, at=now)).number
        decided = dates.decide(number, decision, at=now, actor=actor())
        if as_json:
            show_json(date_row(services, decided))
        else:
            applies = "applies" if confirmed else "does not apply"
            show_lines([f"{decision.value}: {chosen[:19]} of {name} {applies} from {moment}"])


def read_day(day: str) -> date:
    """Return the day that a person writes.

    Raises:
        UsageError: it is not one.
    """
    try:
        return date.fromisoformat(day)
    except ValueError:
        raise UsageError(f"{day!r} is not a day", hint="write it as in 2027-01-31") from None


def date_row(services: Services, found: EffectiveDate) -> Row:
    """Return a date of effect with the words that say it, cut from its version."""
    place, page, words = found.range, None, None
    if place is not None:
        try:
            text = services.store.versions.text(found.document_id, found.version)
            page = text.page_of(place.start)
            words = text.data[place.start : place.end].decode()
        except ResolutionError as error:
            words = f"({error.code})"
    return {
        "number": found.number,
        "document_id": found.document_id,
        "day": found.day.isoformat(),
        "status": found.status.value,
        "by": found.actor or None,
        "decided_at": when(found.decided_at),
        "version": found.version,
        "page": page,
        "range": list(place) if place else None,
        "text": words,
    }


def in_force_row(services: Services, answer: InForce) -> Row:
    """Return what an answer about a day rests on, for programs."""
    return {
        "on": answer.on.isoformat(),
        "since": date_row(services, answer.found) if answer.found else None,
        "until": answer.following.day.isoformat() if answer.following else None,
        "unconfirmed": [date_row(services, found) for found in answer.unconfirmed],
    }


def in_force_lines(answer: InForce) -> list[str]:
    """Return what an answer about a day rests on, for people."""
    found = answer.found
    assert found is not None
    by = f"confirmed by {found.actor} at {when(found.decided_at)}"
    lines = [f"in force on {answer.on}: since {found.day}, {by}"]
    if answer.following:
        lines.append(f"until {answer.following.day}, when {answer.following.version[:19]} follows")
    lines += [
        f"not confirmed, and would change this: {other.day} of {other.version[:19]}"
        for other in answer.unconfirmed
    ]
    return lines
