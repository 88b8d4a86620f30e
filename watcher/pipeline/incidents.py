"""Refusals that last: remembered until they end, told once, and once when they end."""

from __future__ import annotations

import hashlib
from datetime import datetime

from watcher.alert.channels import route
from watcher.domain.changes import Severity
from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Refusal, Verdict
from watcher.fetch import Answer
from watcher.pipeline.answering import resolve
from watcher.pipeline.services import Services
from watcher.store.acts import SYSTEM
from watcher.store.rows import AlertKind, Document, LeasedDocument, NewAlert

_GONE_AFTER = 3
"""So many times 404, 410 or away in a row, and the document counts as withdrawn."""


def refusal_seen(services: Services, document: Document, verdict: Verdict, answer: Answer) -> None:
    """Remember a refusal; tell of it once, when it persists."""
    assert isinstance(verdict.reason, Refusal)
    now = services.clock.now()
    incident = services.store.incidents.refused(document.document_id, verdict.reason.value, now)
    if incident.told_at is not None or incident.count < services.settings.check.refusal_alert_after:
        return
    withdrawn = answer.gone or verdict.reason is Refusal.REDIRECTED_AWAY
    kind = AlertKind.WITHDRAWN if withdrawn and document.validators else AlertKind.REFUSED
    _tell(services, document.document_id, kind, f"incident-{incident.number}", now, verdict.reason)
    services.store.incidents.told(incident.number, now)


def refusal_ended(services: Services, document: Document) -> None:
    """Close what was open; tell of the end where the beginning was told."""
    now = services.clock.now()
    for incident in services.store.incidents.close(document.document_id, now):
        if incident.told_at is not None:
            began = event_of(document.document_id, f"incident-{incident.number}")
            resolve(services, began, SYSTEM)
            _tell(
                services,
                document.document_id,
                AlertKind.RECOVERED,
                f"incident-{incident.number}-ended",
                now,
                incident.reason,
            )


def held_seen(services: Services, document_id: DocumentId, capture_id: str, reason: str) -> None:
    """Tell, once for each capture, that somebody may decide about it."""
    now = services.clock.now()
    _tell(services, document_id, AlertKind.HELD, f"held-{capture_id}", now, reason)


def hold_decided(services: Services, document_id: DocumentId, capture_id: str, by: str) -> None:
    """End what `held_seen` told: somebody or a rule decided about the capture."""
    resolve(services, event_of(document_id, f"held-{capture_id}"), by)


def event_of(document_id: DocumentId, event: str) -> str:
    """Return the key of an event about a document that is no change."""
    return hashlib.sha256(f"{document_id}\n{event}".encode()).hexdigest()


def drop_held_captures(services: Services, leased: LeasedDocument) -> None:
    """Reject what is held when the accepted text is seen again: it did not stay."""
    for held in services.store.captures.held(leased.document.document_id):
        services.store.commits.reject(
            leased.lease,
            held.capture_id,
            at=services.clock.now(),
            reason="the last accepted text came back",
        )
        hold_decided(services, leased.document.document_id, held.capture_id, SYSTEM)


def _tell(
    services: Services,
    document_id: DocumentId,
    kind: AlertKind,
    event: str,
    now: datetime,
    reason: str,
) -> None:
    """Queue one notice for every channel that takes it."""
    entry = services.entries.get(document_id)
    severity = Severity.INFO if kind is AlertKind.RECOVERED else Severity.TICKET
    if kind is AlertKind.WITHDRAWN and entry is not None:
        severity = entry.severity
    event_id = event_of(document_id, event)
    services.store.outbox.add(
        [
            NewAlert(event_id, channel.name, kind, document_id, severity, now, now, reason=reason)
            for channel in route(services.settings.channels, severity, entry.owner if entry else "")
        ]
    )
