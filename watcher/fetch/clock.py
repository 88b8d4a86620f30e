"""The clock that politeness is measured with; tests hand in their own."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds and waiting."""

    def monotonic(self) -> float:
        """Seconds that only grow."""
        ...

    def time(self) -> float:
        """Seconds since the epoch, UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def random(self) -> float:
        """A number in [0, 1) for jitter."""
        ...


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    def time(self) -> float:
        """Seconds since the epoch, UTC."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait without holding the loop."""
        await asyncio.sleep(seconds)

    def random(self) -> float:
        """A number in [0, 1); jitter needs no secrecy."""
        return random.random()  # noqa: S311
