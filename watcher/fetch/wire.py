"""One request and its answer on the wire: bounded in time and bytes."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from dataclasses import dataclass
from typing import Any

import httpx

from watcher.domain.verdicts import Refusal
from watcher.fetch.bodies import Body
from watcher.fetch.clock import Clock
from watcher.fetch.model import Limits, RefusedError, TlsFacts, refused

_DER = 2  # _ssl.ENCODING_DER, where the public call is not there yet (before 3.13)


@dataclass(frozen=True, slots=True)
class Wire:
    """What one hop brought. `body` is decoded; empty where it was not read."""

    status: int
    headers: httpx.Headers
    body: bytes
    raw_bytes: int
    peer: str
    tls: TlsFacts | None


class BodyBrokenError(Exception):
    """The stream broke after the headers had come; `__cause__` is why."""


async def ask(
    transport: httpx.AsyncHTTPTransport,
    request: httpx.Request,
    limits: Limits,
    clock: Clock,
    shown_url: str,
) -> Wire:
    """Send `request` and read its answer within `limits`.

    The body of a redirect or a 304 is not read. The body of an error is read
    only as far as it helps to say what kind of error it is.

    Raises:
        httpx.TransportError, TimeoutError: before the headers came.
        BodyBrokenError: after the headers came.
        RefusedError: too large, not decodable, truncated, a slow drip, or an
            address that may not be reached.
    """
    request.extensions = {
        "timeout": {
            "connect": limits.connect,
            "read": limits.idle,
            "write": limits.idle,
            "pool": limits.total,
        }
    }
    async with asyncio.timeout(limits.header):
        response = await transport.handle_async_request(request)
    try:
        peer, tls = _connection_facts(response)
        body, raw = await _read(response, limits, clock, shown_url)
        return Wire(response.status_code, response.headers, body, raw, peer, tls)
    finally:
        await response.aclose()


async def _read(
    response: httpx.Response, limits: Limits, clock: Clock, shown_url: str
) -> tuple[bytes, int]:
    status = response.status_code
    if 300 <= status < 400 or status in (204, 205):
        return b"", 0
    if status >= 400:
        return await _read_error(response, limits, shown_url)
    return await _read_whole(response, limits, clock, shown_url)


async def _read_whole(
    response: httpx.Response, limits: Limits, clock: Clock, shown_url: str
) -> tuple[bytes, int]:
    declared = response.headers.get("content-length", "")
    if declared.isdigit() and int(declared[:18]) > limits.raw_bytes:
        raise RefusedError(
            refused(
                Refusal.TOO_LARGE,
                f"{shown_url} announces {declared} bytes, over the limit of {limits.raw_bytes}",
                "raise the document's size limit if it really is that large",
                ("content_length", declared),
                ("limit", limits.raw_bytes),
            )
        )
    body = Body(response.headers.get("content-encoding", ""), limits, shown_url)
    drip = _Drip(limits, clock, shown_url)
    try:
        async for chunk in _stream(response):
            body.feed(chunk)
            drip.feed(len(chunk))
    except (httpx.TransportError, httpx.StreamError) as error:
        raise BodyBrokenError from error
    return body.finish(), body.raw_bytes


_ERROR_BODY = 256 * 1024
_ERROR_SECONDS = 10.0


async def _read_error(
    response: httpx.Response, limits: Limits, shown_url: str
) -> tuple[bytes, int]:
    """Return as much of an error page as comes easily; its failures do not matter."""
    small = Limits(raw_bytes=_ERROR_BODY, decoded_bytes=4 * _ERROR_BODY)
    try:
        body = Body(response.headers.get("content-encoding", ""), small, shown_url)
        async with asyncio.timeout(min(_ERROR_SECONDS, limits.total)):
            async for chunk in _stream(response):
                body.feed(chunk)
        return body.finish(), body.raw_bytes
    except (RefusedError, httpx.TransportError, httpx.StreamError, TimeoutError):
        return b"", 0


def _stream(response: httpx.Response) -> httpx.AsyncByteStream:
    stream = response.stream
    if not isinstance(stream, httpx.AsyncByteStream):
        raise TypeError("the transport gave a synchronous stream")
    return stream


class _Drip:
    """Ends a body that arrives too slowly to be meant seriously."""

    def __init__(self, limits: Limits, clock: Clock, shown_url: str) -> None:
        self._limits = limits
        self._clock = clock
        self._url = shown_url
        self._since = clock.monotonic()
        self._bytes = 0

    def feed(self, size: int) -> None:
        """Note `size` more raw bytes."""
        now = self._clock.monotonic()
        elapsed = now - self._since
        if elapsed < self._limits.drip_window:
            self._bytes += size
            return
        # What came within the window counts, not the chunk that ended it: a
        # server that thinks for a while and then sends everything is no drip.
        if 0 < self._bytes < self._limits.drip_bytes and size < self._limits.drip_bytes:
            raise RefusedError(
                refused(
                    Refusal.TIMEOUT,
                    f"{self._url}: the body drips, {self._bytes} bytes in {elapsed:.0f} s",
                    "nothing to do unless it lasts; then look at the site from this machine",
                    ("bytes", self._bytes),
                    ("seconds", f"{elapsed:.1f}"),
                )
            )
        self._since, self._bytes = now, size


def _connection_facts(response: httpx.Response) -> tuple[str, TlsFacts | None]:
    stream: Any = response.extensions.get("network_stream")
    if stream is None:
        return "", None
    address = stream.get_extra_info("server_addr")
    secure = stream.get_extra_info("ssl_object")
    tls = _tls_facts(secure) if isinstance(secure, ssl.SSLObject | ssl.SSLSocket) else None
    return (str(address[0]) if address else ""), tls


def _tls_facts(secure: ssl.SSLObject | ssl.SSLSocket) -> TlsFacts:
    chain = _chain(secure)
    leaf = secure.getpeercert(binary_form=True) or b""
    facts = secure.getpeercert() or {}
    cipher = secure.cipher()
    return TlsFacts(
        version=secure.version() or "",
        cipher=cipher[0] if cipher else "",
        certificates_sha256=hashlib.sha256(b"".join(chain or [leaf])).hexdigest(),
        chain=bool(chain),
        not_after=str(facts.get("notAfter", "")),
    )


def _chain(secure: object) -> list[bytes]:
    """Return the verified chain in DER, leaf first; [] where the runtime hides it."""
    if hasattr(secure, "get_verified_chain"):
        return [bytes(one) for one in secure.get_verified_chain()]
    inner = getattr(secure, "_sslobj", None)
    if inner is None or not hasattr(inner, "get_verified_chain"):
        return []
    return [one.public_bytes(_DER) for one in inner.get_verified_chain() or ()]
