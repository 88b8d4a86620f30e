"""APScheduler as a clock, and nothing more.

Three of its habits shape this module. One exception inside its timer kills it
for good while it still says that it runs; so a heartbeat of our own goes
through it, and a scheduler whose heartbeat stops is thrown away and replaced.
Its shutdown cancels running coroutines; so it only ever fires, and runs live
elsewhere. Its default drops a run that is a second late; so there is no grace
limit, and late runs become one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from watcher.daemon.jobs import Job

HEARTBEAT = "heartbeat"


class Scheduler:
    """Fires each job at start and then at its interval, and beats in between."""

    def __init__(
        self,
        jobs: tuple[Job, ...],
        fire: Callable[[Job], None],
        beat: Callable[[], None],
        heartbeat_seconds: float,
    ) -> None:
        self._jobs = jobs
        self._fire = fire
        self._beat = beat
        self._heartbeat_seconds = heartbeat_seconds
        self._clockwork: AsyncIOScheduler | None = None

    def start(self) -> None:
        """Begin, or begin anew with a fresh clockwork; every job fires at once."""
        self.stop()
        clockwork = AsyncIOScheduler(
            jobstores={"default": MemoryJobStore()},
            timezone=UTC,
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )
        self._add(clockwork, HEARTBEAT, self._heartbeat_seconds, self._beat)
        for job in self._jobs:
            self._add(clockwork, job.name, job.interval_seconds, partial(self._fire, job))
        clockwork.start()
        self._clockwork = clockwork

    def stop(self) -> None:
        """Fire no more; runs that have begun go on."""
        clockwork, self._clockwork = self._clockwork, None
        if clockwork is not None:
            # A clockwork that died may fail in any way while it is put away.
            with contextlib.suppress(Exception):
                clockwork.remove_all_jobs()
                clockwork.shutdown(wait=False)

    def _add(
        self, clockwork: AsyncIOScheduler, name: str, seconds: float, act: Callable[[], None]
    ) -> None:
        async def in_the_loop() -> None:
            # A plain function would be run in a thread.
            act()

        clockwork.add_job(
            in_the_loop, "interval", seconds=seconds, id=name, next_run_time=datetime.now(UTC)
        )
