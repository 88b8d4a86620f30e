"""CPU of one whole check, through the dispatcher, extraction processes included."""

from __future__ import annotations

import asyncio
import urllib.request
from pathlib import Path

from benchmarks.figures import Figure, at_most
from benchmarks.usage import cpu_seconds
from watcher.clock import SystemClock
from watcher.domain.ids import DocumentId
from watcher.fetch import Fetcher
from watcher.metrics import Metrics
from watcher.pipeline.citing import EmissionKey, emit
from watcher.pipeline.dispatch import Dispatcher
from watcher.pipeline.requests import fetch_settings
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import DocumentEntry, Settings
from watcher.store import Store

DOCUMENTS = 100
WARM_UP = 8
"""Documents that go through every case before anything is measured."""
CITATIONS = 20


class Bench:
    """A store of documents that are checked together, and the origin's remote control."""

    def __init__(self, services: Services, fetcher: Fetcher, port: int, origin: int) -> None:
        self.services = services
        self._dispatcher = Dispatcher(lambda: services, fetcher)
        self._port = port
        self._origin = origin

    def tell(self, command: str) -> None:
        """Tell the origin how to answer from now on."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/{command}") as answer:
            answer.read()

    async def check(self, names: list[str]) -> float:
        """Check documents once, and no others; return the CPU milliseconds of one check."""
        store, now = self.services.store, self.services.clock.now()
        store.documents.schedule_all({DocumentId(name): now for name in names})
        started = cpu_seconds(without=[self._origin])
        before = self._checked()
        await self._dispatcher.tick()
        while self._checked() < before + len(names):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        assert self._checked() == before + len(names)
        return (cpu_seconds(without=[self._origin]) - started) * 1e3 / len(names)

    def _checked(self) -> float:
        (metric,) = self.services.metrics.checks.collect()
        return sum(one.value for one in metric.samples if one.name.endswith("_total"))

    async def cases(self, names: list[str], edition: int) -> tuple[float, float, float]:
        """Return the milliseconds of a 304, an unchanged 200 and a changed 200.

        The first 304 after a capture also closes what that left open: it is made before.
        """
        await self.check(names)
        not_modified = await self.check(names)
        await asyncio.to_thread(self.tell, "forget")
        unchanged = await self.check(names)
        await asyncio.to_thread(self.tell, "remember")
        await asyncio.to_thread(self.tell, f"edition/{edition}")
        changed = await self.check(names)
        return not_modified, unchanged, changed


async def measure(port: int, origin: int, folder: Path) -> list[Figure]:
    """Return the three figures of a whole check."""
    warm = [f"w{n}" for n in range(WARM_UP)]
    names = [f"d{n}" for n in range(DOCUMENTS)]
    entries = tuple(_entry(name, number, port) for number, name in enumerate(warm + names))
    settings = Settings.model_validate(
        {"documents": entries, "fetch": {"spacing": "0s", "contact": "benchmark"}}
    )
    with Store.open(folder) as store:
        services = Services(settings, store, SystemClock(), Metrics())
        sync_documents(services)
        async with Fetcher(fetch_settings(settings, "benchmark")) as fetcher:
            bench = Bench(services, fetcher, port, origin)
            await bench.check(warm + names)
            for name in warm + names:
                _cite(services, name)
            later = services.clock.now().replace(year=2999)
            store.documents.schedule_all({DocumentId(name): later for name in warm + names})
            await bench.cases(warm, edition=5)
            await asyncio.to_thread(bench.tell, "edition/0")
            not_modified, unchanged, changed = await bench.cases(names, edition=7)
        found = store.changes.list(limit=1000)
        assert {f"d{n}" for n in range(DOCUMENTS)} <= {change.document_id for change in found}
    return [
        at_most("CPU of a check that ends in 304", not_modified, "ms", 3.3),
        at_most("CPU of an unchanged 200 of 27 KB", unchanged, "ms", 8.0),
        at_most(f"CPU of a changed 200, classified, {CITATIONS} citations", changed, "ms", 27.0),
    ]


def _entry(name: str, number: int, port: int) -> DocumentEntry:
    return DocumentEntry.model_validate(
        {
            "document_id": name,
            "url": f"http://127.0.1.{number % 250 + 1}:{port}/doc/{name}",
            "allowed_networks": ["127.0.0.0/8"],
            "language": "en",
            "ignore_robots": "a benchmark",
        }
    )


def _cite(services: Services, name: str) -> None:
    for c in range(CITATIONS):
        quote = f"{c * 7}. Records of kind {c * 7} held for {name} are kept"
        emit(services, DocumentId(name), EmissionKey("b", f"{name}-a{c}"), quote=quote)
