"""When a document is looked at next."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from watcher.fetch.politeness import Backoff, next_delay
from watcher.pipeline.services import Services
from watcher.settings import DocumentEntry


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
