"""The dashboards keep the rules of Grafana's dashboard linter, over metrics that exist."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]
from prometheus_client import generate_latest, start_http_server
from prometheus_client.parser import text_string_to_metric_families

from watcher.collectors import (
    DeliveryState,
    DocumentState,
    ReviewCounts,
    ReviewRate,
    StoreCounts,
)
from watcher.domain.changes import ChangeClass, Tier
from watcher.domain.reading import ExtractVerdict, MediaType
from watcher.domain.resolution import Reason
from watcher.domain.statements import Status
from watcher.domain.verdicts import Hold, Outcome, Refusal
from watcher.metrics import DaemonState, JobOutcome, KillReason, Metrics, ResolveSource

DASHBOARDS = Path(__file__).resolve().parents[2] / "dashboards"
FILES = sorted(DASHBOARDS.glob("*.json"))
RULES = sorted((DASHBOARDS.parent / "config" / "prometheus").glob("*.rules.yml"))
Json = dict[str, Any]
Labels = dict[str, frozenset[str]]


def load(path: Path) -> Json:
    found: Json = json.loads(path.read_text())
    return found


def panels(dashboard: Json) -> list[Json]:
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def expressions(dashboard: Json) -> list[str]:
    return [target["expr"] for panel in panels(dashboard) for target in panel["targets"]] + [
        annotation["expr"] for annotation in dashboard["annotations"]["list"]
    ]


@pytest.fixture(params=FILES, ids=lambda path: path.name)
def dashboard(request: pytest.FixtureRequest) -> Json:
    return load(request.param)


def lived() -> Metrics:
    """Metrics of a daemon to which everything has happened once."""
    metrics = Metrics(
        channels=["ops"],
        data_directory=Path("/"),
        read_store=lambda: StoreCounts(
            documents={DocumentState.ACTIVE: 5},
            documents_fresh=4,
            stalest_success=1.0,
            changes={(ChangeClass.POLICY_BEARING, Tier.PAGE): 2},
            statements={Status.GONE: 2},
            deliveries={("ops", DeliveryState.PENDING): 1},
            oldest_pending=time.time(),
            review=ReviewCounts(
                rates={ReviewRate.MISSED: (0.1, 0.0, 0.2)}, budgets={ReviewRate.MISSED: 0.05}
            ),
        ),
    )
    metrics.declare_job("dispatch", 1)
    metrics.declare_pattern("dates")
    metrics.slo_alert_firing.labels("WatcherCitationBudgetBurn", "page")
    metrics.slo_burn_rate.labels("citation-resolution")
    happen(metrics)
    return metrics


def happen(metrics: Metrics) -> None:
    metrics.state(DaemonState.RUNNING)
    metrics.last_tick.set_to_current_time()
    metrics.job_ended("dispatch", JobOutcome.SUCCESS, 0.1)
    metrics.check_ended(Outcome.REFUSED, Refusal.SOFT_404, 0.2, "k")
    metrics.check_ended(Outcome.HELD, Hold.COLLAPSED, 0.2, "k")
    metrics.extraction_ended(MediaType.PDF, ExtractVerdict.OK)
    metrics.worker_kills.labels(KillReason.MEMORY.value).inc()
    metrics.citation_resolved(ResolveSource.CALLER, Reason.HASH_MISMATCH)
    metrics.ignored_matches.labels("dates").inc()
    metrics.unresolvable([Reason.HASH_MISMATCH])
    metrics.audit_begins(3600)
    metrics.delivery_retries.labels("ops").inc()
    metrics.delivery_duration.observe(0.2)
    metrics.loop_lag.observe(0.01)


@pytest.fixture(scope="module")
def exported() -> Labels:
    text = generate_latest(lived().registry).decode()
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return {name: frozenset(labels) for name, labels in found.items()}


def test_there_are_three_dashboards() -> None:
    assert [path.name for path in FILES] == [
        "watcher-pipeline.json",
        "watcher-runtime.json",
        "watcher-slo.json",
    ]


def test_variables_follow_the_linter(dashboard: Json) -> None:
    variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
    source = variables["datasource"]
    assert (source["type"], source["query"], source["label"]) == (
        "datasource",
        "prometheus",
        "Data source",
    )
    for name in ("job", "instance"):
        variable = variables[name]
        assert variable["type"] == "query"
        assert variable["label"] == name.capitalize()
        assert variable["multi"] is True
        assert variable["allValue"] == ".+"
        assert variable["refresh"] == 2, "on time range change"
        assert variable["datasource"]["uid"] == "${datasource}"


def test_a_dashboard_is_fixed_and_found_again(dashboard: Json) -> None:
    assert dashboard["editable"] is False
    assert dashboard["schemaVersion"] == 41
    assert re.fullmatch(r"[a-z-]+", dashboard["uid"])
    assert dashboard["title"]
    assert dashboard["timezone"] == "utc"


def test_panels_follow_the_linter(dashboard: Json) -> None:
    every = dashboard["panels"]
    assert len({panel["id"] for panel in every}) == len(every)
    for panel in panels(dashboard):
        assert panel["title"]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}"
        assert panel["fieldConfig"]["defaults"]["unit"] in {
            "s",
            "short",
            "percentunit",
            "bytes",
            "cps",
            "Bps",
        }
        assert panel["targets"]
        assert len({t["refId"] for t in panel["targets"]}) == len(panel["targets"])
    assert len({panel["title"] for panel in every}) == len(every)


def test_panels_do_not_overlap_and_fill_their_rows(dashboard: Json) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        box = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(box["x"], box["x"] + box["w"])
            for y in range(box["y"], box["y"] + box["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, panel["title"]
        taken |= cells


def test_every_selector_is_of_the_chosen_job_and_instance(dashboard: Json) -> None:
    """What has no instance is on the linter's list of exclusions, and nothing else is."""
    excluded = {
        entry["panel"]
        for entry in yaml.safe_load((DASHBOARDS / ".lint").read_text())["exclusions"][
            "target-instance-rule"
        ]["entries"]
        if entry["dashboard"] == dashboard["title"]
    }
    without = set()
    for panel in panels(dashboard):
        for expression in (target["expr"] for target in panel["targets"]):
            selectors = re.findall(r"[A-Za-z0-9_:]+\{([^{}]*)\}", expression)
            names = re.findall(r"\b(?:watcher_|process_|slo:|ALERTS)[a-z0-9_:]*(?=\{)", expression)
            assert names, expression
            assert len(selectors) == len(names), expression
            for selector in selectors:
                assert 'job=~"$job"' in selector
                if 'instance=~"$instance"' not in selector:
                    without.add(panel["title"])
    assert without == excluded


