from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.parser import text_string_to_metric_families

from watcher.collectors import (
    DeliveryState,
    DocumentState,
    ProcessCollector,
    StoreCounts,
)
from watcher.domain.changes import ChangeClass, Tier
from watcher.domain.reading import ExtractVerdict, MediaType
from watcher.domain.resolution import Reason
from watcher.domain.statements import Status
from watcher.domain.verdicts import Hold, Outcome, Refusal
from watcher.metrics import DaemonState, JobOutcome, Metrics, ResolveSource


def values(metrics: Metrics) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    text = generate_latest(metrics.registry).decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(metrics: Metrics, metric: str, **labels: str) -> float:
    return values(metrics)[metric, frozenset(labels.items())]


@pytest.mark.parametrize(
    ("name", "label", "words"),
    [
        ("watcher_checks_total", "outcome", list(Outcome)),
        ("watcher_refusals_total", "reason", list(Refusal)),
        ("watcher_holds_total", "reason", list(Hold)),
        ("watcher_statements_total", "status", list(Status)),
    ],
)
def test_every_word_of_a_closed_list_is_born_at_zero(
    name: str, label: str, words: list[str]
) -> None:
    born = values(Metrics(read_store=StoreCounts))
    assert {born[name, frozenset({(label, word)})] for word in words} == {0.0}
    assert len([key for key in born if key[0] == name]) == len(words)


def test_pairs_are_born_at_zero() -> None:
    metrics = Metrics(read_store=StoreCounts, channels=["ops", "legal"])
    metrics.declare_job("dispatch", 5)
    for change_class in ChangeClass:
        for tier in Tier:
            assert (
                value(metrics, "watcher_changes_total", **{"class": change_class, "tier": tier})
                == 0
            )
    for reason in ["ok", *Reason]:
        assert value(metrics, "watcher_citation_checks_total", source="audit", result=reason) == 0
    assert value(metrics, "watcher_notifications_total", channel="legal", result="dead") == 0
    assert value(metrics, "watcher_outbox_alerts", channel="ops", state="pending") == 0
    assert value(metrics, "watcher_job_runs_total", name="dispatch", outcome="timeout") == 0
    assert value(metrics, "watcher_job_interval_seconds", name="dispatch") == 5


def test_a_check_counts_once_under_its_outcome_and_reason() -> None:
    metrics = Metrics()
    metrics.check_ended(Outcome.REFUSED, Refusal.SOFT_404, 0.2, "check-1")
    metrics.check_ended(Outcome.HELD, Hold.COLLAPSED, 0.2, "check-2")
    metrics.check_ended(Outcome.ACCEPTED, None, 0.2, "check-3")
    metrics.extraction_ended(None, ExtractVerdict.UNSUPPORTED)
    metrics.extraction_ended(MediaType.PDF, ExtractVerdict.OK)
    metrics.citation_resolved(ResolveSource.CALLER, None)
    metrics.citation_resolved(ResolveSource.CALLER, Reason.HASH_MISMATCH)
    assert value(metrics, "watcher_refusals_total", reason="soft_404") == 1
    assert value(metrics, "watcher_holds_total", reason="collapsed") == 1
    assert value(metrics, "watcher_checks_total", outcome="accepted") == 1
    assert value(metrics, "watcher_check_duration_seconds_count") == 3
    assert value(metrics, "watcher_extractions_total", format="other", verdict="unsupported") == 1
    assert value(metrics, "watcher_extractions_total", format="pdf", verdict="ok") == 1
    assert (
        value(metrics, "watcher_citation_checks_total", source="caller", result="hash_mismatch")
        == 1
    )
    exposition = generate_openmetrics(metrics.registry).decode()  # type: ignore[no-untyped-call]
    assert 'check_id="check-3"' in exposition


def test_jobs_state_and_reload() -> None:
    metrics = Metrics()
    metrics.declare_job("deliver", 2)
    metrics.job_ended("deliver", JobOutcome.SUCCESS, 0.5)
    metrics.job_ended("deliver", JobOutcome.SKIPPED_OVERLAP, 0)
    metrics.state(DaemonState.DRAINING)
    metrics.reloaded(taken=True)
    taken_at = value(metrics, "watcher_config_last_reload_success_timestamp_seconds")
    metrics.reloaded(taken=False)
    assert value(metrics, "watcher_job_runs_total", name="deliver", outcome="success") == 1
    assert value(metrics, "watcher_job_duration_seconds_count", name="deliver") == 1
    assert value(metrics, "watcher_job_last_success_timestamp_seconds", name="deliver") > 0
    assert value(metrics, "watcher_state", watcher_state="draining") == 1
    assert value(metrics, "watcher_state", watcher_state="running") == 0
    assert value(metrics, "watcher_config_last_reload_successful") == 0
    assert value(metrics, "watcher_config_last_reload_success_timestamp_seconds") == taken_at


