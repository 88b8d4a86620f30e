"""When documents are looked at next."""

from __future__ import annotations

from datetime import timedelta

from tests.pipeline.deployment import Deployment, html
from watcher.demo.site import maintenance
from watcher.pipeline.scheduling import spread_overdue

TEXT = "Access logs are kept for 30 days and then deleted from every system that we run."


def test_what_came_due_while_nothing_ran_is_spread(deployment: Deployment) -> None:
    names = [deployment.watch(f"d{n}", html(f"{TEXT} Number {n}.")) for n in range(12)]
    for name in names:
        deployment.check(name)
    new = deployment.watch("new", html(TEXT))
    deployment.clock.pass_time(days=3)
    assert spread_overdue(deployment.services) == len(names)
    now = deployment.clock.now()
    moments = [deployment.store.documents.get(name).next_check for name in names]
    assert all(m is not None and now <= m <= now + timedelta(minutes=5) for m in moments)
    assert len(set(moments)) > 6
    due = deployment.store.documents.get(new).next_check
    assert due is not None
    assert due <= now, "a document that was never seen does not wait"


def test_refusals_back_off_and_a_success_ends_that(deployment: Deployment) -> None:
    name = deployment.watch("d", html(TEXT))
    deployment.check(name)
    waits = []
    for _ in range(6):
        deployment.check(name, maintenance())
        planned = deployment.store.documents.get(name).next_check
        assert planned is not None
        waits.append((planned - deployment.clock.now()).total_seconds())
        deployment.clock.pass_time(hours=8)
    assert waits == sorted(waits)
    assert 50 <= waits[0] <= 70
    assert waits[-1] <= 6 * 3600 * 1.1
    deployment.check(name, html(TEXT))
    planned = deployment.store.documents.get(name).next_check
    assert planned is not None
    assert 5 * 3600 <= (planned - deployment.clock.now()).total_seconds() <= 7 * 3600
