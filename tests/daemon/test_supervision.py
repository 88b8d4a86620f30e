"""The watch over the scheduler, the clock and the jobs, with the real APScheduler."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from apscheduler.jobstores.memory import MemoryJobStore
from prometheus_client import CollectorRegistry

from watcher import logs
from watcher.clock import SystemClock
from watcher.daemon.health import disk_check
from watcher.daemon.jobs import Job, JobRunner
from watcher.daemon.supervisor import (
    MOST_REVIVALS,
    Limits,
    SchedulerDeadError,
    Supervisor,
    Vitals,
)
from watcher.errors import TemporaryError
from watcher.metrics import Metrics

LIMITS = Limits(watch=0.05, heartbeat=0.1, stall=0.6, lag=5, stuck_grace=0.1)
PATIENCE = 20.0


class ShiftedClock(SystemClock):
    """The machine's clock, with a wall that can be moved."""

    def __init__(self) -> None:
        self.shift = timedelta(0)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.shift


@pytest.fixture(autouse=True)
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    level, before = root.level, list(root.handlers)
    stream = io.StringIO()
    logs.configure(stream=stream)
    yield stream
    for handler in [h for h in root.handlers if h not in before]:
        root.removeHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(capture=False)


def events(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def sample(metrics: Metrics, metric: str, **labels: str) -> float:
    registry: CollectorRegistry = metrics.registry
    found = registry.get_sample_value(metric, labels)
    assert found is not None
    return found


async def until(ask: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not ask():  # noqa: ASYNC110 - it asks many kinds of things
            await asyncio.sleep(0.01)


def supervised(
    job: Job, act: Callable[[Supervisor], Awaitable[None]], clock: SystemClock | None = None
) -> Metrics:
    """Run `job` under a supervisor that keeps watch while `act` does its worst."""

    async def run() -> Metrics:
        metrics = Metrics()
        supervisor = Supervisor((job,), metrics, clock or SystemClock(), LIMITS)
        supervisor.start()
        watch = asyncio.create_task(supervisor.watch())
        try:
            await act(supervisor)
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            await supervisor.drain(1)
        return metrics

    return asyncio.run(run())


class Runs:
    """A job's work that counts its runs."""

    def __init__(self, interval: float = 0.1, deadline: float = 5.0) -> None:
        self.count = 0
        self.job = Job("dispatch", interval, self.run, deadline)

    async def run(self) -> None:
        self.count += 1


def test_a_job_runs_at_once_and_then_regularly() -> None:
    runs = Runs()

    async def act(_: Supervisor) -> None:
        await until(lambda: runs.count >= 4)

    metrics = supervised(runs.job, act)
    ended = sample(metrics, "watcher_job_runs_total", name="dispatch", outcome="success")
    assert ended >= 4
    assert sample(metrics, "watcher_scheduler_last_tick_timestamp_seconds") > 1e9


def test_a_dead_scheduler_is_noticed_and_replaced(
    monkeypatch: pytest.MonkeyPatch, log: io.StringIO
) -> None:
    """One exception out of a job store ends APScheduler's timer for good."""
    runs = Runs()
    real, broken = MemoryJobStore.update_job, [True]

    def update_job(store: MemoryJobStore, job: object) -> None:
        if broken.pop() if broken else False:
            raise sqlite3.OperationalError("database is locked")
        real(store, job)

    async def act(supervisor: Supervisor) -> None:
        monkeypatch.setattr(MemoryJobStore, "update_job", update_job)
        await until(lambda: not broken)
        clockwork = supervisor.scheduler._clockwork
        assert clockwork is not None
        assert clockwork.running, "this is what makes the death silent"
        seen = runs.count
        await until(lambda: runs.count > seen + 2)

    metrics = supervised(runs.job, act)
    assert sample(metrics, "watcher_scheduler_restarts_total") == 1
    told = [line["event"] for line in events(log)]
    assert told.count("scheduler.stalled") == 1
    assert told.index("scheduler.stalled") < told.index("scheduler.revived")


def test_a_scheduler_that_always_dies_ends_the_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    def get_due_jobs(*_: object) -> list[object]:
        raise SystemError("gone")

    def get_next_run_time(*_: object) -> None:
        raise sqlite3.OperationalError("gone")

    monkeypatch.setattr(MemoryJobStore, "get_due_jobs", get_due_jobs)
    monkeypatch.setattr(MemoryJobStore, "get_next_run_time", get_next_run_time)

    async def run() -> None:
        limits = Limits(watch=0.01, heartbeat=0.01, stall=0.05)
        supervisor = Supervisor((Runs().job,), Metrics(), SystemClock(), limits)
        supervisor.start()
        async with asyncio.timeout(PATIENCE):
            await supervisor.watch()

    with pytest.raises(SchedulerDeadError) as caught:
        asyncio.run(run())
    assert str(MOST_REVIVALS) in caught.value.message


def test_a_run_beyond_its_deadline_is_cancelled_and_the_next_begins(log: io.StringIO) -> None:
    started: list[float] = []

    async def never() -> None:
        started.append(1)
        await asyncio.Event().wait()

    async def act(_: Supervisor) -> None:
        await until(lambda: len(started) >= 3)

    metrics = supervised(Job("dispatch", 0.1, never, deadline_seconds=0.2), act)
    assert sample(metrics, "watcher_job_runs_total", name="dispatch", outcome="timeout") >= 2
    assert (
        sample(metrics, "watcher_job_runs_total", name="dispatch", outcome="skipped_overlap") >= 1
    )
    timed_out = next(line for line in events(log) if line["event"] == "job.timeout")
    assert (timed_out["job"], timed_out["deadline_seconds"]) == ("dispatch", 0.2)


def test_a_timeout_inside_the_job_is_an_error_not_the_deadline(log: io.StringIO) -> None:
    async def inner() -> None:
        raise TimeoutError("the source was slow")

    async def act(_: Supervisor) -> None:
        await until(lambda: any(line["event"] == "job.failed" for line in events(log)))

    metrics = supervised(Job("dispatch", 0.1, inner, 5), act)
    assert sample(metrics, "watcher_job_runs_total", name="dispatch", outcome="error") >= 1
    assert sample(metrics, "watcher_job_runs_total", name="dispatch", outcome="timeout") == 0


def test_a_known_error_is_one_line_with_its_hint(log: io.StringIO) -> None:
    async def locked() -> None:
        raise TemporaryError("the database is locked", document_id="d1", hint="wait")

    async def act(_: Supervisor) -> None:
        await until(lambda: any(line["event"] == "job.failed" for line in events(log)))

    supervised(Job("dispatch", 0.1, locked, 5), act)
    line = next(line for line in events(log) if line["event"] == "job.failed")
    assert line["hint"] == "wait"
    assert line["failed_document_id"] == "d1"
    assert "exception" not in line


def test_a_run_that_ignores_its_cancellation_is_told_as_stuck(log: io.StringIO) -> None:
    release = asyncio.Event()

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    async def act(supervisor: Supervisor) -> None:
        await until(lambda: bool(supervisor.vitals.stuck))
        assert supervisor.vitals.fault(LIMITS) == "stuck: dispatch"
        await asyncio.sleep(LIMITS.watch * 4)
        release.set()
        await until(lambda: not supervisor.vitals.stuck)

    supervised(Job("dispatch", 60, stubborn, deadline_seconds=0.1), act)
    assert [line["event"] for line in events(log)].count("job.stuck") == 1


def test_a_backward_jump_of_the_clock_delays_no_job(log: io.StringIO) -> None:
    """After such a jump APScheduler waits for the old time to come round again."""
    runs, clock = Runs(), ShiftedClock()

    async def act(supervisor: Supervisor) -> None:
        await until(lambda: runs.count >= 2)
        clockwork = supervisor.scheduler._clockwork
        assert clockwork is not None
        for job in clockwork.get_jobs():
            job.modify(next_run_time=datetime.now(UTC) + timedelta(hours=1))
        clock.shift = timedelta(hours=-1)
        seen = runs.count
        await until(lambda: runs.count > seen + 2)

    metrics = supervised(runs.job, act, clock)
    assert sample(metrics, "watcher_clock_jumps_total", direction="backward") == 1
    assert sample(metrics, "watcher_scheduler_restarts_total") == 0
    jumped = next(line for line in events(log) if line["event"] == "clock.jumped")
    assert jumped["seconds"] == pytest.approx(-3600, abs=5)


def test_a_forward_jump_is_counted_and_runs_nothing_twice() -> None:
    runs, clock = Runs(interval=60), ShiftedClock()

    async def act(supervisor: Supervisor) -> None:
        await until(lambda: runs.count == 1)
        clock.shift = timedelta(hours=1)
        await until(
            lambda: (
                supervisor._metrics.registry.get_sample_value(
                    "watcher_clock_jumps_total", {"direction": "forward"}
                )
                == 1
            )
        )

    supervised(runs.job, act, clock)
    assert runs.count == 1


def test_a_lagging_loop_is_not_mistaken_for_a_dead_scheduler() -> None:
    async def run() -> Metrics:
        metrics = Metrics()
        supervisor = Supervisor((Runs().job,), metrics, SystemClock(), LIMITS)
        supervisor._last_tick -= 1000
        supervisor.look(lag=LIMITS.lag + 1)
        assert "late" in supervisor.vitals.fault(LIMITS)
        supervisor.look(lag=0)
        return metrics

    assert sample(asyncio.run(run()), "watcher_scheduler_restarts_total") == 0


def test_draining_waits_then_cancels_and_names_what_it_cancelled() -> None:
    ended: list[str] = []

    async def short() -> None:
        await asyncio.sleep(0.05)
        ended.append("short")

    async def long() -> None:
        await asyncio.Event().wait()

    async def run() -> tuple[str, ...]:
        jobs = (Job("short", 60, short, 60), Job("long", 60, long, 60))
        runner = JobRunner(jobs, Metrics(), SystemClock())
        for job in jobs:
            runner.fire(job)
        cancelled = await runner.drain(0.5)
        assert runner.running == ()
        assert await runner.drain(0.5) == ()
        return cancelled

    assert asyncio.run(run()) == ("long",)
    assert ended == ["short"]


@pytest.mark.parametrize(
    ("vitals", "said"),
    [
        (Vitals(0, 0, 0, ()), ""),
        (Vitals(1000, 0, 0, ()), "scheduler"),
        (Vitals(0, 1000, 0, ()), "event loop"),
        (Vitals(0, 0, 1000, ()), "late"),
        (Vitals(0, 0, 0, ("deliver",)), "stuck: deliver"),
    ],
)
def test_vitals_say_what_is_wrong(vitals: Vitals, said: str) -> None:
    fault = vitals.fault(Limits())
    assert (said in fault) if said else not fault


def test_the_disk_is_well_or_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = disk_check(tmp_path)
    assert not check.vital
    monkeypatch.setattr("watcher.daemon.health.LEAST_FREE_BYTES", 0)
    monkeypatch.setattr("watcher.daemon.health.LEAST_FREE_SHARE", 0.0)
    assert "free in" in check.probe()
    monkeypatch.setattr("watcher.daemon.health.LEAST_FREE_SHARE", 1.1)
    with pytest.raises(TemporaryError) as caught:
        check.probe()
    assert "free space" in str(caught.value)
