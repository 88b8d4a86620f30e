"""`make bench-ops`: CPU time, so that a busy machine does not change the figures."""

from __future__ import annotations

import asyncio
import io
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from prometheus_client import generate_latest

from watcher import logs
from watcher.clock import SystemClock
from watcher.daemon.jobs import Job
from watcher.daemon.supervisor import Limits, Supervisor
from watcher.domain.ids import DocumentId
from watcher.logs import Event
from watcher.metrics import Metrics
from watcher.pipeline.auditing import audit_document
from watcher.pipeline.citing import EmissionKey, emit
from watcher.pipeline.counting import read_counts
from watcher.pipeline.ingest import ingest
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import DocumentEntry, Settings
from watcher.store import Store

DOCUMENTS = 10_000
CITATIONS = 2_000
TEXT_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number and what it should be; `most`: the target is an upper bound."""

    figure: str
    value: float
    unit: str
    target: float
    most: bool = True

    @property
    def holds(self) -> bool:
        """Tell whether the target is met."""
        return self.value <= self.target if self.most else self.value >= self.target


def cpu_seconds(act: Callable[[], object], times: int) -> float:
    """Return the least CPU time of one run out of `times`."""
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        act()
        best = min(best, time.process_time() - started)
    return best


@contextmanager
def services(documents: tuple[DocumentEntry, ...] = ()) -> Iterator[Services]:
    """A store in a new folder that watches `documents`."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "var"
        data.mkdir()
        with Store.open(data) as store:
            settings = Settings(data_dir=data, documents=documents)
            made = Services(settings, store, SystemClock(), Metrics())
            sync_documents(made)
            yield made


def scraping() -> Iterator[Figure]:
    """A scrape of a daemon that watches ten thousand documents."""
    entries = tuple(
        DocumentEntry.model_validate(
            {"document_id": f"document-{n:05}", "url": f"https://host-{n}.example.org/policy"}
        )
        for n in range(DOCUMENTS)
    )
    with services(entries) as made:
        with closing(sqlite3.connect(made.settings.data_dir / "watcher.sqlite3")) as database:
            # Ten thousand checks would take minutes; a scrape only reads when they were.
            seen = datetime.now(UTC).replace(tzinfo=None).isoformat(" ")
            database.execute("UPDATE document SET last_success = ?", (seen,))
            database.commit()
        assert read_counts(made).documents_fresh == DOCUMENTS
        metrics = Metrics(
            channels=[f"channel-{n}" for n in range(10)],
            read_store=lambda: read_counts(made),
            data_directory=made.settings.data_dir,
        )
        for n in range(10):
            metrics.declare_job(f"job_{n}", 60)
        text = generate_latest(metrics.registry).decode()
        series = sum(not line.startswith("#") for line in text.splitlines())
        seconds = cpu_seconds(lambda: generate_latest(metrics.registry), 5)
    yield Figure("scrape_cpu_ms_10000_documents", seconds * 1000, "ms", 50)
    yield Figure("series_10000_documents", series, "series", 1500)


def auditing() -> Iterator[Figure]:
    """The audit of one version with thousands of citations."""
    with services() as made, tempfile.TemporaryDirectory() as folder:
        sentences = [f"{n:06} Records of kind {n} are kept for {n % 90} days." for n in range(4000)]
        text = "\n".join(sentences)[:TEXT_BYTES]
        source = Path(folder) / "policy.txt"
        source.write_text(text, encoding="utf-8")
        name = DocumentId("policy")
        asyncio.run(ingest(made, name, source, media_type="text/plain", title="Policy"))
        for n in range(CITATIONS):
            emit(made, name, EmissionKey("bench", f"a{n}"), ranges=[(n * 40, n * 40 + 120)])
        seconds = cpu_seconds(lambda: audit_document(made, name), 3)
    yield Figure("audit_citations_per_cpu_second", CITATIONS / seconds, "1/s", 10_000, most=False)


def logging() -> Iterator[Figure]:
    """One log line with bound ids."""
    output = logs.configure(stream=io.StringIO())
    log = logs.get("bench")

    def write() -> None:
        with logs.bound(document_id="retention-policy", check_id="k"):
            for _ in range(1000):
                log.info(Event.CHECK_NOT_MODIFIED, duration_ms=3, url="https://example.org/p")

    yield Figure("log_line_cpu_us", cpu_seconds(write, 5) * 1000, "us", 250)
    output.close()


def supervising() -> Iterator[Figure]:
    """The supervisor with a dispatcher that ticks each second and finds nothing."""

    async def idle() -> None:
        return

    async def run(seconds: float) -> float:
        jobs = (Job("dispatch", 1, idle, 60), Job("deliver", 1, idle, 60))
        supervisor = Supervisor(jobs, Metrics(), SystemClock(), Limits())
        supervisor.start()
        watch = asyncio.create_task(supervisor.watch())
        started = time.process_time()
        await asyncio.sleep(seconds)
        used = time.process_time() - started
        watch.cancel()
        await supervisor.drain(1)
        return used / seconds * 100

    yield Figure("supervisor_idle_cpu_percent", asyncio.run(run(10)), "%", 1)


def main() -> None:
    """Print a table, then one JSON object a line."""
    figures = [f for part in (scraping, auditing, logging, supervising) for f in part()]
    for figure in figures:
        bound = "at most" if figure.most else "at least"
        verdict = "holds" if figure.holds else "MISSED"
        print(
            f"{figure.figure:34} {figure.value:12.2f} {figure.unit:7}"
            f" {bound} {figure.target:g}: {verdict}"
        )
    for figure in figures:
        print(
            json.dumps(
                {
                    "figure": figure.figure,
                    "value": round(figure.value, 3),
                    "unit": figure.unit,
                    "target": figure.target,
                    "holds": figure.holds,
                }
            )
        )


if __name__ == "__main__":
    main()
