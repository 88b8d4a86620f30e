"""Declarations: what is refused, and what is made of those that are taken."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]
from typer.testing import CliRunner

from tests.slo.project import ROOT, declared
from watcher.cli.main import app
from watcher.errors import ConfigError
from watcher.slo import parse_source, render
from watcher.slo.recording import RATE_WINDOWS

SERVICE = """
apiVersion: openslo/v1
kind: Service
metadata: {name: watcher, annotations: {watcher/runbooks: "https://help.example.org/r"}}
spec: {description: A service.}
"""
SLO = """
apiVersion: openslo/v1
kind: SLO
metadata: {name: some-share}
spec:
  description: A share.
  service: watcher
  indicator:
    metadata: {name: some-share}
    spec:
      ratioMetric:
        counter: false
        bad: {metricSource: {type: Prometheus, spec: {query: 'bad{job="watcher"}'}}}
        total: {metricSource: {type: Prometheus, spec: {query: 'total{job="watcher"}'}}}
  timeWindow: [{duration: 28d, isRolling: true}]
  budgetingMethod: RatioTimeslices
  objectives: [{target: 0.9995}]
"""


def files(**texts: str) -> dict[str, str]:
    return {f"{name}.yaml": text for name, text in texts.items()}


def test_what_is_committed_is_what_the_source_says() -> None:
    for name, text in render(declared()).items():
        assert (ROOT / name).read_text("utf-8") == text, f"{name}: run `watcher slo render`"


def test_an_objective_is_exact_and_has_its_own_window() -> None:
    written = render(parse_source(files(service=SERVICE, slo=SLO)))
    rules = yaml.safe_load(written["config/prometheus/watcher-slo.rules.yml"])["groups"][0]["rules"]
    expressions = {rule["record"]: rule["expr"] for rule in rules}
    assert expressions["slo:error_budget:ratio"] == "vector(0.0005)"
    assert expressions["slo:sli_error:ratio_rate28d"] == (
        'sum by (job) (avg_over_time(bad{job="watcher"}[28d])) / '
        '(sum by (job) (avg_over_time(total{job="watcher"}[28d])) > 0)'
    )
    assert {f"slo:sli_error:ratio_rate{window}" for window in RATE_WINDOWS} < set(expressions)
    assert {rule["labels"]["sloth_id"] for rule in rules} == {"watcher-some-share"}


def test_links_point_to_the_declared_place() -> None:
    written = render(parse_source(files(service=SERVICE, slo=SLO, alerts=ALERTS)))
    assert (
        "runbook_url: https://help.example.org/r/WatcherGone.md"
        in written["config/prometheus/watcher.rules.yml"]
    )


ALERTS = """
apiVersion: watcher/v1
kind: Alerts
metadata: {name: alerts}
spec:
  groups:
    - name: one
      rules:
        - {alert: WatcherGone, expr: up == 0, severity: page, summary: Gone, description: It is gone.}
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("target: 0.9995", "target: 99.95", "slo.yaml: SLO.spec.objectives.0.target"),
        ("target: 0.9995", "target: 1", "slo.yaml: SLO.spec.objectives.0.target"),
        ("description: A share.", "descripton: A share.", "slo.yaml: SLO.spec.descri"),
        ("duration: 28d", "duration: 4w", "slo.yaml: SLO.spec.timeWindow.0.duration"),
        ("counter: false", "counter: true", "counters are budgeted by Occurrences"),
        ("bad{job=", "sum(bad{job=", "is not a plain selector"),
        ("bad: {metric", "good: &g {metric", None),
        ("        bad: {metricSource", "        unheard: {metricSource", "unheard"),
        ("kind: SLO", "kind: SLA", "slo.yaml"),
        ("kind: SLO", "kind: [", "slo.yaml is not YAML"),
        (
            "{name: some-share}\nspec",
            "{name: x, annotations: {watcher/alert: WatcherX}}\nspec",
            "x: annotations",
        ),
    ],
)
def test_a_mistake_is_named(old: str, new: str, told: str | None) -> None:
    assert old in SLO
    changed = files(service=SERVICE, slo=SLO.replace(old, new, 1))
    if told is None:
        parse_source(changed)
        return
    with pytest.raises(ConfigError) as caught:
        parse_source(changed)
    assert told in str(caught.value)


def test_neither_good_nor_bad_is_refused() -> None:
    line = next(line for line in SLO.splitlines() if " bad: " in line)
    with pytest.raises(ConfigError, match="either good or bad"):
        parse_source(files(service=SERVICE, slo=SLO.replace(line + "\n", "")))


@pytest.mark.parametrize(
    ("alerts", "told"),
    [
        (ALERTS.replace("summary:", "inhibits: [WatcherUnheard], summary:"), "is no alert"),
        (ALERTS + ALERTS.splitlines()[-1] + "\n", "declared twice"),
        (ALERTS.replace("severity: page", "severity: loud"), "severity"),
    ],
)
def test_a_mistake_in_an_alert_is_named(alerts: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        parse_source(files(service=SERVICE, alerts=alerts))


def test_two_services_are_refused() -> None:
    with pytest.raises(ConfigError, match="2 documents of the kind Service"):
        parse_source(files(one=SERVICE, two=SERVICE))


def test_a_scenario_names_one_alert_of_one_severity() -> None:
    scenarios = """
apiVersion: watcher/v1
kind: Scenarios
metadata: {name: some}
spec:
  rules: [alerts]
  interval: 1m
  steps: 3
  healthy: {}
  scenarios: [{name: a, fires: [WatcherGone:ticket]}]
"""
    with pytest.raises(ConfigError, match="not one alert of one severity"):
        parse_source(files(service=SERVICE, alerts=ALERTS, scenarios=scenarios))


def test_the_command_writes_and_then_finds_all_current(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "config" / "slo", tmp_path / "config" / "slo")
    command = ["slo", "render", "--root", str(tmp_path)]
    stale = CliRunner().invoke(app, [*command, "--check"])
    assert stale.exit_code == 1
    assert "stale" in str(stale.exception)
    assert not (tmp_path / "docs").exists()
    assert CliRunner().invoke(app, command).exit_code == 0
    current = CliRunner().invoke(app, [*command, "--check"])
    assert current.exit_code == 0
    assert current.stdout == "every generated file is current\n"
    path = tmp_path / "config" / "prometheus" / "watcher.rules.yml"
    path.write_text(path.read_text() + "# by hand\n")
    edited = CliRunner().invoke(app, [*command, "--check"])
    assert str(path) in str(edited.exception)


def test_a_folder_without_declarations_is_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["slo", "render", "--root", str(tmp_path)])
    assert "has no *.yaml" in str(done.exception)