def test_dashboards_lead_to_each_other(dashboard: Json) -> None:
    others = {load(path)["uid"] for path in FILES} - {dashboard["uid"]}
    assert {link["url"] for link in dashboard["links"]} == {f"/d/{uid}" for uid in others}


def test_counters_are_only_shown_as_rates_over_the_right_interval(dashboard: Json) -> None:
    for expression in expressions(dashboard):
        for counter in re.finditer(r"(\w+_(?:total|bucket))\{", expression):
            before = expression[: counter.start()]
            assert re.search(r"\b(?:rate|irate|increase)\($", before), expression
        for window in re.findall(r"\brate\([^\[]*\[([^\]]+)\]", expression):
            assert window == "$__rate_interval"


def test_every_metric_and_label_is_exported(dashboard: Json, exported: Labels) -> None:
    for panel in panels(dashboard):
        for target in panel["targets"]:
            expression = target["expr"]
            names = re.findall(r"\b((?:watcher|process)_[a-z_]+)\{", expression)
            if not names:
                continue  # what rules record is asked of a real Prometheus
            labels = {"job", "instance"}.union(*(exported[name] for name in names))
            used = set(re.findall(r"([a-z_]+)\s*=~?\"", expression))
            for group in re.findall(r"\bby \(([^)]*)\)", expression):
                used |= {label.strip() for label in group.split(",")}
            shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert used | shown <= labels, expression


def test_every_exported_metric_is_shown_or_alerted_on(exported: Labels) -> None:
    told_elsewhere = {
        "watcher_build_info",  # the variables of every dashboard
        "watcher_config_last_reload_success_timestamp_seconds",  # asked after an alert
        "watcher_canary_interval_seconds",  # a bound
        "process_virtual_memory_bytes",  # standard
    }
    rules = (DASHBOARDS.parent / "config" / "prometheus" / "watcher.rules.yml").read_text()
    used = rules + "".join(path.read_text() for path in FILES)
    bases = {re.sub(r"_(bucket|sum|count)$", "", name) for name in exported}
    unused = {name for name in bases if name not in used}
    assert unused == told_elsewhere & unused
    assert told_elsewhere <= bases


# --- with the real program -----------------------------------------------------


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@contextmanager
def prometheus(folder: Path, target: int) -> Iterator[str]:
    """A real Prometheus that scrapes `target` every second."""
    program = shutil.which("prometheus")
    if program is None:
        if os.environ.get("WATCHER_TESTS_NO_SKIP"):
            pytest.fail("prometheus is missing: run `make system-deps`")
        pytest.skip("needs prometheus: run `make system-deps`")
    config = folder / "prometheus.yml"
    config.write_text(
        json.dumps(
            {
                "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                "rule_files": [str(path) for path in RULES],
                "scrape_configs": [
                    {
                        "job_name": "watcher",
                        "sample_limit": 3000,
                        "static_configs": [{"targets": [f"127.0.0.1:{target}"]}],
                    }
                ],
            }
        )
    )
    address = f"127.0.0.1:{free_port()}"
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen(
            [
                program,
                f"--config.file={config}",
                f"--storage.tsdb.path={folder / 'tsdb'}",
                f"--web.listen-address={address}",
            ],
            stdout=log,
            stderr=log,
        )
        try:
            yield f"http://{address}"
        finally:
            process.terminate()
            process.wait(30)


def query(base: str, expression: str) -> list[Json]:
    url = f"{base}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(url, timeout=10) as answer:
        found: list[Json] = json.load(answer)["data"]["result"]
        return found


@pytest.mark.system
def test_every_query_finds_something_in_a_real_prometheus(tmp_path: Path) -> None:
    metrics = lived()
    server, thread = start_http_server(0, "127.0.0.1", metrics.registry)
    try:
        with prometheus(tmp_path, server.server_port) as base:
            deadline = time.monotonic() + 60
            scrapes = 0.0
            while scrapes < 4 and time.monotonic() < deadline:
                time.sleep(0.5)
                happen(metrics)
                try:
                    samples = query(base, "count_over_time(watcher_build_info[1m])")
                except OSError:
                    continue
                scrapes = float(samples[0]["value"][1]) if samples else 0
            assert scrapes >= 4
            for path in FILES:
                for panel in panels(load(path)):
                    for target in panel["targets"]:
                        expression = (
                            target["expr"]
                            .replace("$__rate_interval", "1m")
                            .replace("$job", "watcher")
                            .replace("$instance", ".+")
                        )
                        assert query(base, expression), f"{panel['title']}: {expression}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
