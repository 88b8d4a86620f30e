"""The dispatcher's tick: claim what is due, check it, as much at once as allowed."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable

from watcher import logs
from watcher.domain.ids import DocumentId
from watcher.errors import WatcherError
from watcher.fetch import Fetcher
from watcher.logs import Event
from watcher.pipeline.changes import resume_changes
from watcher.pipeline.check import Checker
from watcher.pipeline.services import Services
from watcher.store.rows import LeasedDocument

_LEASE_MARGIN = 300.0
"""Seconds beyond the fetch timeout that a lease lasts: extraction and commit."""

_log = logs.get(__name__)


class Dispatcher:
    """Claims due documents and runs their checks as tasks of its own.

    A tick never waits for a check: a slow host keeps its own slot and no
    other. `services` is asked for anew each time, so that a reload of the
    configuration takes effect with the next check.
    """

    def __init__(self, services: Callable[[], Services], fetcher: Fetcher) -> None:
        self._services = services
        self._fetcher = fetcher
        self._owner = f"{socket.gethostname()}:{os.getpid()}"
        self._tasks: dict[asyncio.Task[None], DocumentId] = {}
        self._checker: Checker | None = None
        self._draining = False

    @property
    def under_way(self) -> int:
        """Checks that run now."""
        return len(self._tasks)

    def stop_claiming(self) -> None:
        """Claim nothing more; what runs goes on."""
        self._draining = True

    async def tick(self) -> None:
        """Finish what a crash left behind, then start the checks that are due."""
        services = self._services()
        busy = frozenset(self._tasks.values())
        await asyncio.to_thread(lambda: resume_changes(services, owner=self._owner, busy=busy))
        room = services.settings.fetch.concurrency - len(self._tasks)
        if self._draining or room <= 0:
            return
        due = await asyncio.to_thread(
            services.store.documents.claim_due,
            services.clock.now(),
            limit=room,
            lease_seconds=services.settings.fetch.timeout.total_seconds() + _LEASE_MARGIN,
            owner=self._owner,
        )
        checker = self._current_checker(services)
        for leased in due:
            task = asyncio.create_task(
                _guarded(checker, leased), name=f"check {leased.document.document_id}"
            )
            self._tasks[task] = leased.document.document_id
            task.add_done_callback(self._tasks.pop)

    async def drain(self, seconds: float) -> None:
        """Wait for the checks under way; cancel those still there after `seconds`."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=seconds)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=5)

    def _current_checker(self, services: Services) -> Checker:
        """Return the checker of these services; one is kept, extractions take turns in it."""
        if self._checker is None or self._checker.services is not services:
            self._checker = Checker(services, self._fetcher)
        return self._checker


async def _guarded(checker: Checker, leased: LeasedDocument) -> None:
    """Run one check; a fault of one document harms no other."""
    try:
        await checker.check(leased)
    except WatcherError:
        # Told and counted where it happened; the document is tried again.
        return
    except Exception:  # noqa: BLE001 - the last place that can tell of it
        _log.exception(Event.CHECK_FAILED, document_id=leased.document.document_id, error="fault")
