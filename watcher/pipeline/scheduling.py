"""When a document is looked at next."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from watcher.fetch.politeness import Backoff, first_delay, next_delay
from watcher.pipeline.services import Services
from watcher.settings import DocumentEntry


def spread_overdue(services: Services) -> int:
    """Spread what came due while nothing ran, instead of firing it all at once.

    Documents that were never seen are due at once. Returns how many were moved.
    """
    now, moments = services.clock.now(), {}
    for document in services.store.documents.list():
        entry = services.entries.get(document.document_id)
        due, seen = document.next_check, document.last_success
        if entry is None or due is None or due >= now or seen is None:
            continue
        delay = first_delay(
            entry.schedule.total_seconds(),
            (now - due).total_seconds(),
            random.random(),  # noqa: S311 - jitter needs no secrecy
        )
        moments[document.document_id] = now + timedelta(seconds=delay)
    services.store.documents.schedule_all(moments)
    return len(moments)


def next_check(
    services: Services,
    entry: DocumentEntry,
    *,
    fails: int,
    retry_after: float | None,
    soon: bool,
) -> datetime:
    """Return the time of the next check; `soon` for a confirming one."""
    check = services.settings.check
    interval = entry.schedule.total_seconds()
    if soon and not fails:
        interval = min(interval, check.confirm_after.total_seconds())
    delay = next_delay(
        interval,
        failures=fails,
        unit=random.random(),  # noqa: S311 - jitter needs no secrecy
        retry_after=retry_after,
        backoff=Backoff(first=min(interval, 60.0), ceiling=check.backoff_ceiling.total_seconds()),
    )
    return services.clock.now() + timedelta(seconds=delay)