def test_low_counts_come_from_the_store_at_each_scrape() -> None:
    known = [
        StoreCounts(
            documents={DocumentState.ACTIVE: 7},
            changes={(ChangeClass.POLICY_BEARING, Tier.PAGE): 3},
            deliveries={("ops", DeliveryState.DEAD): 1, ("ops", DeliveryState.PENDING): 4},
            oldest_pending=1234.0,
        )
    ]
    metrics = Metrics(read_store=lambda: known[-1], channels=["ops"])
    assert value(metrics, "watcher_documents", state="active") == 7
    assert (
        value(metrics, "watcher_changes_total", **{"class": "policy-bearing", "tier": "page"}) == 3
    )
    assert value(metrics, "watcher_notifications_total", channel="ops", result="dead") == 1
    assert value(metrics, "watcher_outbox_alerts", channel="ops", state="pending") == 4
    assert value(metrics, "watcher_outbox_oldest_pending_timestamp_seconds") == 1234
    known.append(StoreCounts(documents={DocumentState.ACTIVE: 8}))
    assert value(metrics, "watcher_documents", state="active") == 8
    assert ("watcher_outbox_oldest_pending_timestamp_seconds", frozenset()) not in values(metrics)


def test_an_unreadable_store_invents_nothing() -> None:
    def broken() -> StoreCounts:
        raise OSError("database is locked")

    scraped = values(Metrics(read_store=broken))
    assert scraped["watcher_store_readable", frozenset()] == 0
    assert not [key for key in scraped if key[0] in {"watcher_versions", "watcher_documents"}]
    assert ("watcher_checks_total", frozenset({("outcome", "accepted")})) in scraped


def test_free_space_is_measured_where_the_data_are(tmp_path: Path) -> None:
    here = Metrics(data_directory=tmp_path)
    assert value(here, "watcher_data_size_bytes") > value(here, "watcher_data_available_bytes") > 0
    missing = values(Metrics(data_directory=tmp_path / "not there"))
    assert ("watcher_data_size_bytes", frozenset()) not in missing


def test_process_metrics_need_no_proc_stat(tmp_path: Path) -> None:
    metrics = Metrics(boot_time=1000.0)
    assert value(metrics, "process_start_time_seconds") == 1000
    assert value(metrics, "process_resident_memory_bytes") > 1_000_000
    assert value(metrics, "process_open_fds") >= 3
    assert value(metrics, "process_cpu_seconds_total") > 0
    hidden = {family.name for family in ProcessCollector(1.0, proc=tmp_path).collect()}
    assert "process_start_time_seconds" in hidden
    assert "process_open_fds" not in hidden


def test_there_are_no_created_series_and_the_number_of_series_is_bounded() -> None:
    metrics = Metrics(
        channels=[f"channel-{n}" for n in range(10)],
        read_store=lambda: StoreCounts(documents={DocumentState.ACTIVE: 10_000}),
        data_directory=Path("/"),
    )
    for n in range(10):
        metrics.declare_job(f"job_{n}", 60)
    for n in range(10_000):
        metrics.check_ended(Outcome.ACCEPTED, None, 0.01, f"document-{n}")
    series = values(metrics)
    assert not [key for key in series if key[0].endswith("_created")]
    assert len(series) <= 1500


@pytest.mark.system
def test_promtool_finds_nothing_to_improve() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        if os.environ.get("WATCHER_TESTS_NO_SKIP"):
            pytest.fail("promtool is missing: run `make system-deps`")
        pytest.skip("needs promtool: run `make system-deps`")
    metrics = Metrics(channels=["ops"], read_store=StoreCounts, data_directory=Path("/"))
    metrics.declare_job("dispatch", 5)
    done = subprocess.run(
        [promtool, "check", "metrics"],
        input=generate_latest(metrics.registry),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, b"")


def test_two_registries_live_in_one_process() -> None:
    first, second = Metrics(), Metrics()
    first.fetched_bytes.inc(5)
    assert value(first, "watcher_fetched_bytes_total") == 5
    assert value(second, "watcher_fetched_bytes_total") == 0
