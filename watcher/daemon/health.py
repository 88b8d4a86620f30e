"""What is probed, how it answered last, and whether the daemon is live and ready."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from watcher.daemon.supervisor import Limits, Supervisor
from watcher.errors import TemporaryError
from watcher.metrics import DaemonState

PROBE_SECONDS = 5.0
"""How often everything is probed, and how long one probe may take."""


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """Something that is asked regularly, in a thread of its own.

    `probe` returns one line for a person and raises where it is not well.
    While a `vital` one fails, the daemon is not ready and its watchdog is not
    fed; any other failure means degraded: it still serves and alerts.
    """

    name: str
    probe: Callable[[], str]
    vital: bool = False


LEAST_FREE_BYTES = 256 * 1024 * 1024
LEAST_FREE_SHARE = 0.03


def disk_check(directory: Path) -> HealthCheck:
    """Return the check that there is room for what is still to be stored.

    It is not vital: a daemon without room still resolves, serves and alerts,
    and starting it again would free nothing.
    """

    def probe() -> str:
        status = os.statvfs(directory)
        free = status.f_bavail * status.f_frsize
        share = status.f_bavail / max(status.f_blocks, 1)
        line = f"{free // 1024**2} MiB ({share:.0%}) free in {directory}"
        if free < LEAST_FREE_BYTES or share < LEAST_FREE_SHARE:
            raise TemporaryError(line, hint="free space, or move the data to a larger disk")
        return line

    return HealthCheck("disk", probe)


@dataclass(frozen=True, slots=True)
class Finding:
    """How one check answered last."""

    name: str
    ok: bool
    detail: str
    vital: bool


class Health:
    """The state of the daemon and the last findings; readable from any thread."""

    def __init__(
        self, checks: tuple[HealthCheck, ...], supervisor: Supervisor, limits: Limits
    ) -> None:
        self._checks = checks
        self._supervisor = supervisor
        self._limits = limits
        self._asked: dict[str, asyncio.Future[str]] = {}
        self.state = DaemonState.STARTING
        self.probed: tuple[Finding, ...] = tuple(
            Finding(check.name, ok=False, detail="not asked yet", vital=check.vital)
            for check in checks
        )

    def findings(self) -> tuple[Finding, ...]:
        """Return how everything answered last, the process itself first."""
        fault = self._supervisor.vitals.fault(self._limits)
        own = Finding("process", ok=not fault, detail=fault or "ticking", vital=True)
        return (own, *self.probed)

    def live(self) -> str:
        """Return why the process should be replaced, or nothing."""
        return self._supervisor.vitals.fault(self._limits)

    def unready(self) -> tuple[str, ...]:
        """Return why the daemon cannot do its work now: nothing means ready."""
        reasons = [f"{f.name}: {f.detail}" for f in self.findings() if f.vital and not f.ok]
        if self.state in {DaemonState.STARTING, DaemonState.DRAINING}:
            reasons.insert(0, self.state.value)
        return tuple(reasons)

    def well(self) -> bool:
        """Tell whether every vital check passes, whatever the state."""
        return all(finding.ok for finding in self.findings() if finding.vital)

    async def probe(self) -> None:
        """Ask every check once, all at the same time."""
        self.probed = tuple(await asyncio.gather(*(self._ask(check) for check in self._checks)))

    async def _ask(self, check: HealthCheck) -> Finding:
        pending = self._asked.get(check.name)
        if pending is None or pending.done():
            pending = self._asked[check.name] = _in_thread(check)
        try:
            detail = await asyncio.wait_for(asyncio.shield(pending), PROBE_SECONDS)
        except TimeoutError:
            detail = f"no answer within {PROBE_SECONDS:g} s"
        except Exception as error:  # noqa: BLE001 - whatever it raises is the finding
            detail = str(error) or type(error).__name__
        else:
            return Finding(check.name, ok=True, detail=detail, vital=check.vital)
        return Finding(check.name, ok=False, detail=detail, vital=check.vital)


def _in_thread(check: HealthCheck) -> asyncio.Future[str]:
    """Run the probe in a daemon thread: one that hangs must not hold up the exit."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def settle(detail: str, error: Exception | None) -> None:
        if answer.cancelled():
            return
        if error is None:
            answer.set_result(detail)
        else:
            answer.set_exception(error)

    def run() -> None:
        detail, fault = "", None
        try:
            detail = check.probe()
        except Exception as error:  # noqa: BLE001 - handed to the one who asked
            fault = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody asks any more
            loop.call_soon_threadsafe(settle, detail, fault)

    threading.Thread(target=run, name=f"probe {check.name}", daemon=True).start()
    return answer
