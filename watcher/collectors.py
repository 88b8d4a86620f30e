"""What is read anew at each scrape: the store's counts, the disk, the process."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from watcher.domain.changes import ChangeClass, Tier
from watcher.domain.reviews import ReviewVerdict, fits
from watcher.domain.statements import Status

PREFIX = "watcher"


class DocumentState(StrEnum):
    """Whether a document is watched, refusing, or no longer configured."""

    ACTIVE = "active"
    HELD = "held"
    FAILING = "failing"
    WITHDRAWN = "withdrawn"
    RETIRED = "retired"


class DeliveryState(StrEnum):
    """Where an alert of the outbox stands for one channel."""

    HELD = "held"
    PENDING = "pending"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"
    DEAD = "dead"


class IngestResult(StrEnum):
    """Whether a new version was kept: only one that gives its own hashes again is."""

    STORED = "stored"
    MISMATCH = "mismatch"


class CanaryResult(StrEnum):
    """Whether a change of the daemon's own document was found, told and followed."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"


class ReviewRate(StrEnum):
    """What is estimated from the verdicts of persons."""

    FALSE_PAGE = "false_page"
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """The verdicts of persons, and what they say of all changes.

    `rates` holds (estimate, lower bound, upper bound) of each rate that a
    verdict tells of; `budgets` the share that each may have. `queue` is how
    many drawn changes wait for a verdict.
    """

    verdicts: Mapping[tuple[Tier, ReviewVerdict], int] = field(default_factory=dict)
    rates: Mapping[ReviewRate, tuple[float, float, float]] = field(default_factory=dict)
    budgets: Mapping[ReviewRate, float] = field(default_factory=dict)
    queue: int = 0


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """What the store knows, read in one go at a scrape.

    Timestamps are Unix seconds, None where there is none yet. Missing keys of
    a mapping count as 0. The counts of `changes`, `statements` and, for the
    states delivered and dead, of `deliveries` must never shrink: they are
    exported as counters, and a purge that lowered one would look like a
    restart and so like new events.
    """

    documents: Mapping[DocumentState, int] = field(default_factory=dict)
    documents_fresh: int = 0
    stalest_success: float | None = None
    versions: int = 0
    version_bytes: int = 0
    citations_live: int = 0
    changes: Mapping[tuple[ChangeClass, Tier], int] = field(default_factory=dict)
    statements: Mapping[Status, int] = field(default_factory=dict)
    deliveries: Mapping[tuple[str, DeliveryState], int] = field(default_factory=dict)
    oldest_pending: float | None = None
    database_bytes: int = 0
    wal_bytes: int = 0
    ingests: Mapping[IngestResult, int] = field(default_factory=dict)
    canary: Mapping[CanaryResult, int] = field(default_factory=dict)
    review: ReviewCounts = field(default_factory=ReviewCounts)


class StoreCollector(Collector):
    """Exports `StoreCounts`, read at the scrape.

    When the store cannot be read, its series are missing from that scrape and
    `watcher_store_readable` is 0: no value is invented or repeated.
    """

    def __init__(self, read: Callable[[], StoreCounts], channels: tuple[str, ...]) -> None:
        self._read = read
        self._channels = channels

    def describe(self) -> Iterable[Metric]:
        """Name the series without reading the store."""
        return self._families(StoreCounts())

    def collect(self) -> Iterable[Metric]:
        """Read the store and export what it knows."""
        readable = GaugeMetricFamily(
            f"{PREFIX}_store_readable", "1 if the store answered this scrape."
        )
        try:
            counts = self._read()
        except Exception:  # noqa: BLE001 - a scrape must tell of any fault, never be one
            readable.add_metric([], 0)
            return [readable]
        readable.add_metric([], 1)
        return [readable, *self._families(counts)]

    def _families(self, counts: StoreCounts) -> list[Metric]:
        documents = _family("documents", "Documents by state.", ["state"])
        for state in DocumentState:
            documents.add_metric([state.value], counts.documents.get(state, 0))
        changes = _count_family("changes", "Classified changes.", ["class", "tier"])
        for change_class in ChangeClass:
            for tier in Tier:
                number = counts.changes.get((change_class, tier), 0)
                changes.add_metric([change_class.value, tier.value], number)
        statements = _count_family("statements", "Re-anchoring statements.", ["status"])
        for status in Status:
            statements.add_metric([status.value], counts.statements.get(status, 0))
        single = {
            "documents_fresh": (
                "Documents checked within twice their interval.",
                counts.documents_fresh,
            ),
            "versions": ("Stored versions.", counts.versions),
            "version_bytes": ("Bytes of canonical text in all versions.", counts.version_bytes),
            "citations_live": ("Live citations.", counts.citations_live),
        }
        times = {
            "documents_stalest_success_timestamp_seconds": (
                "When the stalest active document was last checked with success.",
                counts.stalest_success,
            ),
            "outbox_oldest_pending_timestamp_seconds": (
                "When the oldest alert that still waits was due.",
                counts.oldest_pending,
            ),
        }
        singles = [
            _single(name, text, value) for name, (text, value) in {**single, **times}.items()
        ]
        size = _family("database_size_bytes", "Size of the database's files.", ["file"])
        size.add_metric(["main"], counts.database_bytes)
        size.add_metric(["wal"], counts.wal_bytes)
        return [
            documents,
            changes,
            statements,
            *singles,
            size,
            *self._deliveries(counts),
            *_tally_families(counts),
            *_review_families(counts.review),
        ]

    def _deliveries(self, counts: StoreCounts) -> list[Metric]:
        ended = _count_family(
            "notifications", "Alerts that reached their end.", ["channel", "result"]
        )
        waiting = _family("outbox_alerts", "Alerts that wait.", ["channel", "state"])
        for channel in self._channels:
            for state in (DeliveryState.DELIVERED, DeliveryState.DEAD, DeliveryState.CANCELLED):
                ended.add_metric([channel, state.value], counts.deliveries.get((channel, state), 0))
            for state in (DeliveryState.PENDING, DeliveryState.HELD):
                waiting.add_metric(
                    [channel, state.value], counts.deliveries.get((channel, state), 0)
                )
        return [ended, waiting]


