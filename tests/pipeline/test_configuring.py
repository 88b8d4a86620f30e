"""Settings on the operators' trail, and in each classification."""

from __future__ import annotations

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.pipeline.configuring import digests, record_configuration
from watcher.pipeline.services import Services
from watcher.settings import load

POLICY = "Access logs are kept for 30 days and then deleted from every system that we run."


def reload(deployment: Deployment) -> tuple[str, ...]:
    old = deployment.services
    deployment.services = Services(load(deployment.config), old.store, old.clock, old.metrics)
    return record_configuration(deployment.services, "mara")


def test_only_what_differs_is_recorded_and_a_restart_is_no_news(deployment: Deployment) -> None:
    first = reload(deployment)
    assert set(first) == {"documents", "channels", "rules", "ignore", "service"}
    assert reload(deployment) == ()
    before = digests(deployment.services.settings)
    with deployment.config.open("a", encoding="utf-8") as config:
        config.write('[[rules.ignore]]\nname = "dates"\npattern = "Updated \\\\d+"\n')
        config.write("expires = 2030-01-01\n")
    assert set(reload(deployment)) == {"rules", "ignore"}
    after = digests(deployment.services.settings)
    assert after["all"] != before["all"]
    act = deployment.store.acts.newest("config", "ignore")
    assert act is not None
    assert (act.actor, act.reason) == ("mara", "patterns: dates")
    assert (act.before, act.after) == (before["ignore"], after["ignore"])


def test_a_secret_is_in_no_digest(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    with deployment.config.open("a", encoding="utf-8") as config:
        config.write('[[channels]]\nname = "duty"\nkind = "pagerduty"\nrouting_key = "env:KEY"\n')
    found = []
    for secret in ("one", "two"):
        monkeypatch.setenv("KEY", secret)
        reload(deployment)
        found.append(digests(deployment.services.settings)["all"])
    assert found[0] == found[1]


def test_a_classification_names_the_settings_it_was_made_under(deployment: Deployment) -> None:
    name = deployment.watch("policy", html(POLICY), "confirm = false")
    deployment.check(name)
    deployment.clock.pass_time(hours=6)
    report = deployment.check(name, html(POLICY.replace("30", "90")))
    assert report.change_id is not None
    under = deployment.store.changes.judged_under(report.change_id)
    assert under == digests(deployment.services.settings)["all"]
