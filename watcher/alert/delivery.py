"""What one attempt to deliver came to, and when the next is due."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from watcher.alert.render import Message


class DeliveryResult(StrEnum):
    """How an attempt ended.

    `dead` is only for what can never succeed: the receiver refused this very
    message. A wrong credential or address is a person's to mend and the alert
    outlives it, so those are `retry`.
    """

    DELIVERED = "delivered"
    RETRY = "retry"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One attempt: its result, one sentence, and the receiver's wish in seconds.

    `answer` is the beginning of what an HTTP receiver said.
    """

    result: DeliveryResult
    detail: str
    retry_after: float | None = None
    answer: str = ""


class Sender(Protocol):
    """Speaks to one channel. It never raises for what the receiver does."""

    async def send(self, message: Message, key: str) -> Delivery:
        """Make one attempt; `key` is the same for every attempt of this delivery."""
        ...


class Step(StrEnum):
    """What became of an alert after it was delivered."""

    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What became of the alert that was delivered under `key`, which said `about`."""

    step: Step
    key: str
    by: str
    about: Message


@runtime_checkable
class Follower(Protocol):
    """A sender whose receiver keeps a state for each alert, and can be told of it."""

    async def follow(self, news: FollowUp) -> Delivery:
        """Make one attempt; telling it twice is harmless."""
        ...


FIRST_DELAY = 5.0
LONGEST_DELAY = 900.0
LONGEST_WISH = 3600.0
MOST_ATTEMPTS = 300
"""Five seconds doubling to a quarter of an hour: about three days, a weekend."""


def next_attempt(attempts: int, retry_after: float | None, key: str) -> float | None:
    """Return the seconds until the next attempt, or None when it is given up.

    `attempts` counts those made, from 1. The receiver's wish is never
    undercut, and never believed beyond an hour. `key` spreads deliveries that
    failed together over a quarter of the delay, the same way every time.
    """
    if attempts >= MOST_ATTEMPTS:
        return None
    delay = min(FIRST_DELAY * 2.0 ** min(attempts - 1, 16), LONGEST_DELAY)
    if retry_after is not None:
        delay = max(delay, min(retry_after, LONGEST_WISH))
    spread = zlib.crc32(f"{key}\n{attempts}".encode()) / 0xFFFFFFFF
    return delay * (1 + spread / 4)


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds that a Retry-After header asks for, or None (RFC 9110, 10.2.3)."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