def _tally_families(counts: StoreCounts) -> list[Metric]:
    ingests = _count_family("ingests", "New versions, by whether they could be kept.", ["result"])
    for ingest in IngestResult:
        ingests.add_metric([ingest.value], counts.ingests.get(ingest, 0))
    canary = _count_family("canary_checks", "Checks of the canary document.", ["result"])
    for result in CanaryResult:
        canary.add_metric([result.value], counts.canary.get(result, 0))
    return [ingests, canary]


def _review_families(review: ReviewCounts) -> list[Metric]:
    verdicts = _family("reviews", "Reviewed changes by their latest verdict.", ["tier", "verdict"])
    for tier in Tier:
        for verdict in ReviewVerdict:
            if fits(verdict, tier):
                number = review.verdicts.get((tier, verdict), 0)
                verdicts.add_metric([tier.value, verdict.value], number)
    rates = _family(
        "review_rate", "A rate estimated from verdicts, with its bounds.", ["rate", "bound"]
    )
    for rate, values in review.rates.items():
        for bound, value in zip(("estimate", "lower", "upper"), values, strict=True):
            rates.add_metric([rate.value, bound], value)
    budgets = _family("review_budget", "What a rate may be at most.", ["rate"])
    for rate, budget in review.budgets.items():
        budgets.add_metric([rate.value], budget)
    queue = _single("review_queue", "Drawn changes that wait for a verdict.", review.queue)
    return [verdicts, rates, budgets, queue]


def _family(name: str, text: str, labels: Iterable[str] = ()) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{PREFIX}_{name}", text, labels=list(labels))


def _count_family(name: str, text: str, labels: Iterable[str]) -> CounterMetricFamily:
    return CounterMetricFamily(f"{PREFIX}_{name}", text, labels=list(labels))


def _single(name: str, text: str, value: float | None) -> GaugeMetricFamily:
    """Return a gauge with one sample, or with none where there is no value yet."""
    family = _family(name, text)
    if value is not None:
        family.add_metric([], value)
    return family


class DiskCollector(Collector):
    """Free space where the data are."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def describe(self) -> Iterable[Metric]:
        """Name the series without touching the disk."""
        return [_family("data_available_bytes", ""), _family("data_size_bytes", "")]

    def collect(self) -> Iterable[Metric]:
        """Ask the file system; it exports nothing where the directory is not there."""
        try:
            status = os.statvfs(self._directory)
        except OSError:
            return []
        available, size = (
            blocks * status.f_frsize for blocks in (status.f_bavail, status.f_blocks)
        )
        return [
            _single("data_available_bytes", "Bytes free for data.", available),
            _single("data_size_bytes", "Size of the file system of the data.", size),
        ]


class ProcessCollector(Collector):
    """The standard `process_*` series without `/proc/stat`.

    A sandbox with `ProcSubset=pid` hides `/proc/stat`, and the collector of
    the client library then exports nothing at all.
    """

    def __init__(self, boot_time: float, proc: Path = Path("/proc/self")) -> None:
        self._boot_time = boot_time
        self._proc = proc

    def describe(self) -> Iterable[Metric]:
        """Name the series."""
        return self.collect()

    def collect(self) -> Iterable[Metric]:
        """Read `/proc/self`; what cannot be read is not exported."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        cpu = CounterMetricFamily("process_cpu_seconds", "User and system CPU time spent.")
        cpu.add_metric([], usage.ru_utime + usage.ru_stime)
        yield cpu
        yield GaugeMetricFamily(
            "process_start_time_seconds", "When the process started.", self._boot_time
        )
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        yield GaugeMetricFamily("process_max_fds", "Most open file descriptors.", most)
        try:
            pages = (self._proc / "statm").read_text("ascii").split()
            descriptors = len(os.listdir(self._proc / "fd"))  # noqa: PTH208 - names only
        except OSError:
            return
        size = resource.getpagesize()
        yield GaugeMetricFamily(
            "process_virtual_memory_bytes", "Virtual memory size.", int(pages[0]) * size
        )
        yield GaugeMetricFamily(
            "process_resident_memory_bytes", "Resident memory size.", int(pages[1]) * size
        )
        yield GaugeMetricFamily("process_open_fds", "Open file descriptors.", descriptors)
