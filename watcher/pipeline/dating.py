"""Days from which versions apply: found in their texts, and asked for by day."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from datetime import date

from watcher.classify import effective_dates
from watcher.domain.ids import DocumentId
from watcher.domain.ranges import Range
from watcher.domain.resolution import ResolutionError
from watcher.domain.reviews import DateStatus
from watcher.errors import UsageError
from watcher.pipeline.services import Services
from watcher.store.rows import EffectiveDate

METHOD = "effective/1"
_MOST = 100
"""Dates kept of one version: a text with more is a calendar, not a policy."""
_BATCH = 500
"""Versions asked for at once: which were searched is looked up over all of them."""


def find_dates(
    services: Services, document_id: DocumentId | None = None, *, cpu_seconds: float = math.inf
) -> int:
    """Search the versions that were not searched yet, of one document or of all.

    What is found waits for a person: it is extracted, not confirmed. Each
    version is searched once, so a crash only means that it is searched again.
    It ends after `cpu_seconds` of this thread, with the version at which they
    ran out; the rest is for the next run. Returns how many versions were searched.
    """
    dates, searched, end = services.store.dates, 0, time.thread_time() + cpu_seconds
    while batch := dates.unscanned(document_id, limit=_BATCH):
        for name, version in batch:
            try:
                text = services.store.versions.text(name, version).data
            except ResolutionError:
                # Damage is told by `verify` and the audit; here there is nothing to read.
                text = b""
            entry = services.entries.get(name)
            first: dict[date, Range] = {}
            for found in effective_dates(text, entry.language if entry else ""):
                first.setdefault(found.date, found.range)
            kept = list(first.items())[:_MOST]
            dates.scanned(name, version, kept, at=services.clock.now(), method=METHOD)
            searched += 1
            if time.thread_time() >= end:
                return searched
    return searched


@dataclass(frozen=True, slots=True)
class InForce:
    """What was in force on a day, as far as persons confirmed dates.

    `found` is None where no confirmed date lies on or before the day.
    `following` is the next confirmed one after it. `unconfirmed` are dates
    that lie between and could change the answer if they were confirmed.
    """

    on: date
    found: EffectiveDate | None
    following: EffectiveDate | None
    unconfirmed: tuple[EffectiveDate, ...]


def in_force(services: Services, document_id: DocumentId, on: date) -> InForce:
    """Return which version was in force on a day; of two from one day, the later stored.

    Raises:
        UnknownDocumentError: there is no such document.
    """
    services.store.documents.get(document_id)
    order = {v.version: n for n, v in enumerate(services.store.versions.list(document_id))}
    every = services.store.dates.list(document_id)
    confirmed = [d for d in every if d.status is DateStatus.CONFIRMED]
    begun = [d for d in confirmed if d.day <= on]
    found = max(begun, key=lambda d: (d.day, order[d.version]), default=None)
    following = min((d for d in confirmed if d.day > on), key=lambda d: d.day, default=None)
    since = found.day if found else date.min
    unsure = [d for d in every if d.status is DateStatus.EXTRACTED and since <= d.day <= on]
    if found is not None:
        unsure = [d for d in unsure if (d.day, order[d.version]) > (since, order[found.version])]
    return InForce(on, found, following, tuple(unsure))


def needed(answer: InForce, document_id: DocumentId) -> EffectiveDate:
    """Return the date that an answer rests on.

    Raises:
        UsageError: there is none, and what to do about it.
    """
    if answer.found is not None:
        return answer.found
    hint = f"see `watcher dates list {document_id}`, then `watcher dates confirm`"
    if answer.unconfirmed:
        days = ", ".join(sorted({d.day.isoformat() for d in answer.unconfirmed})[-3:])
        hint = f"{days} was found and nobody confirmed it: {hint}"
    raise UsageError(
        f"no confirmed date of effect lies on or before {answer.on}",
        document_id=document_id,
        hint=hint,
    )
