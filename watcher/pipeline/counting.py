"""The store's counts in the form in which they are scraped."""

from __future__ import annotations

from watcher.collectors import DocumentState, StoreCounts
from watcher.store import Store


def read_counts(store: Store) -> StoreCounts:
    """Return what the gauges and the counters of low volume show now."""
    counts = store.counts()
    return StoreCounts(
        documents={
            DocumentState.ACTIVE: counts.documents - counts.documents_retired,
            DocumentState.RETIRED: counts.documents_retired,
        },
        versions=counts.versions,
        citations_live=counts.citations,
    )
