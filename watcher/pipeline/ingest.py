"""A text that enters without a URL: the same path and verdicts, origin `pushed`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Verdict
from watcher.pipeline.changes import advance
from watcher.pipeline.incidents import hold_decided
from watcher.pipeline.intake import Intake, Received
from watcher.pipeline.services import Services
from watcher.store.rows import DeclaredDocument, NewCapture, Origin

_LEASE_SECONDS = 600.0


async def ingest(
    services: Services,
    document_id: DocumentId,
    path: Path,
    *,
    media_type: str | None,
    title: str,
) -> tuple[Verdict, str | None]:
    """Take the bytes of `path` in as `document_id`; return verdict and change.

    A document that does not exist yet is made; it has no URL and no schedule.

    Raises:
        UsageError: the file cannot be read.
        DocumentBusyError: it is being checked now.
    """
    store, now = services.store, services.clock.now()
    entry = services.entries.get(document_id)
    known = {document.document_id for document in store.documents.list()}
    if document_id not in known:
        store.documents.put(DeclaredDocument(document_id, title, (), ""), now)
    leased = store.documents.claim(document_id, now, lease_seconds=_LEASE_SECONDS, owner="ingest")
    capture = NewCapture(
        body=await asyncio.to_thread(path.read_bytes),
        url=path.name,
        captured_at=now,
        origin=Origin.PUSHED,
        final_url=path.name,
    )
    received = Received(leased, entry, capture, media_type=media_type)
    try:
        return await Intake(services).take(received)
    finally:
        store.documents.release(
            leased.lease, next_check=leased.document.next_check, fails=leased.document.fails
        )


def decide(
    services: Services, capture_id: str, *, accepted: bool, actor: str, reason: str
) -> str | None:
    """Record a person's decision about a held capture; return the change that came of it.

    Raises:
        UnknownCaptureError, DecisionError: there is nothing to decide.
        DocumentBusyError: the document is being checked now.
    """
    store, now = services.store, services.clock.now()
    document_id = store.captures.get(capture_id).document_id
    leased = store.documents.claim(document_id, now, lease_seconds=_LEASE_SECONDS, owner=actor)
    try:
        if not accepted:
            store.commits.reject(leased.lease, capture_id, at=now, actor=actor, reason=reason)
            hold_decided(services, document_id, capture_id, actor)
            return None
        commit = store.commits.accept(leased.lease, capture_id, at=now, actor=actor, reason=reason)
        hold_decided(services, document_id, capture_id, actor)
        if commit.change_id is not None:
            advance(services, store.changes.get(commit.change_id))
        return commit.change_id
    finally:
        store.documents.release(
            leased.lease, next_check=leased.document.next_check, fails=leased.document.fails
        )
