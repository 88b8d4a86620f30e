"""Housekeeping jobs: one run of each at a time, each with a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from watcher import logs
from watcher.clock import Clock
from watcher.errors import WatcherError
from watcher.logs import Event
from watcher.metrics import JobOutcome, Metrics

_log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of housekeeping, such as the dispatcher's tick.

    It runs at start and then every `interval_seconds`; a run that lasts longer
    than `deadline_seconds` is cancelled; a run that is due while one is under
    way is skipped.
    """

    name: str
    interval_seconds: float
    run: Callable[[], Awaitable[None]]
    deadline_seconds: float


class JobRunner:
    """Runs jobs as tasks of its own, so that no scheduler can cancel or lose them."""

    def __init__(self, jobs: Iterable[Job], metrics: Metrics, clock: Clock) -> None:
        self._metrics = metrics
        self._clock = clock
        self._running: dict[str, asyncio.Task[None]] = {}
        self._due_end: dict[str, float] = {}
        self._told_stuck: set[str] = set()
        for job in jobs:
            metrics.declare_job(job.name, job.interval_seconds)

    @property
    def running(self) -> tuple[str, ...]:
        """The names of the jobs under way."""
        return tuple(self._running)

    def fire(self, job: Job) -> None:
        """Begin a run of `job`, or skip it while one is under way."""
        if job.name in self._running:
            self._metrics.job_ended(job.name, JobOutcome.SKIPPED_OVERLAP, 0)
            _log.debug(Event.JOB_OVERLAPPED, job=job.name)
            return
        self._due_end[job.name] = self._clock.monotonic() + job.deadline_seconds
        task = asyncio.create_task(self._run(job), name=f"job {job.name}")
        self._running[job.name] = task
        task.add_done_callback(lambda _: self._ended(job.name))

    def stuck(self, grace_seconds: float) -> tuple[str, ...]:
        """Return the jobs that ignore their deadline's cancellation for `grace_seconds`.

        Nothing can end such a run from inside the process, and a second one
        beside it could do the same work twice: it is told, and counts as a
        failure of the daemon's health.
        """
        now = self._clock.monotonic()
        found = tuple(name for name, end in self._due_end.items() if now > end + grace_seconds)
        for name in found:
            if name not in self._told_stuck:
                self._told_stuck.add(name)
                _log.error(
                    Event.JOB_STUCK, job=name, overdue_seconds=round(now - self._due_end[name])
                )
        return found

    async def drain(self, seconds: float) -> tuple[str, ...]:
        """Wait for the runs under way, cancel those still there after `seconds`.

        Returns the names of the cancelled.
        """
        tasks = dict(self._running)
        if not tasks:
            return ()
        _, late = await asyncio.wait(tasks.values(), timeout=seconds)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=5)
        return tuple(name for name, task in tasks.items() if task in late)

    async def _run(self, job: Job) -> None:
        started = self._clock.monotonic()
        outcome = JobOutcome.ERROR
        with logs.bound(job=job.name):
            try:
                outcome = await self._attempt(job)
            except asyncio.CancelledError:
                outcome = JobOutcome.CANCELLED
                raise
            except WatcherError as error:
                _log.error(
                    Event.JOB_FAILED,
                    error=error.code,
                    message=error.message,
                    hint=error.hint,
                    failed_document_id=error.document_id,
                )
            except Exception:  # noqa: BLE001 - one job's fault is never the daemon's end
                _log.exception(Event.JOB_FAILED, error="fault")
            finally:
                self._metrics.job_ended(job.name, outcome, self._clock.monotonic() - started)

    async def _attempt(self, job: Job) -> JobOutcome:
        try:
            async with asyncio.timeout(job.deadline_seconds) as deadline:
                await job.run()
        except TimeoutError:
            if not deadline.expired():
                raise
            _log.error(Event.JOB_TIMEOUT, deadline_seconds=job.deadline_seconds)
            return JobOutcome.TIMEOUT
        return JobOutcome.SUCCESS

    def _ended(self, name: str) -> None:
        del self._running[name]
        del self._due_end[name]
        self._told_stuck.discard(name)
