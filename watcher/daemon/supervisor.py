"""The watch over the scheduler, the event loop, the clock and the jobs.

It is a plain asyncio task, not a job: what watches the scheduler must not be
run by it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from watcher import logs
from watcher.clock import Clock
from watcher.daemon.jobs import Job, JobRunner
from watcher.daemon.scheduler import Scheduler
from watcher.errors import WatcherError
from watcher.logs import Event
from watcher.metrics import Direction, Metrics

_log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """When something counts as wrong; all in seconds.

    A scheduler is dead after `stall` without a heartbeat; a wall clock that
    moves `clock_jump` more or less than the monotonic one has jumped; a loop
    that wakes up `lag` late is not healthy; a job that lives `stuck_grace`
    beyond its cancellation is stuck.
    """

    watch: float = 1.0
    heartbeat: float = 5.0
    stall: float = 20.0
    clock_jump: float = 5.0
    lag: float = 5.0
    stuck_grace: float = 30.0


MOST_REVIVALS = 5


class SchedulerDeadError(WatcherError):
    """Every new scheduler died as well."""

    code = "scheduler_dead"


@dataclass(frozen=True, slots=True)
class Vitals:
    """How the process is: ages and the last lag in seconds, and the stuck jobs."""

    tick_age: float
    watch_age: float
    lag: float
    stuck: tuple[str, ...]

    def fault(self, limits: Limits) -> str:
        """Return what is wrong in one sentence, or nothing."""
        if self.watch_age > limits.watch + limits.lag:
            return f"the event loop has not answered for {self.watch_age:.0f} s"
        if self.lag > limits.lag:
            return f"the event loop woke up {self.lag:.0f} s late"
        if self.tick_age > limits.stall:
            return f"the scheduler has not ticked for {self.tick_age:.0f} s"
        if self.stuck:
            return f"stuck: {', '.join(self.stuck)}"
        return ""


class Supervisor:
    """Runs the jobs, and keeps watch once `watch` is awaited."""

    def __init__(
        self, jobs: tuple[Job, ...], metrics: Metrics, clock: Clock, limits: Limits
    ) -> None:
        self.runner = JobRunner(jobs, metrics, clock)
        self.scheduler = Scheduler(jobs, self.runner.fire, self._tick, limits.heartbeat)
        self._metrics = metrics
        self._clock = clock
        self._limits = limits
        self._stopped = False
        self._revivals = 0
        self._lag = 0.0
        self._stuck: tuple[str, ...] = ()
        self._last_tick = self._last_watch = clock.monotonic()
        self._offset = self._wall_offset()

    @property
    def vitals(self) -> Vitals:
        """How the process is now; may be asked from any thread."""
        now = self._clock.monotonic()
        return Vitals(
            tick_age=0.0 if self._stopped else now - self._last_tick,
            watch_age=now - self._last_watch,
            lag=self._lag,
            stuck=self._stuck,
        )

    def start(self) -> None:
        """Start the scheduler; every job fires at once."""
        self._last_tick = self._last_watch = self._clock.monotonic()
        self.scheduler.start()

    async def drain(self, seconds: float) -> tuple[str, ...]:
        """Fire no more and wait for the runs under way; returns the cancelled."""
        self._stopped = True
        self.scheduler.stop()
        return await self.runner.drain(seconds)

    async def watch(self) -> None:
        """Keep watch until cancelled.

        Raises:
            SchedulerDeadError: a scheduler was replaced several times and none ticked.
        """
        while True:
            before = self._clock.monotonic()
            await asyncio.sleep(self._limits.watch)
            self.look(self._clock.monotonic() - before - self._limits.watch)

    def look(self, lag: float) -> None:
        """Look once at everything; `lag` is how late the loop woke up, in seconds."""
        self._last_watch = self._clock.monotonic()
        self._lag = max(0.0, lag)
        self._metrics.loop_lag.observe(self._lag)
        self._stuck = self.runner.stuck(self._limits.stuck_grace)
        if self._stopped:
            return
        jumped = self._look_at_clock()
        if self._lag > self._limits.lag:
            _log.warning(Event.LOOP_LAGGED, lag_seconds=round(self._lag, 3))
            # Nothing could tick while the loop stood still: judge from now on.
            self._last_tick = self._clock.monotonic()
        elif jumped is Direction.BACKWARD:
            # It would wait for the old time to come round again.
            self.scheduler.start()
        else:
            self._look_at_ticks()

    def _tick(self) -> None:
        self._last_tick = self._clock.monotonic()
        self._metrics.last_tick.set(self._clock.now().timestamp())
        if self._revivals:
            self._revivals = 0
            _log.warning(Event.SCHEDULER_REVIVED)

    def _look_at_ticks(self) -> None:
        age = self._clock.monotonic() - self._last_tick
        if age <= self._limits.stall:
            return
        if self._revivals >= MOST_REVIVALS:
            raise SchedulerDeadError(
                f"the scheduler died and {MOST_REVIVALS} new ones did not tick",
                hint="the service manager restarts the daemon; report the log if it comes back",
            )
        self._revivals += 1
        self._metrics.scheduler_restarts.inc()
        _log.error(Event.SCHEDULER_STALLED, tick_age_seconds=round(age, 1), revival=self._revivals)
        self._last_tick = self._clock.monotonic()
        self.scheduler.start()

    def _look_at_clock(self) -> Direction | None:
        offset = self._wall_offset()
        jump = offset - self._offset
        self._offset = offset
        if abs(jump) < self._limits.clock_jump:
            return None
        direction = Direction.FORWARD if jump > 0 else Direction.BACKWARD
        self._metrics.clock_jumps.labels(direction.value).inc()
        _log.warning(Event.CLOCK_JUMPED, direction=direction.value, seconds=round(jump, 1))
        return direction

    def _wall_offset(self) -> float:
        return self._clock.now().timestamp() - self._clock.monotonic()
