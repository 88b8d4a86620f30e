"""The network guard: resolve once, check every address, connect to a checked one.

It sits below HTTP and TLS, so it holds for every hop of every request, a name
cannot change its mind between the check and the connection, and certificates
stay bound to the host's name.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Protocol

import httpcore
import httpx

from watcher.domain.verdicts import Refusal
from watcher.fetch.addresses import METADATA_NAMES, Address, Network, why_refused
from watcher.fetch.model import RefusedError, refused

_FIRST_TRIES = 3.0
"""Seconds for an address while others are left: a dead IPv6 path costs no more."""


class Resolver(Protocol):
    """Turns a host into addresses."""

    async def __call__(self, host: str, port: int) -> list[Address]:
        """Return every address of `host`; OSError where there is none."""
        ...


class SystemResolver:
    """The system's resolver, in threads of its own, so that slow names delay only themselves."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="resolve")

    async def __call__(self, host: str, port: int) -> list[Address]:
        """Return every address of `host`, literal forms (`0x7f.1`) included."""
        try:
            found = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
            )
        except (OSError, UnicodeError):
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(self._threads, _look_up, host, port)
        unique = dict.fromkeys(str(entry[4][0]) for entry in found)
        return [ip_address(text) for text in unique]

    def close(self) -> None:
        """Let the threads go; one that still waits for a name is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int) -> list[Any]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"not a host name: {error}") from error


class UnresolvedError(httpx.ConnectError):
    """The name has no address, or nobody could be asked for it."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where connections may go: the document's own networks, and the ports on public ones."""

    allowed: tuple[Network, ...]
    ports: frozenset[int]


def _blocked(host: str, port: int, why: str, *evidence: tuple[str, object]) -> RefusedError:
    return RefusedError(
        refused(
            Refusal.BLOCKED_ADDRESS,
            f"{host}:{port} may not be reached: {why}",
            "if the document really is there, allow its network: allowed_networks in its entry, "
            "or --allow-network CIDR on the command line",
            ("host", host),
            *evidence,
        )
    )


async def checked(host: str, port: int, reach: Reach, resolve: Resolver) -> list[Address]:
    """Return the addresses of `host`, all of which may be reached.

    Raises:
        RefusedError: `blocked_address` if the name or any one address is not
            allowed, or a public address is asked on a strange port.
        UnresolvedError: the name does not resolve.
    """
    name = host.rstrip(".").lower()
    if name in METADATA_NAMES:
        raise _blocked(host, port, "it names a cloud metadata service")
    try:
        addresses = await resolve(host, port)
    except OSError as error:
        raise UnresolvedError(f"{host} does not resolve: {error.strerror or error}") from None
    for address in addresses:
        why = why_refused(address, reach.allowed)
        if why:
            raise _blocked(host, port, f"{address} is {why}", ("address", address), ("kind", why))
        if port not in reach.ports and not any(address in network for network in reach.allowed):
            raise _blocked(
                host, port, f"port {port} is neither 80, 443 nor the document's", ("port", port)
            )
    return addresses


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects to checked addresses only, never to a Unix socket."""

    def __init__(self, reach: Reach, resolve: Resolver) -> None:
        self._reach = reach
        self._resolve = resolve
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of `host` that answers."""
        addresses = await checked(host, port, self._reach, self._resolve)
        last = addresses[-1]
        for address in addresses:
            patience = timeout if address == last else min(timeout or _FIRST_TRIES, _FIRST_TRIES)
            try:
                return await self._inner.connect_tcp(
                    str(address), port, patience, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if address == last:
                    raise
        raise httpcore.ConnectError(f"{host} has no address")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109, ARG002
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore.AsyncNetworkStream:
        """Refuse: no document lives behind a Unix socket."""
        raise _blocked(path, 0, "it is a Unix socket")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._inner.sleep(seconds)
