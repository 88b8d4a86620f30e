"""What is counted and measured, in the conventions of Prometheus.

All names begin with `watcher_`. Every label value belongs to a closed list and
is born at zero, because `increase()` never sees the step from absent to one.
Counts that are low and matter (versions, changes, deliveries) are read from
the store at each scrape, so that a restart resets nothing and the metrics and
the database cannot disagree; those that are only of this process are counted
here.
"""

from __future__ import annotations

import platform
import sqlite3
import time
from collections import Counter as Counted
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Enum,
    Gauge,
    Histogram,
    Info,
    disable_created_metrics,
)

from watcher import __version__
from watcher.collectors import (
    PREFIX,
    DiskCollector,
    ProcessCollector,
    StoreCollector,
    StoreCounts,
)
from watcher.domain.reading import ExtractVerdict, MediaType
from watcher.domain.resolution import REASONS, Reason, Sli
from watcher.domain.verdicts import Hold, Outcome, Refusal


class DaemonState(StrEnum):
    """What the daemon is doing."""

    STARTING = "starting"
    RUNNING = "running"
    DEGRADED = "degraded"
    DRAINING = "draining"


class JobOutcome(StrEnum):
    """How a run of a housekeeping job ended."""

    SUCCESS = "success"
    ERROR = "error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    SKIPPED_OVERLAP = "skipped_overlap"


class Direction(StrEnum):
    """Which way the wall clock jumped."""

    FORWARD = "forward"
    BACKWARD = "backward"


class ResolveSource(StrEnum):
    """Who asked for a citation to be resolved."""

    CALLER = "caller"
    AUDIT = "audit"


class PatternState(StrEnum):
    """Whether a pattern of the owner still silences anything."""

    ACTIVE = "active"
    EXPIRING = "expiring"
    EXPIRED = "expired"


class ApiRoute(StrEnum):
    """What of the HTTP API and the viewer was asked for."""

    RESOLVE = "resolve"
    CITATIONS = "citations"
    DOCUMENTS = "documents"
    VERSIONS = "versions"
    CHANGES = "changes"
    ALERTS = "alerts"
    VIEWER = "viewer"
    OTHER = "other"


class CodeClass(StrEnum):
    """The first digit of an HTTP status."""

    SUCCESS = "2xx"
    REDIRECTION = "3xx"
    CALLER = "4xx"
    SERVER = "5xx"


class SloEvaluator(StrEnum):
    """Who computes the alerts on error budgets: exactly one."""

    PROMETHEUS = "prometheus"
    INTERNAL = "internal"


