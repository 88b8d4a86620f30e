"""The store's counts in the form in which they are scraped."""

from __future__ import annotations

from datetime import datetime, timedelta

from watcher.collectors import (
    CanaryResult,
    DeliveryState,
    DocumentState,
    IngestResult,
    ReviewCounts,
    ReviewRate,
    StoreCounts,
)
from watcher.pipeline.reviewing import report
from watcher.pipeline.services import Services
from watcher.store.rows import AlertState
from watcher.store.service import CANARY, INGEST

_DELIVERIES = {
    AlertState.HELD: DeliveryState.HELD,
    AlertState.PENDING: DeliveryState.PENDING,
    AlertState.DELIVERED: DeliveryState.DELIVERED,
    AlertState.CANCELLED: DeliveryState.CANCELLED,
    AlertState.DEAD: DeliveryState.DEAD,
}


def read_counts(services: Services) -> StoreCounts:
    """Return what the gauges and the counters of low volume show now."""
    counts, service = services.store.counts(), services.store.service
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
        ingests={IngestResult(k): n for k, (n, _) in service.tallies(INGEST).items()},
        canary={CanaryResult(k): n for k, (n, _) in service.tallies(CANARY).items()},
        review=_review(services),
    )


def _review(services: Services) -> ReviewCounts:
    """Return what persons said; a rate that no verdict tells of is left out."""
    found, budget = report(services), services.settings.review
    estimates = {ReviewRate.FALSE_PAGE: found.false_pages, ReviewRate.MISSED: found.missed}
    return ReviewCounts(
        verdicts=found.counts,
        rates={r: (e.rate, e.lower, e.upper) for r, e in estimates.items() if e.count},
        budgets={
            ReviewRate.FALSE_PAGE: budget.false_page_budget,
            ReviewRate.MISSED: budget.missed_budget,
        },
        queue=found.queue,
    )


def _fresh(services: Services) -> int:
    """Count the documents that were seen within twice their interval.

    Whatever was seen within the shortest of these times is fresh; only the
    others are looked at one by one.
    """
    allowed = {
        name: 2 * entry.schedule + timedelta(minutes=1) for name, entry in services.entries.items()
    }
    if not allowed:
        return 0
    now, documents = services.clock.now(), services.store.documents
    surely = now - min(allowed.values())
    older = documents.seen_before(surely)
    return documents.count_seen(since=surely) + sum(
        now - seen <= allowed.get(name, timedelta()) for name, seen in older.items()
    )


def _seconds(moment: datetime | None) -> float | None:
    return moment.timestamp() if moment else None
