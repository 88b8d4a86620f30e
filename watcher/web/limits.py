"""How much one caller may ask: a bucket for each, filled at the rate of the settings."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict

from watcher.clock import Clock
from watcher.settings.web import LimitSettings
from watcher.web.problems import ApiError

_MOST_CALLERS = 10_000
_FAILURES = 20.0
"""So many failed attempts to be known from one address, and one more every second."""


class Limiter:
    """Counts what each caller asked; from any thread."""

    def __init__(self, settings: LimitSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count a request of `caller`.

        Raises:
            ApiError: `rate_limited`, with Retry-After.
        """
        if self._settings.rate:
            self._take(f"+{caller}", self._settings.rate, self._settings.burst)

    def failed(self, address: str) -> None:
        """Count a failed attempt to be known.

        Raises:
            ApiError: `rate_limited`, with Retry-After.
        """
        self._take(f"-{address}", 1.0, _FAILURES)

    def _take(self, key: str, rate: float, burst: float) -> None:
        now = self._clock.monotonic()
        with self._lock:
            left, at = self._buckets.pop(key, (burst, now))
            left = min(burst, left + max(0.0, now - at) * rate)
            enough = left >= 1.0
            self._buckets[key] = left - 1.0 if enough else left, now
            while len(self._buckets) > _MOST_CALLERS:
                self._buckets.popitem(last=False)
        if not enough:
            seconds = math.ceil((1.0 - left) / rate)
            raise ApiError(
                "rate_limited",
                "this caller has asked too much",
                hint="wait as long as Retry-After says",
                headers={"retry-after": str(seconds)},
            )
