"""How often a host is asked: slots, spacing, Retry-After, backoff, circuit.

One `Hosts` serves the whole process. A host that is slow, hostile or asks for
patience holds back its own documents and nobody else's.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from watcher.fetch.clock import Clock
from watcher.fetch.model import DeferredError, FetchSettings
from watcher.fetch.validators import http_date

_MAX_HOSTS = 20_000
"""Hosts whose state is remembered; quiet ones are forgotten first."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The delays between failing checks: `first` seconds, doubled up to `ceiling`."""

    first: float = 60.0
    ceiling: float = 21_600.0
    jitter: float = 0.1


def next_delay(
    interval: float,
    *,
    failures: int,
    unit: float,
    retry_after: float | None = None,
    backoff: Backoff | None = None,
) -> float:
    """Return the seconds until the next check of a document.

    After a success (`failures` 0) it is the interval; after the n-th failure
    in a row `first * 2**(n-1)`, at most the ceiling or the interval, whichever
    is larger. Both vary by the jitter, spread evenly around them by `unit` in
    [0, 1), so that periods do not drift. Never sooner than `retry_after`.
    """
    rules = backoff or Backoff()
    base = interval
    if failures:
        doubled = rules.first * 2.0 ** min(failures - 1, 40)
        base = min(doubled, max(rules.ceiling, interval))
    delay = base * (1 + rules.jitter * (2 * unit - 1))
    # The jitter comes on top of what the server asked for: a host's documents
    # must not all come back in the same second.
    asked = 0.0 if retry_after is None else retry_after * (1 + rules.jitter * unit)
    return max(delay, asked)


def first_delay(interval: float, overdue: float, unit: float) -> float:
    """Return the seconds until the first check after a start.

    Documents that came due while nothing ran (`overdue` >= 0 seconds ago) are
    spread over a tenth of their interval, at most five minutes.
    """
    if overdue < 0:
        return -overdue
    return unit * min(interval / 10, 300.0)


def retry_after(value: str, now: float, ceiling: float) -> float | None:
    """Return the seconds that a Retry-After header asks for, or None.

    Args:
        value: delay in seconds or an HTTP date (RFC 9110, 10.2.3).
        now: seconds since the epoch.
        ceiling: the most that is believed.
    """
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), ceiling)
    date = http_date(text)
    if date is None:
        return None
    return min(max(0.0, (date - datetime.fromtimestamp(now, UTC)).total_seconds()), ceiling)


@dataclass(slots=True)
class _Host:
    slots: asyncio.Semaphore
    next_start: float = 0.0
    held_until: float = 0.0
    held_why: str = ""
    failures: int = 0
    opened: int = 0
    spacing: float = 0.0
    users: int = field(default=0)


class Hosts:
    """The state of every host that was asked lately. Times are the clock's monotonic."""

    def __init__(self, settings: FetchSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._everybody = asyncio.Semaphore(settings.concurrency)

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Wait for a turn with host `key` and hold it: its slot, its spacing, a global slot.

        The global slot is taken last, so that documents that wait for a slow
        host use up nothing that others need.

        Raises:
            DeferredError: the host is held back, or the wait would be too long.
        """
        host = self._host(key)
        host.users += 1
        try:
            self._check_hold(key, host)
            async with host.slots:
                self._check_hold(key, host)
                await self._wait_for_spacing(key, host)
                async with self._everybody:
                    yield
        finally:
            host.users -= 1

    def hold(self, key: str, seconds: float, why: str) -> None:
        """Ask nothing of host `key` for `seconds`; a longer hold is not shortened."""
        host = self._host(key)
        until = self._clock.monotonic() + seconds
        if until > host.held_until:
            host.held_until, host.held_why = until, why

    def slow_down(self, key: str, seconds: float) -> None:
        """Keep `seconds` between requests to host `key` (robots.txt Crawl-delay)."""
        self._host(key).spacing = min(seconds, self._settings.max_wait)

    def reached(self, key: str) -> None:
        """Note that host `key` answered: its circuit is closed."""
        host = self._host(key)
        host.failures = host.opened = 0

    def failed(self, key: str) -> None:
        """Note that host `key` could not be reached; enough of them open its circuit.

        While it is open nothing is asked. When the time is over the next
        request is the trial: one more failure opens it again, for longer.
        """
        host = self._host(key)
        host.failures += 1
        settings = self._settings
        if host.failures >= settings.breaker_failures or host.opened:
            pause = min(settings.breaker_seconds * 2.0**host.opened, settings.breaker_ceiling)
            host.opened = min(host.opened + 1, 32)
            self.hold(key, pause, f"could not be reached {host.failures} times in a row")

    def _host(self, key: str) -> _Host:
        host = self._hosts.get(key)
        if host is None:
            host = self._hosts[key] = _Host(asyncio.Semaphore(self._settings.per_host))
            self._forget()
        self._hosts.move_to_end(key)
        return host

    def _forget(self) -> None:
        if len(self._hosts) <= _MAX_HOSTS:
            return
        now = self._clock.monotonic()
        quiet = [k for k, h in self._hosts.items() if not h.users and h.held_until < now]
        for key in quiet[: len(self._hosts) // 10]:
            del self._hosts[key]

    def _check_hold(self, key: str, host: _Host) -> None:
        left = host.held_until - self._clock.monotonic()
        if left > 0:
            raise DeferredError(left, f"{key} is left alone for {left:.0f} s: {host.held_why}")

    async def _wait_for_spacing(self, key: str, host: _Host) -> None:
        settings = self._settings
        now = self._clock.monotonic()
        start = max(now, host.next_start)
        if start - now > settings.max_wait:
            raise DeferredError(start - now, f"{key} has too many documents waiting")
        gap = max(settings.spacing, host.spacing)
        host.next_start = start + gap * (1 + settings.spacing_jitter * self._clock.random())
        if start > now:
            await self._clock.sleep(start - now)
            self._check_hold(key, host)
