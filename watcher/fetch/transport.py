"""The one module that owns the HTTP client: guarded transports, one per origin.

A pool over all origins scans every connection for every request and shares
what must not be shared; a client per check pays for a TLS context each time.
So: one TLS context per set of trusted authorities, one small transport per
(origin, reach, authorities, proxy), leased while in use, closed when idle.
"""

from __future__ import annotations

import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import httpcore
import httpx
from pydantic import SecretStr

from watcher.domain.verdicts import Refusal
from watcher.fetch.clock import Clock
from watcher.fetch.guard import GuardedBackend, Reach, Resolver
from watcher.fetch.model import RefusedError, refused

_KEEPALIVE_SECONDS = 5.0

if find_spec("sniffio") is None:
    # The client looks for this optional package at every lock it takes. A name
    # that is known to be missing is answered at once; searching the whole path
    # each time took a quarter of the CPU of a check.
    sys.modules["sniffio"] = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Route:
    """What two requests must share to share a connection."""

    origin: str
    reach: Reach
    ca_file: Path | None
    proxy: SecretStr | None


@dataclass(slots=True)
class _Entry:
    transport: httpx.AsyncHTTPTransport
    users: int = 0
    idle_since: float = 0.0


class Transports:
    """Leases transports; keeps at most `idle` unused ones, for a few seconds."""

    def __init__(self, resolve: Resolver, clock: Clock, *, per_origin: int, idle: int) -> None:
        self._resolve = resolve
        self._clock = clock
        self._per_origin = per_origin
        self._idle = idle
        self._entries: dict[Route, _Entry] = {}
        """The longest unused first: an entry goes to the end when it is given back."""
        self._contexts: dict[Path | None, ssl.SSLContext] = {}

    @asynccontextmanager
    async def lease(self, route: Route) -> AsyncIterator[httpx.AsyncHTTPTransport]:
        """Lend the transport of `route`; it stays open while anybody uses it.

        Raises:
            RefusedError: the document's CA file cannot be used.
        """
        await self._close_idle()
        entry = self._entries.get(route)
        if entry is None:
            entry = self._entries[route] = _Entry(self._open(route))
        entry.users += 1
        try:
            yield entry.transport
        finally:
            entry.users -= 1
            entry.idle_since = self._clock.monotonic()
            if self._entries.pop(route, None) is not None:
                self._entries[route] = entry
            await self._close_idle()

    async def close(self) -> None:
        """Close every transport."""
        entries = list(self._entries.values())
        self._entries.clear()
        for entry in entries:
            await entry.transport.aclose()

    async def _close_idle(self) -> None:
        """Close what was idle too long, and the longest idle ones over the bound."""
        horizon = self._clock.monotonic() - _KEEPALIVE_SECONDS
        idle = [(route, entry) for route, entry in self._entries.items() if not entry.users]
        surplus = max(0, len(idle) - self._idle)
        old = [pair for n, pair in enumerate(idle) if n < surplus or pair[1].idle_since < horizon]
        for route, _ in old:
            del self._entries[route]
        for _, entry in old:
            await entry.transport.aclose()

    def _open(self, route: Route) -> httpx.AsyncHTTPTransport:
        proxy = route.proxy.get_secret_value() if route.proxy else None
        transport = httpx.AsyncHTTPTransport(
            verify=self._context(route.ca_file),
            trust_env=False,
            proxy=proxy,
            limits=httpx.Limits(
                max_connections=self._per_origin,
                max_keepalive_connections=1,
                keepalive_expiry=_KEEPALIVE_SECONDS,
            ),
        )
        if proxy is None:
            _replace_backend(transport, GuardedBackend(route.reach, self._resolve))
        return transport

    def _context(self, ca_file: Path | None) -> ssl.SSLContext:
        """Return the shared context that trusts the system, and `ca_file` beside it."""
        context = self._contexts.get(ca_file)
        if context is None:
            context = ssl.create_default_context()
            if ca_file is not None:
                _trust(context, ca_file)
            self._contexts[ca_file] = context
        return context


def _trust(context: ssl.SSLContext, ca_file: Path) -> None:
    try:
        context.load_verify_locations(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise RefusedError(
            refused(
                Refusal.NETWORK_ERROR,
                f"the CA file {ca_file} cannot be used ({error})",
                "write a readable file of PEM certificates as the document's ca_file",
            )
        ) from None


def _replace_backend(
    transport: httpx.AsyncHTTPTransport, backend: httpcore.AsyncNetworkBackend
) -> None:
    """Make every connection of `transport` through `backend`.

    The client library has no public argument for it. The attribute is checked
    before it is replaced, so that a release that renames it fails here and
    never connects unguarded.
    """
    pool = transport._pool  # noqa: SLF001
    if not isinstance(pool._network_backend, httpcore.AsyncNetworkBackend):  # noqa: SLF001
        raise TypeError("this release of httpx keeps its network backend elsewhere")
    pool._network_backend = backend  # noqa: SLF001
