"""Storing earlier states: the same extraction and verdicts, origin `imported`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import timedelta

from watcher.domain.ids import DocumentId
from watcher.domain.resolution import UnknownDocumentError
from watcher.pipeline.history.model import LeftOut, Past, Taken
from watcher.pipeline.intake import Intake, Received
from watcher.pipeline.services import Services
from watcher.pipeline.sync import declare
from watcher.store.rows import DeclaredDocument, LeasedDocument, NewCapture, Origin

_LEASE_SECONDS = 600.0
_SLACK = timedelta(days=1)
"""A date without a time zone may be tomorrow's here."""


async def take_all(
    services: Services, document_id: DocumentId, states: Iterable[Past | LeftOut]
) -> AsyncIterator[Taken]:
    """Store each state that is a document, and yield what became of each.

    A document that does not exist yet is made. Taking the same states again
    adds nothing.

    Raises:
        DocumentBusyError: it is being checked now.
        WatcherError: the store failed, or the source cannot be read on.
    """
    store = services.store
    _make(services, document_id)
    leased = store.documents.claim(
        document_id, services.clock.now(), lease_seconds=_LEASE_SECONDS, owner="history"
    )
    intake = Intake(services)
    try:
        for state in states:
            if isinstance(state, LeftOut):
                yield Taken(state.where, None, None, why=state.why)
                continue
            store.documents.renew(leased.lease, services.clock.now(), _LEASE_SECONDS)
            yield await _take(services, intake, leased, state)
    finally:
        store.documents.release(
            leased.lease, next_check=leased.document.next_check, fails=leased.document.fails
        )


def _make(services: Services, document_id: DocumentId) -> None:
    try:
        services.store.documents.get(document_id)
    except UnknownDocumentError:
        entry = services.entries.get(document_id)
        declared = declare(entry) if entry else DeclaredDocument(document_id, "", (), "")
        services.store.documents.put(declared, services.clock.now())


async def _take(services: Services, intake: Intake, leased: LeasedDocument, state: Past) -> Taken:
    now = services.clock.now()
    if state.claimed_at > now + _SLACK:
        return Taken(state.where, state.claimed_at, None, why="its date is in the future")
    capture = NewCapture(
        body=state.body,
        url=state.url,
        captured_at=now,
        origin=Origin.IMPORTED,
        content_type=state.content_type,
        final_url=state.url,
        http_status=state.http_status,
        headers=state.headers,
        claimed_at=state.claimed_at,
    )
    entry = services.entries.get(leased.document.document_id)
    verdict, commit = await intake.take_past(Received(leased, entry, capture))
    if commit is None:
        return Taken(state.where, state.claimed_at, verdict, why=verdict.message)
    return Taken(
        state.where,
        state.claimed_at,
        verdict,
        commit.version,
        commit.capture_id,
        new=commit.new_capture,
    )
