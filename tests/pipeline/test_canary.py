"""The canary passes where the pipeline works, fails where it is blind, and leaves no trace."""

from __future__ import annotations

import asyncio

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.collectors import CanaryResult
from watcher.daemon.canary_site import CanarySite
from watcher.fetch import Fetcher
from watcher.pipeline import canary
from watcher.pipeline.canary import Canary
from watcher.pipeline.counting import read_counts
from watcher.pipeline.requests import fetch_settings
from watcher.settings.rules import IgnoreRule, RuleSettings


async def fly(deployment: Deployment, rounds: int) -> None:
    services = deployment.services
    async with Fetcher(fetch_settings(services.settings, "test")) as fetcher:
        with CanarySite() as site:
            bird = Canary(lambda: deployment.services, fetcher, site.url, site.publish)
            for _ in range(rounds):
                deployment.clock.pass_time(minutes=15)
                await bird.run()
            bird.close()


def test_a_change_of_the_canary_is_found_and_no_reader_meets_it(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canary, "ROUNDS", 2)
    asyncio.run(fly(deployment, 3))
    counts = read_counts(deployment.services)
    assert counts.canary == {CanaryResult.PASS: 3}, "over a store that begins anew"
    assert counts.versions == 0
    assert deployment.store.documents.list() == ()
    assert deployment.deliver() == 0


def test_a_rule_that_hides_everything_makes_the_canary_fail(deployment: Deployment) -> None:
    name = deployment.watch("retention", html("Access logs are kept for 30 days."))
    blind = IgnoreRule.model_validate(
        {"name": "all", "pattern": "(?s).+", "expires": "2027-01-01", "allow_lowering": True}
    )
    rules = RuleSettings(ignore=(blind,))
    settings = deployment.services.settings.model_copy(update={"rules": rules})
    deployment.services = deployment._services(settings)
    asyncio.run(fly(deployment, 1))
    assert read_counts(deployment.services).canary == {CanaryResult.FAIL: 1}
    assert deployment.store.versions.current(name) is None
