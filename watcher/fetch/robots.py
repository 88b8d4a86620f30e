"""robots.txt (RFC 9309): what it allows, remembered per origin."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

import httpx
from protego import Protego

from watcher.domain.verdicts import Refusal
from watcher.fetch.clock import Clock
from watcher.fetch.model import RefusedError
from watcher.fetch.urls import join
from watcher.fetch.wire import Wire

PRODUCT = "policy-watcher"
"""The product token that a site's robots.txt can name."""

MAX_BYTES = 512 * 1024
"""RFC 9309 asks for at least 500 KiB; the rest is not read."""

_FRESH = 86_400.0
_FRESH_UNREACHABLE = 600.0
_MAX_ORIGINS = 4_096
_REDIRECTS = 5
_UNREADABLE = frozenset({Refusal.TOO_LARGE, Refusal.DECODE_ERROR, Refusal.TRUNCATED})


@dataclass(frozen=True, slots=True)
class Rules:
    """What one origin's robots.txt says; `problem` is why it could not be read."""

    parsed: Protego | None
    problem: str = ""

    def allows(self, url: str) -> bool:
        """Tell whether `url` may be asked."""
        if self.problem:
            return False
        return self.parsed is None or bool(self.parsed.can_fetch(url, PRODUCT))

    @property
    def crawl_delay(self) -> float:
        """The seconds between requests that it asks for; 0 where it does not."""
        delay = self.parsed.crawl_delay(PRODUCT) if self.parsed else None
        if delay is None or not math.isfinite(delay):
            return 0.0
        return max(0.0, float(delay))


def rules_from(status: int | None, body: bytes, problem: str = "") -> Rules:
    """Return the rules of an answer for /robots.txt.

    4xx: no rules, all is allowed. 5xx, 429 and no answer: unreachable, nothing
    is allowed until it is known (RFC 9309, 2.3.1.4).
    """
    if status is None or status >= 500 or status == 429:
        return Rules(None, problem or f"robots.txt answered {status}")
    if status != 200:
        return Rules(None)
    return Rules(Protego.parse(body[:MAX_BYTES].decode("utf-8-sig", "replace")))


async def read_rules(target: httpx.URL, ask: Callable[[httpx.URL], Awaitable[Wire]]) -> Rules:
    """Return the rules for the origin of `target`; `ask` fetches one URL.

    A file that is too large, broken or coded strangely could not be read, so
    nothing is allowed; one that redirects for ever is not there.

    Raises:
        RefusedError: the origin could not be reached at all, which says more
            of the document than its robots.txt would.
    """
    robots = target.copy_with(raw_path=b"/robots.txt")
    for _ in range(_REDIRECTS):
        try:
            answer = await ask(robots)
        except RefusedError as error:
            if error.verdict.reason in _UNREADABLE:
                return rules_from(None, b"", f"robots.txt: {error.verdict.message}")
            raise
        location = answer.headers.get("location")
        if not 300 <= answer.status < 400 or location is None:
            return rules_from(answer.status, answer.body)
        robots = join(robots, location)
    return rules_from(404, b"")


class RobotsCache:
    """Rules per origin: a day, or ten minutes where they could not be read.

    Rules once read stay in force while robots.txt is unreachable.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Rules]] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, origin: str) -> asyncio.Lock:
        """Return the lock under which the rules of `origin` are read, once for all."""
        lock = self._locks.get(origin)
        if lock is None:
            lock = self._locks[origin] = asyncio.Lock()
        return lock

    def get(self, origin: str) -> Rules | None:
        """Return the rules of `origin` while they are fresh."""
        entry = self._known.get(origin)
        if entry is None or entry[0] < self._clock.monotonic():
            return None
        return entry[1]

    def put(self, origin: str, rules: Rules) -> Rules:
        """Remember the rules of `origin` and return those in force."""
        known = self._known.pop(origin, None)
        fresh = _FRESH
        if rules.problem:
            fresh = _FRESH_UNREACHABLE
            if known is not None and not known[1].problem:
                rules = known[1]
        self._known[origin] = (self._clock.monotonic() + fresh, rules)
        if len(self._known) > _MAX_ORIGINS:
            self._known.popitem(last=False)
        return rules
