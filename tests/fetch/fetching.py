"""Short ways to fetch in a test."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from watcher.fetch import Answer, Fetcher, FetchSettings, Limits, Request

LOOPBACK = ("127.0.0.0/8",)
SETTINGS = FetchSettings(contact="mailto:tests@example.org", spacing=0.0, breaker_failures=1000)
LIMITS = Limits(total=20.0, connect=5.0, header=10.0, idle=5.0)


def request(url: str, **fields: Any) -> Request:
    """A request that may reach loopback and does not ask robots.txt."""
    given: dict[str, Any] = {
        "document_id": "doc",
        "url": url,
        "allowed_networks": LOOPBACK,
        "robots_override": "a test",
        "limits": LIMITS,
    }
    return Request(**(given | fields))


def fetch_all(*requests: Request, settings: FetchSettings = SETTINGS) -> list[Answer]:
    """Fetch one after the other with one fetcher."""

    async def run() -> list[Answer]:
        async with Fetcher(settings) as fetcher:
            return [await fetcher.fetch(one) for one in requests]

    return asyncio.run(run())


def fetch(url: str, settings: FetchSettings = SETTINGS, **fields: Any) -> Answer:
    """Fetch `url` once."""
    return fetch_all(request(url, **fields), settings=settings)[0]


def limited(**fields: Any) -> Limits:
    """The tests' limits with some changed."""
    return replace(LIMITS, **fields)
