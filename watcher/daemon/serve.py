"""One daemon from its start to its last line."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from watcher import logs
from watcher.clock import Clock, SystemClock
from watcher.daemon.health import PROBE_SECONDS, Health, HealthCheck
from watcher.daemon.jobs import Job
from watcher.daemon.listener import Listener, inherited_socket
from watcher.daemon.notify import Notifier
from watcher.daemon.supervisor import Limits, Supervisor
from watcher.errors import WatcherError
from watcher.logs import Event
from watcher.metrics import DaemonState, Metrics

_log = logs.get(__name__)

EXIT_OK = 0
EXIT_FAILURE = 1
EXIT_TEMPORARY = 75
EXIT_CONFIG = 78


@dataclass(frozen=True, slots=True)
class DaemonApp:
    """What a daemon is made of; the pipeline fills it in.

    `reload` reads and takes new settings whole, or raises and changes nothing;
    it returns one line. `status` is one line for the service manager.
    `on_drain` is called once, at once, when the daemon is told to stop: claim
    nothing more. `on_stop` is awaited last, when no job runs any more.
    `drain_seconds` is how long runs under way may go on after that.
    """

    jobs: tuple[Job, ...]
    checks: tuple[HealthCheck, ...]
    metrics: Metrics
    reload: Callable[[], Awaitable[str]]
    status: Callable[[], str]
    on_drain: Callable[[], None]
    on_stop: Callable[[], Awaitable[None]]
    host: str = "127.0.0.1"
    port: int = 9464
    drain_seconds: float = 30.0
    limits: Limits = field(default_factory=Limits)
    clock: Clock = field(default_factory=SystemClock)


async def serve(app: DaemonApp) -> int:
    """Run until SIGTERM or SIGINT, and return the exit code.

    0 stopped as told; 1 a fault of its own; 75 it may work later (the address
    is taken, the data directory is locked); 78 the settings are wrong.
    SIGTERM drains and a second one exits at once; SIGHUP reloads; SIGUSR1
    writes every stack to the log.
    """
    try:
        await _Daemon(app).run()
    except WatcherError as error:
        _log.error(Event.DAEMON_FAILED, error=error.code, message=error.message, hint=error.hint)
        return error.exit_code if error.exit_code in {EXIT_TEMPORARY, EXIT_CONFIG} else EXIT_FAILURE
    except Exception:  # noqa: BLE001 - the last place that can tell of it
        _log.exception(Event.DAEMON_FAILED, error="fault")
        return EXIT_FAILURE
    return EXIT_OK


class _Daemon:
    def __init__(self, app: DaemonApp) -> None:
        self._app = app
        self._supervisor = Supervisor(app.jobs, app.metrics, app.clock, app.limits)
        self._health = Health(app.checks, self._supervisor, app.limits)
        self._notifier = Notifier.from_environment(os.environ)
        self._stop = asyncio.Event()
        self._reload = asyncio.Event()

    async def run(self) -> None:
        app = self._app
        self._set_state(DaemonState.STARTING)
        inherited = inherited_socket(os.environ)
        with Listener(
            app.host, app.port, self._health, app.metrics.registry, inherited
        ) as listener:
            _log.info(Event.DAEMON_STARTED, pid=os.getpid(), listen=listener.address)
            self._catch_signals()
            try:
                await self._until_stopped()
            finally:
                await self._drain()
        _log.info(Event.DAEMON_STOPPED)

    async def _until_stopped(self) -> None:
        """Work until told to stop; a fault of one of the watches ends it too."""
        app = self._app
        app.metrics.reloaded(taken=True)
        self._supervisor.start()
        watches = [
            asyncio.create_task(watch, name=name)
            for name, watch in {
                "supervisor": self._supervisor.watch(),
                "health": self._probe(),
                "reload": self._reload_when_told(),
                "stop": self._stop_wait(),
            }.items()
        ]
        try:
            done, _ = await asyncio.wait(watches, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in watches:
                task.cancel()
            await asyncio.gather(*watches, return_exceptions=True)

    async def _stop_wait(self) -> None:
        await self._stop.wait()

    async def _drain(self) -> None:
        app = self._app
        self._set_state(DaemonState.DRAINING)
        running = self._supervisor.runner.running
        self._notifier.stopping(f"draining: {', '.join(running) or 'nothing under way'}")
        _log.info(Event.DAEMON_DRAINING, running=list(running), seconds=app.drain_seconds)
        app.on_drain()
        try:
            cancelled = await self._supervisor.drain(app.drain_seconds)
            if cancelled:
                _log.warning(Event.JOB_TIMEOUT, cancelled=list(cancelled), at="drain")
        finally:
            await app.on_stop()

    # --- health ---

    async def _probe(self) -> None:
        """Ask the health checks regularly; tell what changed; feed the watchdog."""
        period = min(PROBE_SECONDS, (self._notifier.watchdog_seconds or PROBE_SECONDS * 3) / 3)
        while True:
            await self._health.probe()
            self._take_findings()
            await asyncio.sleep(period)

    def _take_findings(self) -> None:
        health = self._health
        failing = {f.name: f.detail for f in health.findings() if not f.ok}
        before = health.state
        if before is DaemonState.STARTING and not health.well():
            self._notifier.status(f"starting: {_listed(failing)}")
            return
        self._set_state(DaemonState.DEGRADED if failing else DaemonState.RUNNING)
        if before is DaemonState.STARTING:
            _log.info(Event.DAEMON_READY)
            self._notifier.ready(self._status())
        if failing and before is not DaemonState.DEGRADED:
            _log.error(Event.DAEMON_DEGRADED, failing=failing)
        elif not failing and before is DaemonState.DEGRADED:
            _log.info(Event.DAEMON_RECOVERED)
        self._notifier.status(self._status() if not failing else f"degraded: {_listed(failing)}")
        if health.well():
            self._notifier.watchdog()

    def _status(self) -> str:
        try:
            return self._app.status()
        except Exception as error:  # noqa: BLE001 - a status line is never worth a crash
            return f"no status: {error}"

    def _set_state(self, state: DaemonState) -> None:
        self._health.state = state
        self._app.metrics.state(state)

    # --- signals ---

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._told_to_stop)
        loop.add_signal_handler(signal.SIGHUP, self._reload.set)
        loop.add_signal_handler(signal.SIGUSR1, _write_stacks)
        # Written by the handler itself, so it also works while the loop stands still.
        faulthandler.register(signal.SIGUSR1, all_threads=True, chain=True)

    def _told_to_stop(self) -> None:
        if self._stop.is_set():
            _log.error(Event.DAEMON_STOPPED, message="told twice: stopped at once")
            sys.stderr.flush()
            os._exit(EXIT_FAILURE)
        self._stop.set()

    async def _reload_when_told(self) -> None:
        while True:
            await self._reload.wait()
            self._reload.clear()
            self._notifier.reloading()
            await self._reload_once()
            self._notifier.ready(self._status())

    async def _reload_once(self) -> None:
        try:
            summary = await self._app.reload()
        except WatcherError as error:
            self._app.metrics.reloaded(taken=False)
            _log.error(Event.CONFIG_REJECTED, message=error.message, hint=error.hint, kept="old")
        except Exception:  # noqa: BLE001 - a bad file must not end the daemon
            self._app.metrics.reloaded(taken=False)
            _log.exception(Event.CONFIG_REJECTED, kept="old")
        else:
            self._app.metrics.reloaded(taken=True)
            _log.info(Event.CONFIG_RELOADED, summary=summary)


def _listed(failing: dict[str, str]) -> str:
    return "; ".join(f"{name}: {detail}" for name, detail in failing.items())


def _write_stacks() -> None:
    """Write the stack of every thread and task: places only, no values."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    threads = {
        f"{names.get(ident, '?')} ({ident})": _places(traceback.extract_stack(frame))
        for ident, frame in sys._current_frames().items()  # noqa: SLF001 - the only way to ask
    }
    tasks = {
        task.get_name(): _places(
            traceback.StackSummary.extract((f, f.f_lineno) for f in task.get_stack())
        )
        for task in asyncio.all_tasks()
    }
    _log.warning(Event.DAEMON_STACKS, threads=threads, tasks=tasks)


def _places(stack: traceback.StackSummary) -> list[str]:
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in stack]
