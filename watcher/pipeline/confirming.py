"""Alerts that wait for a second fetch to agree."""

from __future__ import annotations

from watcher.domain.ids import DocumentId
from watcher.pipeline.services import Services


def confirm_held(services: Services, document_id: DocumentId) -> None:
    """Send what was held for the text that is still there.

    Only the change that led to the current version is confirmed by seeing it
    again; an older one stays held until its deadline.
    """
    current = services.store.versions.current(document_id)
    for change_id in {alert.change_id for alert in services.store.outbox.held(document_id)}:
        if change_id is None or current is None:
            continue
        if services.store.changes.get(change_id).to_version == current.version:
            services.store.outbox.confirm(change_id, at=services.clock.now())
