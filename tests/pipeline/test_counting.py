"""What a scrape says is what is in the store."""

from __future__ import annotations

from tests.pipeline.deployment import Deployment, html
from watcher.collectors import DocumentState
from watcher.pipeline.counting import read_counts

POLICY = ("Access logs are kept for 30 days and then deleted from every system that we run.",)


def test_a_document_is_fresh_within_twice_its_own_interval(deployment: Deployment) -> None:
    assert read_counts(deployment.services).documents_fresh == 0
    fast = deployment.watch("fast", html(*POLICY), 'schedule = "1h"')
    slow = deployment.watch("slow", html(*POLICY), 'schedule = "7d"')
    deployment.watch("never-seen", html(*POLICY))
    for name in (fast, slow):
        deployment.check(name)
    for hours, fresh in ((0, 2), (2, 2), (1, 1), (24, 1), (14 * 24, 0)):
        deployment.clock.pass_time(hours=hours)
        counts = read_counts(deployment.services)
        assert counts.documents_fresh == fresh, f"after {hours} more hours"
    assert counts.documents[DocumentState.ACTIVE] == 3
    assert counts.stalest_success is not None
