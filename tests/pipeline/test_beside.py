"""A link that goes elsewhere is told, with or without a changed word."""

from __future__ import annotations

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.domain.changes import ChangeKind, Tier
from watcher.pipeline.explain import explain

LINKED = 'The <a href="/dpa-{year}.pdf">data processing agreement</a> is part of these terms.'
DATED = "Last updated: {day} May 2026"


@pytest.mark.parametrize(("day", "kind"), [(1, ChangeKind.ANNOTATION), (2, ChangeKind.TEXT)])
def test_another_contract_is_told(deployment: Deployment, day: int, kind: ChangeKind) -> None:
    name = deployment.watch("terms", html(DATED.format(day=1), LINKED.format(year=2025)))
    deployment.check(name)
    deployment.clock.pass_time(minutes=5)
    deployment.check(name, html(DATED.format(day=day), LINKED.format(year=2026)))
    (change,) = deployment.store.changes.list(name)
    assert change.kind is kind
    stored = deployment.store.changes.classification(change.change_id)
    assert stored is not None
    assert stored.tier is Tier.PAGE
    judged, (old, new) = explain(deployment.services, change)
    assert "dpa-2026.pdf" in judged.headline
    hunk = judged.hunks[-1]
    assert old.data[hunk.old.start : hunk.old.end] == b"data processing agreement"
    assert new.data[hunk.new.start : hunk.new.end] == b"data processing agreement"
