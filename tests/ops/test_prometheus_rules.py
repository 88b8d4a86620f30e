"""The alerts, run by Prometheus's own promtool over written histories."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from watcher.collectors import StoreCounts
from watcher.metrics import Metrics

RULES = Path(__file__).resolve().parents[2] / "config" / "prometheus" / "watcher.rules.yml"
TARGET = 'job="watcher", instance="a"'
HOURS = 3

# A minute a step; `0+60x` is a timestamp that keeps up with the time.
HEALTHY = {
    "up{T}": "1x{n}",
    "process_start_time_seconds{T}": "5x{n}",
    "watcher_scheduler_last_tick_timestamp_seconds{T}": "0+60x{n}",
    "watcher_scheduler_restarts_total{T}": "0x{n}",
    'watcher_job_last_success_timestamp_seconds{T, name="dispatch"}': "0+60x{n}",
    'watcher_job_interval_seconds{T, name="dispatch"}': "1x{n}",
    'watcher_job_runs_total{T, name="dispatch", outcome="success"}': "0+60x{n}",
    'watcher_job_runs_total{T, name="dispatch", outcome="error"}': "0x{n}",
    'watcher_state{T, watcher_state="degraded"}': "0x{n}",
    "watcher_config_last_reload_successful{T}": "1x{n}",
    'watcher_clock_jumps_total{T, direction="backward"}': "0x{n}",
    "watcher_store_readable{T}": "1x{n}",
    "watcher_data_available_bytes{T}": "60000000000x{n}",
    "watcher_data_size_bytes{T}": "100000000000x{n}",
    'watcher_citation_checks_total{T, source="caller", result="ok"}': "0+50x{n}",
    'watcher_citation_checks_total{T, source="caller", result="hash_mismatch"}': "0x{n}",
    'watcher_citation_checks_total{T, source="caller", result="range_invalid"}': "0+9x{n}",
    'watcher_citations_unresolvable{T, reason="unknown_version"}': "0x{n}",
    'watcher_citations_unresolvable{T, reason="range_invalid"}': "0x{n}",
    "watcher_citation_audit_last_success_timestamp_seconds{T}": "0+60x{n}",
    "watcher_citation_audit_interval_seconds{T}": "3600x{n}",
    'watcher_documents{T, state="active"}': "51x{n}",
    'watcher_documents{T, state="failing"}': "0x{n}",
    'watcher_documents{T, state="retired"}': "7x{n}",
    "watcher_documents_fresh{T}": "51x{n}",
    'watcher_worker_kills_total{T, reason="memory"}': "0x{n}",
    'watcher_notifications_total{T, channel="ops", result="delivered"}': "0+1x{n}",
    'watcher_notifications_total{T, channel="ops", result="dead"}': "0x{n}",
}

# What differs from health, and exactly what then fires at the end.
SCENARIOS: dict[str, tuple[dict[str, str], set[str]]] = {
    "healthy": ({}, set()),
    "the daemon is down": (
        {"up{T}": "1x120 0x{n}"},
        {"WatcherDown"},
    ),
    "prometheus knows no target": ({"up{T}": "_x{n}"}, {"WatcherAbsent"}),
    "a restart is told to nobody": (
        {"process_start_time_seconds{T}": "5x170 10200x{n}"},
        set(),
    ),
    "a restart loop": (
        {"process_start_time_seconds{T}": "5x120 7300x5 7600x5 7900x5 8200x{n}"},
        {"WatcherRestartLoop"},
    ),
    "the scheduler stands still": (
        {
            "watcher_scheduler_last_tick_timestamp_seconds{T}": "0+60x170 10200x{n}",
        },
        {"WatcherSchedulerStalled"},
    ),
    "the scheduler died and lives again": (
        {"watcher_scheduler_restarts_total{T}": "0x170 1x{n}"},
        {"WatcherSchedulerReplaced"},
    ),
    "a job no longer succeeds": (
        {
            'watcher_job_last_success_timestamp_seconds{T, name="dispatch"}': "0+60x150 9000x{n}",
            'watcher_job_runs_total{T, name="dispatch", outcome="error"}': "0x150 0+1x{n}",
        },
        {"WatcherJobStalled", "WatcherJobFailing"},
    ),
    "one failed run is told to nobody": (
        {'watcher_job_runs_total{T, name="dispatch", outcome="error"}': "0x160 1x{n}"},
        set(),
    ),
    "a health check fails": (
        {'watcher_state{T, watcher_state="degraded"}': "0x150 1x{n}"},
        {"WatcherDegraded"},
    ),
    "a reload was refused": (
        {"watcher_config_last_reload_successful{T}": "1x160 0x{n}"},
        {"WatcherConfigReloadFailed"},
    ),
    "the clock went back": (
        {'watcher_clock_jumps_total{T, direction="backward"}': "0x170 1x{n}"},
        {"WatcherClockJump"},
    ),
    "the database is locked": (
        {
            "watcher_store_readable{T}": "1x170 0x{n}",
            "watcher_documents_fresh{T}": "51x170 _x{n}",
            'watcher_documents{T, state="active"}': "51x170 _x{n}",
        },
        {"WatcherStoreUnreadable"},
    ),
    "the disk is full": (
        {"watcher_data_available_bytes{T}": "200000000x{n}"},
        {"WatcherDiskAlmostFull"},
    ),
    "the disk fills up": (
        {"watcher_data_available_bytes{T}": "16000000000-30000000x{n}"},
        {"WatcherDiskFillingUp"},
    ),
    "a version is damaged": (
        {
            'watcher_citation_checks_total{T, source="caller", result="hash_mismatch"}': (
                "0x170 1x{n}"
            )
        },
        {"WatcherEvidenceDamaged"},
    ),
    "one stored citation does not resolve": (
        {'watcher_citations_unresolvable{T, reason="range_invalid"}': "0x150 1x{n}"},
        {"WatcherCitationUnresolvable"},
    ),
    "a whole version is lost": (
        {'watcher_citations_unresolvable{T, reason="unknown_version"}': "0x175 40x{n}"},
        {"WatcherCitationsBroken"},
    ),
    "the audit stands still": (
        {
            "watcher_citation_audit_last_success_timestamp_seconds{T}": "0x{n}",
            "watcher_citation_audit_interval_seconds{T}": "1800x{n}",
        },
        {"WatcherAuditOverdue"},
    ),
    "the network is gone": (
        {"watcher_documents_fresh{T}": "51x140 0x{n}"},
        {"WatcherNothingFresh"},
    ),
    "one document has moved": (
        {
            "watcher_documents_fresh{T}": "51x20 50x{n}",
            'watcher_documents{T, state="active"}': "51x20 50x{n}",
            'watcher_documents{T, state="failing"}': "0x20 1x{n}",
        },
        {"WatcherDocumentsStale"},
    ),
    "nothing is watched yet": (
        {
            "watcher_documents_fresh{T}": "0x{n}",
            'watcher_documents{T, state="active"}': "0x{n}",
        },
        set(),
    ),
    "a document kills workers": (
        {'watcher_worker_kills_total{T, reason="memory"}': "0x160 0+1x{n}"},
        {"WatcherParserKilled"},
    ),
    "an alert waits": (
        {"watcher_outbox_oldest_pending_timestamp_seconds{T}": "_x160 9600x{n}"},
        {"WatcherNotificationsStuck"},
    ),
    "an alert that is on its way is told to nobody": (
        {"watcher_outbox_oldest_pending_timestamp_seconds{T}": "_x175 10500x{n}"},
        set(),
    ),
    "an alert was given up": (
        {'watcher_notifications_total{T, channel="ops", result="dead"}': "0x170 1x{n}"},
        {"WatcherNotificationDead"},
    ),
}


def alerts() -> dict[str, dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


@pytest.fixture(scope="module")
def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        if os.environ.get("WATCHER_TESTS_NO_SKIP"):
            pytest.fail("promtool is missing: run `make system-deps`")
        pytest.skip("needs promtool: run `make system-deps`")
    return found


def history(changed: dict[str, str]) -> list[dict[str, str]]:
    """Return the series of one scenario; the last part of each lasts to the end."""
    merged = {**HEALTHY, **changed}
    return [
        {
            "series": name.replace("{T", "{" + TARGET),
            "values": values.replace("{n}", str(HOURS * 60)),
        }
        for name, values in merged.items()
    ]


@pytest.mark.system
def test_promtool_finds_no_mistake(promtool: str) -> None:
    done = subprocess.run(
        [promtool, "check", "rules", "--lint=all", "--lint-fatal", str(RULES)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.system
def test_each_scenario_fires_exactly_what_it_should(promtool: str, tmp_path: Path) -> None:
    severities = {name: rule["labels"]["severity"] for name, rule in alerts().items()}
    tests = [
        {
            "name": name,
            "interval": "1m",
            "input_series": history(changed),
            "promql_expr_test": [
                {
                    "expr": 'count by (alertname, severity) (ALERTS{alertstate="firing"})',
                    "eval_time": f"{HOURS}h",
                    "exp_samples": [
                        {
                            "labels": f'{{alertname="{alert}", severity="{severities[alert]}"}}',
                            "value": 1,
                        }
                        for alert in sorted({*fires, "WatcherWatchdog"})
                    ],
                }
            ],
        }
        for name, (changed, fires) in SCENARIOS.items()
    ]
    written = tmp_path / "tests.yml"
    written.write_text(
        json.dumps(
            {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}, indent=1
        )
    )
    done = subprocess.run(
        [promtool, "test", "rules", str(written)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_fires_in_some_scenario() -> None:
    fired = {alert for _, fires in SCENARIOS.values() for alert in fires}
    assert fired | {"WatcherWatchdog"} == set(alerts())


def test_every_alert_says_what_happened_and_what_to_do() -> None:
    for name, rule in alerts().items():
        assert rule["labels"]["severity"] in {"page", "ticket", "none"}, name
        assert set(rule["annotations"]) == {"summary", "description"}, name
        assert len(rule["annotations"]["description"]) > 40, name


def test_every_metric_in_a_rule_and_a_history_is_exported() -> None:
    metrics = Metrics(channels=["ops"], data_directory=Path("/"), read_store=StoreCounts)
    metrics.declare_job("dispatch", 1)
    text = generate_latest(metrics.registry).decode()
    families = list(text_string_to_metric_families(text))
    exported = {sample.name for family in families for sample in family.samples}
    exported |= {family.name for family in families} | {"up"}
    for rule in alerts().values():
        for name in re.findall(r"\b(?:watcher|process)_[a-z_]+", rule["expr"]):
            if name != "watcher_state":
                assert name in exported, name
    assert {name.split("{")[0] for name in HEALTHY} <= exported