class KillReason(StrEnum):
    """Why an extraction worker was killed or died."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"


FORMATS: dict[MediaType | None, str] = {
    MediaType.HTML: "html",
    MediaType.PDF: "pdf",
    MediaType.DOCX: "docx",
    MediaType.MARKDOWN: "markdown",
    MediaType.TEXT: "text",
    None: "other",
}
"""The short word of a media type, used as a label."""

BREAKING = tuple(r for r, facts in REASONS.items() if facts.sli in {Sli.IF_STORED, Sli.ALWAYS})
"""The reasons for which a stored citation counts as broken."""

_CHECK_BUCKETS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_LAG_BUCKETS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_JOB_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900)
_REQUEST_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_DELIVERY_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """Every instrument of one process, in a registry of its own.

    `channels` are the names of the configured alert channels and `jobs` the
    names of the housekeeping jobs: label values that only the configuration
    knows. `read_store` is called at each scrape, in the scraping thread;
    `data_directory` is where free space is measured.
    """

    def __init__(
        self,
        *,
        channels: Iterable[str] = (),
        read_store: Callable[[], StoreCounts] | None = None,
        data_directory: Path | None = None,
        boot_time: float | None = None,
    ) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry(auto_describe=True)
        self._channels = tuple(channels)
        self._make_daemon()
        self._make_checks()
        self._make_audit()
        self._make_alerts()
        self._make_rules()
        self._make_serving()
        self._make_objectives()
        self.registry.register(ProcessCollector(boot_time or time.time()))
        if read_store is not None:
            self.registry.register(StoreCollector(read_store, self._channels))
        if data_directory is not None:
            self.registry.register(DiskCollector(data_directory))

    def _make_daemon(self) -> None:
        build = Info("build", "What is running.", namespace=PREFIX, registry=self.registry)
        build.info(
            {
                "version": __version__,
                "python": platform.python_version(),
                "sqlite": sqlite3.sqlite_version,
            }
        )
        self._state = Enum(
            "state",
            "What the daemon is doing.",
            namespace=PREFIX,
            states=[state.value for state in DaemonState],
            registry=self.registry,
        )
        self.reload_successful = self._gauge(
            "config_last_reload_successful", "1 if the last reload of the settings was taken."
        )
        self.reload_success_time = self._gauge(
            "config_last_reload_success_timestamp_seconds", "When settings were last taken."
        )
        self.last_tick = self._gauge(
            "scheduler_last_tick_timestamp_seconds", "When the scheduler last ticked."
        )
        self.scheduler_restarts = self._counter(
            "scheduler_restarts", "Times that a scheduler that had died was replaced."
        )
        self.clock_jumps = self._counter(
            "clock_jumps", "Jumps of the wall clock.", {"direction": Direction}
        )
        self.loop_lag = self._histogram(
            "event_loop_lag_seconds", "How late the event loop woke up.", _LAG_BUCKETS
        )
        self.job_runs = self._counter(
            "job_runs", "Ended runs of housekeeping jobs.", {"name": (), "outcome": JobOutcome}
        )
        self.job_duration = Histogram(
            "job_duration_seconds",
            "How long runs of housekeeping jobs took.",
            ["name"],
            namespace=PREFIX,
            buckets=_JOB_BUCKETS,
            registry=self.registry,
        )
        self.job_last_success = self._gauge(
            "job_last_success_timestamp_seconds", "When the job last succeeded.", ["name"]
        )
        self.job_interval = self._gauge("job_interval_seconds", "How often the job runs.", ["name"])

    def _make_checks(self) -> None:
        self.checks = self._counter("checks", "Ended checks.", {"outcome": Outcome})
        self.refusals = self._counter(
            "refusals", "Answers that were not the document.", {"reason": Refusal}
        )
        self.holds = self._counter("holds", "Answers that were held back.", {"reason": Hold})
        self.check_failures = self._counter(
            "check_failures", "Checks that ended in a fault of our own."
        )
        self.check_duration = self._histogram(
            "check_duration_seconds", "How long a check took, from fetch to store.", _CHECK_BUCKETS
        )
        self.fetched_bytes = self._counter("fetched_bytes", "Bytes received from sources.")
        self.checks_in_flight = self._gauge("checks_in_flight", "Checks under way.")
        self.extractions = self._counter(
            "extractions",
            "Readings made of captured bytes.",
            {"format": FORMATS.values(), "verdict": ExtractVerdict},
        )
        self.worker_kills = self._counter(
            "worker_kills", "Extraction workers that died or were killed.", {"reason": KillReason}
        )
        self.citation_checks = self._counter(
            "citation_checks",
            "Resolutions of citations.",
            {"source": ResolveSource, "result": ["ok", *Reason]},
        )

    def _make_audit(self) -> None:
        self._audit_interval = self._gauge(
            "citation_audit_interval_seconds", "Within which time every live citation is audited."
        )
        self._audit_success = self._gauge(
            "citation_audit_last_success_timestamp_seconds",
            "When the last whole audit ended, or this process began.",
        )
        self._unresolvable = self._gauge(
            "citations_unresolvable", "Live citations that the audit found broken.", ["reason"]
        )
        for reason in BREAKING:
            self._unresolvable.labels(reason.value)

    def _make_alerts(self) -> None:
        self.delivery_retries = self._counter(
            "notification_retries",
            "Deliveries that failed and will be tried again.",
            {"channel": self._channels},
        )
        self.delivery_duration = self._histogram(
            "notification_delivery_seconds", "How long a receiver took.", _DELIVERY_BUCKETS
        )

    def _make_rules(self) -> None:
        self.ignored_matches = Counter(
            "ignored_matches",
            "Differences that a pattern of the owner silenced.",
            ["pattern"],
            namespace=PREFIX,
            registry=self.registry,
        )
        self._patterns = self._gauge(
            "ignore_patterns", "Configured patterns by whether they still count.", ["state"]
        )
        self.patterns({})

    def _make_serving(self) -> None:
        self._requests = self._counter(
            "http_requests",
            "Answered requests of the API and the viewer.",
            {"route": ApiRoute, "code_class": CodeClass},
        )
        self._request_duration = self._histogram(
            "http_request_duration_seconds",
            "How long an answer of the API and the viewer took.",
            _REQUEST_BUCKETS,
        )

    def _make_objectives(self) -> None:
        self._evaluator = self._gauge(
            "slo_evaluator", "1 for who computes the alerts on error budgets.", ["evaluator"]
        )
        self.evaluated_by(SloEvaluator.PROMETHEUS)
        self.slo_alert_firing = self._gauge(
            "slo_alert_firing", "1 if the daemon itself lets the alert fire.", ["name", "severity"]
        )
        self.canary_last_pass = self._gauge(
            "canary_last_pass_timestamp_seconds",
            "When a change of the canary was last found, told and followed, or watch of it began.",
        )
        self.canary_interval = self._gauge(
            "canary_interval_seconds", "How often the canary changes; 0: it is switched off."
        )
        self.slo_burn_rate = self._gauge(
            "slo_burn_rate", "How many times too fast the daemon sees a budget spent.", ["slo"]
        )

    def evaluated_by(self, evaluator: SloEvaluator) -> None:
        """Say who computes the alerts on error budgets."""
        for each in SloEvaluator:
            self._evaluator.labels(each.value).set(int(each is evaluator))

    def http_answered(self, route: ApiRoute, status: int, seconds: float) -> None:
        """Count one answered request by its HTTP status.

        Resolutions of citations are counted too, by `citation_resolved`: the
        objective of serving is about those.
        """
        code_class = CodeClass(f"{min(max(status // 100, 2), 5)}xx")
        self._requests.labels(route.value, code_class.value).inc()
        self._request_duration.observe(seconds)

    def declare_pattern(self, name: str) -> None:
        """Give birth to the series of a pattern of the owner, at zero."""
        self.ignored_matches.labels(name)

    def patterns(self, counts: Mapping[PatternState, int]) -> None:
        """Say how many patterns count, end soon and have ended."""
        for state in PatternState:
            self._patterns.labels(state.value).set(counts.get(state, 0))

    def declare_job(self, job: str, interval_seconds: float) -> None:
        """Give birth to the series of a job, all at zero.

        The label is `name`: `job` is what Prometheus calls the whole target.
        """
        for outcome in JobOutcome:
            self.job_runs.labels(job, outcome.value)
        self.job_duration.labels(job)
        self.job_last_success.labels(job)
        self.job_interval.labels(job).set(interval_seconds)

    def job_ended(self, job: str, outcome: JobOutcome, seconds: float) -> None:
        """Count one ended run of a declared job."""
        self.job_runs.labels(job, outcome.value).inc()
        if outcome is not JobOutcome.SKIPPED_OVERLAP:
            self.job_duration.labels(job).observe(seconds)
        if outcome is JobOutcome.SUCCESS:
            self.job_last_success.labels(job).set_to_current_time()

    def state(self, state: DaemonState) -> None:
        """Say what the daemon is doing now."""
        self._state.state(state.value)

    def check_ended(
        self,
        outcome: Outcome,
        reason: Refusal | Hold | None,
        seconds: float,
        check_id: str,
    ) -> None:
        """Count one ended check; its id rides along as an exemplar."""
        self.checks.labels(outcome.value).inc()
        if isinstance(reason, Refusal):
            self.refusals.labels(reason.value).inc()
        elif isinstance(reason, Hold):
            self.holds.labels(reason.value).inc()
        self.check_duration.observe(seconds, {"check_id": check_id[:64]})

    def extraction_ended(self, media_type: MediaType | None, verdict: ExtractVerdict) -> None:
        """Count one reading."""
        self.extractions.labels(FORMATS[media_type], verdict.value).inc()

    def citation_resolved(self, source: ResolveSource, reason: Reason | None) -> None:
        """Count one resolution; `reason` is None where the passage was returned."""
        self.citation_checks.labels(source.value, reason.value if reason else "ok").inc()

    def audit_begins(self, interval_seconds: float) -> None:
        """Say how often everything is audited; lateness counts from now."""
        self._audit_interval.set(interval_seconds)
        self._audit_success.set_to_current_time()

    def audit_ended(self, interval_seconds: float) -> None:
        """Say that every live citation was audited, and within which time they next will be."""
        self._audit_interval.set(interval_seconds)
        self._audit_success.set_to_current_time()

    def unresolvable(self, reasons: Iterable[Reason]) -> None:
        """Say which live citations are broken now, by one reason each."""
        counts = Counted(reasons)
        for reason in BREAKING:
            self._unresolvable.labels(reason.value).set(counts[reason])

    def reloaded(self, *, taken: bool) -> None:
        """Record whether new settings were taken or the old ones kept."""
        self.reload_successful.set(int(taken))
        if taken:
            self.reload_success_time.set_to_current_time()

    def _counter(
        self, name: str, text: str, labels: Mapping[str, Iterable[str]] | None = None
    ) -> Counter:
        """Return a counter; combinations of closed label lists are born at 0."""
        lists = {label: list(values) for label, values in (labels or {}).items()}
        counter = Counter(name, text, list(lists), namespace=PREFIX, registry=self.registry)
        for values in _combinations(list(lists.values())) if lists else ():
            counter.labels(*values)
        return counter

    def _gauge(self, name: str, text: str, labels: Iterable[str] = ()) -> Gauge:
        return Gauge(name, text, list(labels), namespace=PREFIX, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(name, text, namespace=PREFIX, buckets=buckets, registry=self.registry)


def _combinations(lists: list[list[str]]) -> Iterator[tuple[str, ...]]:
    if not lists:
        yield ()
        return
    for value in lists[0]:
        for rest in _combinations(lists[1:]):
            yield (str(value), *rest)
