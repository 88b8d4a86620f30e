"""The generated rules, by Prometheus's and Alertmanager's own tools."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tests.slo.project import ROOT, declared, program, run
from watcher.collectors import StoreCounts
from watcher.metrics import Metrics
from watcher.slo import all_alerts
from watcher.slo.model import AlertRule, Severity

PROMETHEUS = ROOT / "config" / "prometheus"
ALERTMANAGER = ROOT / "config" / "alertmanager" / "alertmanager.yml"
SUITES = sorted(path.name for path in PROMETHEUS.glob("*.tests.yml"))
ALERTS = all_alerts(declared())


def named(rule: AlertRule) -> str:
    return f"{rule.name}-{rule.severity}"


@pytest.mark.system
def test_promtool_finds_no_mistake() -> None:
    rules = sorted(map(str, PROMETHEUS.glob("*.rules.yml")))
    assert len(rules) == 2
    run(program("promtool"), "check", "rules", "--lint=all", "--lint-fatal", *rules)
    run(program("promtool"), "check", "config", str(PROMETHEUS / "prometheus.yml"))


@pytest.mark.system
@pytest.mark.timeout(120)
def test_each_scenario_fires_exactly_what_it_should() -> None:
    """Those of budgets are run together in test_evaluator.py, which costs a fifth."""
    run(program("promtool"), "test", "rules", "watcher.tests.yml", cwd=PROMETHEUS)


def test_there_is_a_file_for_each_suite() -> None:
    assert [f"{suite.name}.tests.yml" for suite in declared().suites] == [
        "watcher.tests.yml",
        "watcher-burn.tests.yml",
        "watcher-days.tests.yml",
    ]
    assert len(SUITES) == 3


def test_every_alert_fires_in_some_scenario_and_is_silent_in_another() -> None:
    scenarios = [
        set(scenario.fires)
        for suite in declared().suites
        if len(suite.scenarios) > 1
        for scenario in suite.scenarios
    ]
    for rule in ALERTS:
        expected = (rule.name, rule.severity)
        assert any(expected in fires for fires in scenarios), rule.name
        if rule.severity is not Severity.NONE:
            assert any(expected not in fires for fires in scenarios), rule.name


@pytest.mark.system
def test_alertmanager_takes_the_example() -> None:
    run(program("amtool"), "check-config", str(ALERTMANAGER))


@pytest.mark.system
@pytest.mark.parametrize("rule", ALERTS, ids=named)
def test_every_alert_is_routed_to_the_right_receiver(rule: AlertRule) -> None:
    receiver = {
        Severity.PAGE: "pages",
        Severity.TICKET: "tickets",
        Severity.NONE: "dead-man",
    }[rule.severity]
    labels = [f"alertname={rule.name}", f"severity={rule.severity.value}", "job=watcher"]
    route(receiver, *labels)


@pytest.mark.system
@pytest.mark.parametrize(
    ("severity", "receiver"), [("page", "pages"), ("ticket", "tickets"), ("info", "tickets")]
)
def test_changes_of_documents_are_routed_too(severity: str, receiver: str) -> None:
    route(receiver, "alertname=PolicyBearingChange", f"severity={severity}", "document_id=a")


@pytest.mark.system
def test_what_no_route_knows_wakes_a_person() -> None:
    route("pages", "alertname=Unheard")


def route(receiver: str, *labels: str) -> None:
    run(
        program("amtool"),
        "config",
        "routes",
        "test",
        f"--config.file={ALERTMANAGER}",
        f"--verify.receivers={receiver}",
        *labels,
    )


@pytest.mark.parametrize("rule", ALERTS, ids=named)
def test_every_alert_says_what_happened_and_what_to_do(rule: AlertRule) -> None:
    assert rule.summary
    assert rule.description.endswith((".", "it."))
    assert len(rule.description) > 40


def test_only_causes_silence_and_never_each_other() -> None:
    """Two alerts that inhibit each other would both be silent."""
    edges = {(rule.name, target) for rule in ALERTS for target in rule.inhibits}
    assert edges
    assert all((target, source) not in edges for source, target in edges)
    pages = {rule.name for rule in ALERTS if rule.severity is Severity.PAGE}
    tickets = {rule.name for rule in ALERTS} - pages
    assert not [(s, t) for s, t in edges if s in tickets and t in pages]


def test_every_metric_in_a_rule_and_a_history_is_exported() -> None:
    metrics = Metrics(channels=["ops"], data_directory=Path("/"), read_store=StoreCounts)
    metrics.declare_job("dispatch", 1)
    text = generate_latest(metrics.registry).decode()
    families = list(text_string_to_metric_families(text))
    exported = {sample.name for family in families for sample in family.samples}
    exported |= {family.name for family in families} | {"up"}
    for path in PROMETHEUS.glob("*.rules.yml"):
        for name in re.findall(r"\b(?:watcher|process)_[a-z_]+(?=[{\[])", path.read_text()):
            assert name in exported, name
    for suite in declared().suites:
        for scenario in suite.scenarios:
            series = {**suite.healthy, **scenario.changed}
            assert {name.split("{")[0] for name in series} <= exported
