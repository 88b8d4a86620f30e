"""What is told before its day: patterns that end, and dates of effect that come due."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from watcher import logs
from watcher.alert.channels import route
from watcher.domain.changes import Severity
from watcher.domain.ids import DocumentId
from watcher.domain.reviews import DateStatus
from watcher.logs import Event
from watcher.metrics import PatternState
from watcher.pipeline.ruling import expired, patterns
from watcher.pipeline.services import Services
from watcher.settings import Settings
from watcher.settings.rules import IgnoreRule
from watcher.store.rows import AlertKind, NewAlert

NOTICE = timedelta(days=14)
"""How long before its last day a pattern is told of."""

_log = logs.get(__name__)


def remind(services: Services) -> None:
    """Tell, once each, of dates that come due and of patterns that end."""
    today = services.clock.now().date()
    _remind_of_dates(services, today)
    _remind_of_patterns(services, today)


def _remind_of_dates(services: Services, today: date) -> None:
    """Tell of confirmed dates, and of what the current version says of itself."""
    horizon = today + services.settings.dates.remind_before
    for found in services.store.dates.list():
        if found.status is DateStatus.REJECTED or not today <= found.day <= horizon:
            continue
        current = services.store.versions.current(found.document_id)
        latest = current is not None and current.version == found.version
        if found.status is DateStatus.CONFIRMED or latest:
            number = str(found.number)
            tell(services, found.document_id, AlertKind.DATE_DUE, number, number)


def _remind_of_patterns(services: Services, today: date) -> None:
    """Tell of patterns that end; say in log and metrics how many there are."""
    counts: Counter[PatternState] = Counter()
    for owner, rule in patterns(services.settings):
        state = state_of(rule, today)
        counts[state] += 1
        if state is PatternState.ACTIVE:
            continue
        event = Event.RULE_EXPIRED if state is PatternState.EXPIRED else Event.RULE_EXPIRING
        with logs.bound(document_id=owner or None):
            _log.warning(event, pattern=rule.name, expires=rule.expires.isoformat())
        if owner:
            subject = f"{rule.name}\n{rule.expires.isoformat()}"
            tell(services, DocumentId(owner), AlertKind.RULE_EXPIRES, subject, rule.name)
    services.metrics.patterns(counts)


def pattern_lines(settings: Settings, today: date) -> Iterator[str]:
    """Yield one line for each pattern that has ended or soon will."""
    for owner, rule in patterns(settings):
        state, whose = state_of(rule, today), owner or "every document"
        if state is PatternState.EXPIRED:
            yield (
                f"  the ignore pattern {rule.name!r} of {whose} ended on {rule.expires}:"
                " it silences nothing; remove it, or give it a new date"
            )
        elif state is PatternState.EXPIRING:
            yield f"  the ignore pattern {rule.name!r} of {whose} ends on {rule.expires}"


def state_of(rule: IgnoreRule, today: date) -> PatternState:
    """Return whether a pattern counts today, and for how long still."""
    if expired(rule, today):
        return PatternState.EXPIRED
    return PatternState.EXPIRING if rule.expires - today < NOTICE else PatternState.ACTIVE


def tell(
    services: Services, document_id: DocumentId, kind: AlertKind, subject: str, reason: str
) -> None:
    """Queue one notice for every channel that takes it; the same subject is told once."""
    now = services.clock.now()
    entry = services.entries.get(document_id)
    event_id = hashlib.sha256(f"{document_id}\n{kind.value}\n{subject}".encode()).hexdigest()
    severity = Severity.TICKET
    services.store.outbox.add(
        [
            NewAlert(event_id, channel.name, kind, document_id, severity, now, now, reason=reason)
            for channel in route(services.settings.channels, severity, entry.owner if entry else "")
        ]
    )
