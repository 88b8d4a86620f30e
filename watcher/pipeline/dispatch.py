"""The dispatcher: claim what is due, check it, as much at once as allowed."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import Counter
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

    A tick never waits for a check. No host has more checks under way than it
    may have fetches at once: further ones would only wait, and hold up those
    of other hosts. Where more is due than there is room for, the next are
    claimed as checks end, not at the next tick. `services` is asked for anew
    each time, so that a reload of the configuration takes effect with the next
    check.
    """

    def __init__(self, services: Callable[[], Services], fetcher: Fetcher) -> None:
        self._services = services
        self._fetcher = fetcher
        self._owner = f"{socket.gethostname()}:{os.getpid()}"
        self._tasks: dict[asyncio.Task[None], DocumentId] = {}
        self._hosts: Counter[str] = Counter()
        self._checker: Checker | None = None
        self._draining = False
        self._claiming = asyncio.Lock()
        self._refill: asyncio.Task[None] | None = None
        self._more_is_due = False

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
        await self._claim()

    async def _claim(self) -> None:
        """Start the checks that are due, as far as there is room."""
        async with self._claiming:
            services = self._services()
            room = services.settings.fetch.concurrency - len(self._tasks)
            if self._draining or room <= 0:
                return
            turns = _Turns(services, self._hosts)
            due = await asyncio.to_thread(
                services.store.documents.claim_due,
                services.clock.now(),
                limit=room,
                lease_seconds=services.settings.fetch.timeout.total_seconds() + _LEASE_MARGIN,
                owner=self._owner,
                admit=turns.admit,
            )
            self._more_is_due = len(due) == room or turns.refused
            checker = self._current_checker(services)
            for leased in due:
                self._start(checker, leased, turns.host_of(leased.document.document_id))

    def _start(self, checker: Checker, leased: LeasedDocument, host: str) -> None:
        document_id = leased.document.document_id
        task = asyncio.create_task(_guarded(checker, leased), name=f"check {document_id}")
        self._tasks[task] = document_id
        self._hosts[host] += 1

        def ended(task: asyncio.Task[None]) -> None:
            del self._tasks[task]
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]
            self._claim_more(checker.services.settings.fetch.concurrency)

        task.add_done_callback(ended)

    def _claim_more(self, most: int) -> None:
        """Claim anew once half of the room is free: many in one transaction."""
        idle = self._refill is None or self._refill.done()
        if self._more_is_due and idle and not self._draining and len(self._tasks) <= most // 2:
            self._refill = asyncio.create_task(self._refilled(), name="claim more")

    async def _refilled(self) -> None:
        try:
            await self._claim()
        except WatcherError:
            # The next tick meets the same fault, and tells of it.
            self._more_is_due = False

    async def drain(self, seconds: float) -> None:
        """Wait for the checks under way; cancel those still there after `seconds`."""
        if self._refill is not None:
            await asyncio.wait([self._refill])
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


class _Turns:
    """Who may be claimed: no host beyond its share of fetches, counting those under way."""

    def __init__(self, services: Services, under_way: Counter[str]) -> None:
        self._entries = services.entries
        self._most = services.settings.fetch.per_host
        self._taken = Counter(under_way)
        self.refused = False

    def admit(self, document_id: DocumentId) -> bool:
        """Take a turn with a document's host, if there is one."""
        host = self.host_of(document_id)
        if self._taken[host] >= self._most:
            self.refused = True
            return False
        self._taken[host] += 1
        return True

    def host_of(self, document_id: DocumentId) -> str:
        """Return from whom a document is fetched; its own id where it has no entry any more."""
        entry = self._entries.get(document_id)
        return f"{entry.url.host}:{entry.url.port}" if entry is not None else document_id


async def _guarded(checker: Checker, leased: LeasedDocument) -> None:
    """Run one check; a fault of one document harms no other."""
    try:
        await checker.check(leased)
    except WatcherError:
        # Told and counted where it happened; the document is tried again.
        return
    except Exception:  # noqa: BLE001 - the last place that can tell of it
        _log.exception(Event.CHECK_FAILED, document_id=leased.document.document_id, error="fault")
