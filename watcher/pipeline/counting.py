"""The store's counts in the form in which they are scraped."""

from __future__ import annotations

from datetime import datetime, timedelta

from watcher.collectors import DeliveryState, DocumentState, StoreCounts
from watcher.pipeline.services import Services
from watcher.store.rows import AlertState

_DELIVERIES = {
    AlertState.HELD: DeliveryState.HELD,
    AlertState.PENDING: DeliveryState.PENDING,
    AlertState.DELIVERED: DeliveryState.DELIVERED,
    AlertState.CANCELLED: DeliveryState.CANCELLED,
    AlertState.DEAD: DeliveryState.DEAD,
}


def read_counts(services: Services) -> StoreCounts:
    """Return what the gauges and the counters of low volume show now."""
    counts = services.store.counts()
    watched = counts.documents - counts.documents_retired
    return StoreCounts(
        documents={
            DocumentState.ACTIVE: watched - counts.documents_failing - counts.documents_held,
            DocumentState.FAILING: counts.documents_failing,
            DocumentState.HELD: counts.documents_held,
            DocumentState.RETIRED: counts.documents_retired,
        },
        documents_fresh=_fresh(services),
        stalest_success=_seconds(counts.stalest_success),
        versions=counts.versions,
        version_bytes=counts.version_bytes,
        citations_live=counts.citations,
        changes=counts.changes,
        statements=counts.statements,
        deliveries={
            (channel, _DELIVERIES[state]): number
            for (channel, state), number in counts.deliveries.items()
            if state in _DELIVERIES
        },
        oldest_pending=_seconds(counts.oldest_pending),
        database_bytes=counts.database_bytes,
        wal_bytes=counts.wal_bytes,
    )


def _fresh(services: Services) -> int:
    """Count the documents that were seen within twice their interval."""
    now, entries = services.clock.now(), services.entries
    fresh = 0
    for document in services.store.documents.list():
        entry, seen = entries.get(document.document_id), document.last_success
        if entry is not None and seen is not None:
            fresh += now - seen <= 2 * entry.schedule + timedelta(minutes=1)
    return fresh


def _seconds(moment: datetime | None) -> float | None:
    return moment.timestamp() if moment else None
