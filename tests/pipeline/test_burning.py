"""The daemon evaluates its budgets by itself: once, through its channels, over restarts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.cli import slo_actions
from watcher.domain.resolution import Reason
from watcher.errors import ConfigError
from watcher.metrics import Metrics
from watcher.pipeline.burning import BudgetWatch, check_evaluator
from watcher.pipeline.counting import read_counts
from watcher.pipeline.deliver import build_senders, deliver_due
from watcher.pipeline.services import Services
from watcher.settings import Settings
from watcher.settings.slo import SloSettings
from watcher.slo import Source

ROOT = Path(__file__).resolve().parents[2]
KEY = "WatcherCitationBudgetBurn/citation-resolution/page"


def declared() -> Source:
    return slo_actions.read(ROOT)


class Process:
    """One life of the daemon on the deployment's data."""

    def __init__(self, deployment: Deployment) -> None:
        self.clock = deployment.clock
        store = deployment.store
        metrics = Metrics(channels=["hook"], read_store=lambda: read_counts(self.services))
        self.services = Services(deployment.services.settings, store, self.clock, metrics)
        self.watch = BudgetWatch(lambda: self.services, declared())

    def minutes(self, number: int, broken: int) -> None:
        """Let minutes pass in which so many citations are broken."""
        for _ in range(number):
            self.clock.pass_time(minutes=1)
            self.services.metrics.unresolvable([Reason.HASH_MISMATCH] * broken)
            asyncio.run(self.watch.run())

    def deliver(self) -> None:
        asyncio.run(deliver_due(self.services, build_senders(self.services.settings)))


def told(deployment: Deployment) -> list[tuple[str, str, str]]:
    return [(body["kind"], body["severity"], body["reason"]) for body in deployment.receiver.bodies]


def cited(deployment: Deployment, number: int) -> None:
    sentences = [f"Records of kind {n} are kept for {n + 20} days." for n in range(number)]
    name = deployment.watch("retention", html(*sentences))
    deployment.check(name)
    for sentence in sentences:
        deployment.cite(name, sentence, sentence[16:19])


def test_a_budget_that_burns_is_told_once_and_its_end_once_over_a_restart(
    deployment: Deployment,
) -> None:
    cited(deployment, 6)
    first = Process(deployment)
    first.minutes(20, broken=0)
    assert not deployment.store.service.alerts()[KEY].firing_since
    first.minutes(2, broken=6)
    first.deliver()
    said = f"{KEY}: Too many emitted citations are bad: citation resolution burns its budget"
    assert told(deployment) == [("service", "page", said)]
    assert deployment.receiver.bodies[0]["hint"] == "follow the runbook WatcherCitationBudgetBurn"
    firing = first.services.metrics.registry.get_sample_value(
        "watcher_slo_alert_firing", {"name": "WatcherCitationBudgetBurn", "severity": "page"}
    )
    assert firing == 1

    second = Process(deployment)
    second.minutes(3, broken=6)
    second.deliver()
    assert len(told(deployment)) == 1, "a restart repeats nothing"
    second.minutes(7, broken=0)
    second.deliver()
    assert told(deployment)[1:] == [("recovered", "info", said)]


def test_no_restart_fires_by_itself(deployment: Deployment) -> None:
    cited(deployment, 6)
    for _ in range(3):
        Process(deployment).minutes(3, broken=2)
    assert not told(deployment)
    assert all(not alert.firing_since for alert in deployment.store.service.alerts().values())


def test_exactly_one_evaluator_is_chosen_and_checked(deployment: Deployment) -> None:
    settings = deployment.services.settings
    assert check_evaluator(settings, declared) is None

    def internal(**update: object) -> Settings:
        return settings.model_copy(update={"slo": SloSettings(evaluator="internal"), **update})

    assert check_evaluator(internal(), declared) == declared()
    with pytest.raises(ConfigError, match="reach nobody"):
        check_evaluator(internal(channels=()), declared)
    with pytest.raises(ConfigError, match="no objective"):
        check_evaluator(internal(), lambda: Source("watcher", "", (), (), ()))
    process = Process(deployment)
    sample = process.services.metrics.registry.get_sample_value
    assert sample("watcher_slo_evaluator", {"evaluator": "internal"}) == 1
    assert sample("watcher_slo_evaluator", {"evaluator": "prometheus"}) == 0


def test_the_daemon_itself_is_no_document_that_could_be_stale(deployment: Deployment) -> None:
    cited(deployment, 4)
    Process(deployment).minutes(3, broken=4)
    counts = read_counts(deployment.services)
    assert sum(n for state, n in counts.documents.items() if state != "retired") == 1
