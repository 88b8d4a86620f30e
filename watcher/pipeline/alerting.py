"""Who is told of a change, how urgently, and whether it waits to be confirmed."""

from __future__ import annotations

from datetime import timedelta

from watcher.alert.channels import route
from watcher.domain.changes import Cause, Classification, Severity, Tier, severity_of
from watcher.pipeline.services import Services
from watcher.pipeline.touched import touched_citations
from watcher.store.rows import AlertKind, AlertState, Change, NewAlert, Origin

_ORDER = (Severity.INFO, Severity.TICKET, Severity.PAGE)


def severity_for(tier: Tier, limit: Severity, *, answers_affected: bool) -> Severity:
    """Return how urgently a change is told.

    A page needs a document that is marked for it, or live answers that cite
    the changed text: else the strongest change is a ticket. A document marked
    `info` never asks for more than that.
    """
    wanted = severity_of(tier)
    if wanted is Severity.PAGE and limit is Severity.TICKET and answers_affected:
        return Severity.PAGE
    return min(wanted, limit, key=_ORDER.index)


def alerts_for_change(
    services: Services, change: Change, classification: Classification
) -> list[NewAlert]:
    """Return the outbox rows of a classified and re-anchored change.

    None where the cause is our own re-reading or nothing bears on anyone. A
    change that undoes one which nobody was told of yet cancels it, and both
    go to the digest: a page that flaps is news for nobody.
    """
    if change.cause is Cause.RENDITION or classification.tier is Tier.SILENT:
        return []
    undone = _cancel_undone(services, change)
    now = services.clock.now()
    entry = services.entries.get(change.document_id)
    affected = touched_citations(services, change)
    severity = severity_for(
        classification.tier,
        entry.severity if entry else Severity.TICKET,
        answers_affected=any(item.emissions for item in affected),
    )
    state = _first_state(services, change, classification, undone=undone)
    wait = services.settings.check.confirm_deadline if state is AlertState.HELD else timedelta()
    return [
        NewAlert(
            event_id=change.change_id,
            channel=channel.name,
            kind=AlertKind.CHANGE,
            document_id=change.document_id,
            severity=severity,
            at=now,
            not_before=now + wait,
            state=state,
            change_id=change.change_id,
            reason="reverted" if undone else "",
        )
        for channel in route(services.settings.channels, severity, entry.owner if entry else "")
    ]


def _first_state(
    services: Services, change: Change, classification: Classification, *, undone: bool
) -> AlertState:
    """Return the state in which the alerts of a change are born."""
    if undone or classification.tier is Tier.DIGEST:
        return AlertState.DIGEST
    entry = services.entries.get(change.document_id)
    confirm = services.settings.check.confirm
    if entry is not None and entry.confirm is not None:
        confirm = entry.confirm
    capture = services.store.captures.latest(change.document_id)
    fetched = capture is not None and capture.origin is Origin.FETCHED
    return AlertState.HELD if confirm and fetched and entry is not None else AlertState.PENDING


def _cancel_undone(services: Services, change: Change) -> bool:
    """Cancel held alerts of a change that `change` takes back; tell whether there were any."""
    undone = False
    held = services.store.outbox.held(change.document_id)
    for change_id in {alert.change_id for alert in held}:
        if change_id is None or change_id == change.change_id:
            continue
        earlier = services.store.changes.get(change_id)
        if (earlier.from_version, earlier.to_version) == (change.to_version, change.from_version):
            services.store.outbox.cancel(change_id)
            undone = True
    return undone
