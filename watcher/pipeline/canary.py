"""The canary: a document of the daemon's own changes, and the change must be found.

It goes the real way: over HTTP, through the guard, every gate, the extraction
in its worker, classification, re-anchoring and into an outbox. Only its store
is its own, below the data directory and begun anew each day: no list, count or
reader of real documents ever meets it, and nobody is told.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from watcher import logs
from watcher.alert.channels import ConsoleChannel
from watcher.clock import Clock
from watcher.collectors import CanaryResult
from watcher.domain.changes import ChangeClass
from watcher.domain.ids import CitationId, DocumentId
from watcher.domain.verdicts import Outcome
from watcher.errors import WatcherError
from watcher.fetch import Fetcher
from watcher.logs import Event
from watcher.metrics import Metrics
from watcher.pipeline.check import Checker, CheckReport
from watcher.pipeline.citing import EmissionKey, emit
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import DocumentEntry, Settings
from watcher.store import Store
from watcher.store.service import CANARY

NAME = DocumentId("canary")
FOLDER = "canary"
ROUNDS = 96
"""So many changes, and its store begins anew."""
_LEASE_SECONDS = 300.0
_CHANNEL = "canary"
_QUOTE = "needs the written approval of the data protection officer"

_log = logs.get(__name__)


class CanaryError(WatcherError):
    """A change of the canary was not found, or not told, or its citation was lost."""

    code = "canary"


def page(days: int) -> bytes:
    """Return what the canary says; a policy that keeps records for `days`."""
    return (
        "<!doctype html><html lang=en><head><title>Canary policy</title></head><body><main>"
        "<h1>Canary policy</h1>"
        f"<p>Access logs of every system must be kept for {days} days and then deleted.</p>"
        f"<p>Every exception to this policy {_QUOTE} of the company.</p>"
        "</main></body></html>"
    ).encode()


@dataclass
class _Round:
    """A store of the canary, what cites it, and how often it has changed."""

    services: Services
    checker: Checker
    citation: CitationId
    days: int = 30

    @classmethod
    async def begin(
        cls, settings: Settings, clock: Clock, fetcher: Fetcher, publish: Callable[[bytes], None]
    ) -> Self:
        """Begin anew: an empty store, a first version, a citation of it."""
        folder = settings.data_dir
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        store = await asyncio.to_thread(Store.open, folder)
        try:
            services = Services(settings, store, clock, Metrics(channels=[_CHANNEL]))
            await asyncio.to_thread(sync_documents, services)
            checker = Checker(services, fetcher)
            publish(page(cls.days))
            _accepted(await _check(services, checker))
            cited = await asyncio.to_thread(
                emit, services, NAME, EmissionKey("canary", "canary"), quote=_QUOTE
            )
        except BaseException:
            store.close()
            raise
        return cls(services, checker, cited.citation.citation_id)

    async def change(self, publish: Callable[[bytes], None]) -> None:
        """Change the text and hold the pipeline to what must come of it."""
        self.days += 1
        publish(page(self.days))
        report = _accepted(await _check(self.services, self.checker))
        await asyncio.to_thread(self._prove, report)

    def _prove(self, report: CheckReport) -> None:
        store = self.services.store
        if report.change_id is None:
            raise CanaryError("the canary changed and no change was found")
        change = store.changes.get(report.change_id)
        judged = store.changes.classification(change.change_id)
        if judged is None:
            raise CanaryError("its change was never judged")
        if judged.change_class is not ChangeClass.POLICY_BEARING:
            raise CanaryError(f"its new duty was judged {judged.change_class.value}")
        store.outbox.find(change.change_id, _CHANNEL)
        stated = store.citations.statements(self.citation)
        if not stated or not stated[-1].statement.carries:
            raise CanaryError("its citation was not carried into the new version")


class Canary:
    """Changes its document and checks it; `run` is one change."""

    def __init__(
        self,
        services: Callable[[], Services],
        fetcher: Fetcher,
        url: str,
        publish: Callable[[bytes], None],
    ) -> None:
        self._services = services
        self._fetcher = fetcher
        self._url = url
        self._publish = publish
        self._round: _Round | None = None
        metrics = services().metrics
        metrics.canary_last_pass.set_to_current_time()
        metrics.canary_interval.set(services().settings.canary.every.total_seconds())

    async def run(self) -> None:
        """Change, check and count; what went wrong is told and counted, not raised."""
        services = self._services()
        result = CanaryResult.FAIL
        try:
            await self._once(services)
            result = CanaryResult.PASS
        except WatcherError as error:
            self.close()
            _log.error(Event.CANARY_FAILED, error=error.code, message=error.message)
        await asyncio.to_thread(
            services.store.service.count, CANARY, result.value, services.clock.now()
        )
        if result is CanaryResult.PASS:
            services.metrics.canary_last_pass.set_to_current_time()

    def close(self) -> None:
        """Give its store back; the next run begins anew."""
        ended, self._round = self._round, None
        if ended is not None:
            ended.services.store.close()

    async def _once(self, services: Services) -> None:
        if self._round is not None and self._round.days - _Round.days >= ROUNDS:
            self.close()
        if self._round is None:
            settings = settings_of(services.settings, self._url)
            self._round = await _Round.begin(settings, services.clock, self._fetcher, self._publish)
        await self._round.change(self._publish)


def settings_of(settings: Settings, url: str) -> Settings:
    """Return the service's settings with the canary as the only document, told to nobody.

    Loopback is allowed for this document alone; a proxy could not reach it.
    """
    entry = DocumentEntry.model_validate(
        {
            "document_id": NAME,
            "url": url,
            "title": "Canary",
            "language": "en",
            "allowed_networks": ["127.0.0.1/32"],
            "confirm": False,
        }
    )
    return settings.model_copy(
        update={
            "data_dir": Path(settings.data_dir) / FOLDER,
            "documents": (entry,),
            "channels": (ConsoleChannel(name=_CHANNEL, kind="console"),),
            "fetch": settings.fetch.model_copy(update={"proxy": None, "proxy_secret": None}),
        }
    )


async def _check(services: Services, checker: Checker) -> CheckReport:
    leased = await asyncio.to_thread(
        lambda: services.store.documents.claim(
            NAME, services.clock.now(), lease_seconds=_LEASE_SECONDS, owner=_CHANNEL
        )
    )
    return await checker.check(leased, full=True)


def _accepted(report: CheckReport) -> CheckReport:
    verdict = report.verdict
    if verdict is None or verdict.outcome is not Outcome.ACCEPTED:
        said = f"{verdict.outcome.value}: {verdict.message}" if verdict else "put off"
        raise CanaryError(f"the canary was not accepted, but {said}")
    return report
