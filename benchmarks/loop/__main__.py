"""`make bench-loop`: CPU of one check, extraction processes included."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path

from watcher import logs
from watcher.clock import SystemClock
from watcher.domain.ids import DocumentId
from watcher.fetch import Fetcher
from watcher.metrics import Metrics
from watcher.pipeline.check import Checker
from watcher.pipeline.citing import EmissionKey, emit
from watcher.pipeline.requests import fetch_settings
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import DocumentEntry, Settings
from watcher.store import Store

DOCUMENTS = 40
CITATIONS = 20
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number and what it should be at most."""

    figure: str
    value: float
    unit: str
    target: float
    holds: bool


def cpu_seconds() -> float:
    """Return the CPU time of this process and of everything that it started."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            used[int(entry.name)] = sum(map(int, fields[11:15])) / _TICKS
    mine = {os.getpid()}
    while fresh := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= fresh
    return sum(used[pid] for pid in mine if pid != _origin_pid)


_origin_pid = 0


async def run(port: int, folder: Path) -> list[Figure]:
    """Check every document four times: new, 304, 200 unchanged, 200 changed."""
    entries = tuple(
        DocumentEntry.model_validate(
            {
                "document_id": f"d{n}",
                "url": f"http://127.0.0.1:{port}/doc/d{n}",
                "allowed_networks": ["127.0.0.0/8"],
                "language": "en",
                "ignore_robots": "a benchmark",
            }
        )
        for n in range(DOCUMENTS)
    )
    settings = Settings.model_validate(
        {"documents": entries, "fetch": {"spacing": "0s", "contact": "benchmark"}}
    )
    with Store.open(folder) as store:
        services = Services(settings, store, SystemClock(), Metrics())
        sync_documents(services)
        async with Fetcher(fetch_settings(settings, "benchmark")) as fetcher:
            checker = Checker(services, fetcher)
            await _all(services, checker, full=False)
            for n in range(DOCUMENTS):
                for c in range(CITATIONS):
                    quote = f"{c * 7}. Records of kind {c * 7} held for d{n} are kept"
                    emit(services, DocumentId(f"d{n}"), EmissionKey("b", f"d{n}-a{c}"), quote=quote)
            not_modified = await _all(services, checker, full=False)
            unchanged = await _all(services, checker, full=True)
            await asyncio.to_thread(_set_edition, port)
            changed = await _all(services, checker, full=False)
        assert len(store.changes.list(limit=1000)) == DOCUMENTS
    return [
        _figure("CPU per check that ends in 304", not_modified, 3.3),
        _figure("CPU per unchanged 200 of 27 KB", unchanged, 8.0),
        _figure(f"CPU per changed 200, stored, classified, {CITATIONS} citations", changed, 27.0),
    ]


def _set_edition(port: int) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/edition/7") as answer:
        answer.read()


async def _all(services: Services, checker: Checker, *, full: bool) -> float:
    """Check every document once; return CPU seconds a check."""
    started = cpu_seconds()
    for entry in services.settings.documents:
        leased = services.store.documents.claim(
            DocumentId(entry.document_id),
            services.clock.now(),
            lease_seconds=600,
            owner="benchmark",
        )
        await checker.check(leased, full=full)
    return (cpu_seconds() - started) / DOCUMENTS


def _figure(name: str, seconds: float, most: float) -> Figure:
    milliseconds = round(seconds * 1000, 2)
    return Figure(name, milliseconds, "ms", most, milliseconds <= most)


def main() -> None:
    """Measure and print: a table, then one JSON object a line."""
    global _origin_pid  # noqa: PLW0603 - the one process that does not count
    logs.configure(level=logs.Level.ERROR, style=logs.Style.CONSOLE)
    command = [sys.executable, "-m", "benchmarks.loop.origin"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as origin,
    ):
        _origin_pid = origin.pid
        assert origin.stdout is not None
        assert origin.stdin is not None
        figures = asyncio.run(run(int(origin.stdout.readline()), Path(folder)))
        origin.stdin.close()
    for figure in figures:
        print(f"{figure.figure:<60} {figure.value:>8} {figure.unit}  (at most {figure.target})")
    for figure in figures:
        print(json.dumps(asdict(figure)))


if __name__ == "__main__":
    main()
