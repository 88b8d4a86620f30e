"""What every request passes, before anything of it is looked at, and every answer after.

One ASGI layer: the request's id, the host it names, where it comes from, how
large and how slow it may be, and the headers of every answer.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import time
import uuid
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from watcher import logs
from watcher.logs import Event
from watcher.settings import Settings
from watcher.web.problems import Problem

_log = logs.get(__name__)

_REQUEST_ID = re.compile(r"[0-9A-Za-z._-]{1,64}")
_SAFE = {"GET", "HEAD", "OPTIONS"}
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")

SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "private, no-cache",
}
"""On every answer that does not say otherwise."""
_SECURITY = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]


class _GoneError(Exception):
    """The client does not take the answer."""


class Guard:
    """The ASGI layer around the application."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Callable[[], Settings],
        ended: Callable[[str, int, float], None],
    ) -> None:
        self._app = app
        self._settings = settings
        self._ended = ended
        web = settings().web
        self._slow = web.limits.slow.total_seconds()
        self._most = web.limits.body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        answer = _Answer(send, request_id, self._slow)
        begun = time.perf_counter()
        try:
            problem = self._refused(scope, headers)
            if problem is not None:
                await problem.response(request_id)(scope, receive, answer)
                return
            await self._work(scope, receive, answer, request_id)
        finally:
            self._ended(scope["path"], answer.status, time.perf_counter() - begun)

    async def _work(self, scope: Scope, receive: Receive, answer: _Answer, request_id: str) -> None:
        body = _Body(receive, self._most, self._slow)
        try:
            await self._app(scope, body, answer)
        except _GoneError:
            pass
        except Exception:  # noqa: BLE001 - the last place that can answer
            _log.exception(Event.REQUEST_FAILED, request_id=request_id, method=scope["method"])
            if not answer.begun:
                await Problem("internal").response(request_id)(scope, receive, answer)

    def _refused(self, scope: Scope, headers: Headers) -> Problem | None:
        host = headers.get("host", "").lower()
        if not _host_is_ours(host, self._settings()):
            return Problem("misdirected", hint="add the name to web.hosts")
        if scope["method"] not in _SAFE and _from_elsewhere(headers, host):
            return Problem("cross_site", hint="send it from this site, or with a bearer token")
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:20]) > self._most:
            return Problem("too_large", f"at most {self._most} bytes are taken")
        return None


def _host_is_ours(host: str, settings: Settings) -> bool:
    """Tell whether a Host header names this service: no page elsewhere can claim its name."""
    name = host[: host.rfind("]") + 1] if host.startswith("[") else host.partition(":")[0]
    known = _names(settings.web.hosts, settings.links.base, settings.web.host)
    return name in known if known else bool(host)


@lru_cache(maxsize=8)
def _names(hosts: tuple[str, ...], base: str, host: str) -> frozenset[str]:
    """Return the names that are answered to; none: any."""
    known = {*hosts}
    if base:
        known.add((urlsplit(base).hostname or "").lower())
    if ipaddress.ip_address(host).is_loopback:
        known.update(_LOOPBACK)
    return frozenset(known)


def _from_elsewhere(headers: Headers, host: str) -> bool:
    """Tell whether a browser sent this from another site's page.

    A bearer token is never sent by a browser on its own, so with one it is no
    matter. Browsers name the origin of every unsafe request; what is no
    browser names none.
    """
    if headers.get("authorization", "").lower().startswith("bearer "):
        return False
    site = headers.get("sec-fetch-site")
    if site is not None and site not in {"same-origin", "none"}:
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != host


class _Body:
    """Hands the request's body on, as much and as slowly as is allowed."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._left = most
        self._until = time.monotonic() + seconds
        self._whole = False

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            async with asyncio.timeout(self._until - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        self._whole = not message.get("more_body", False)
        return message


class _Answer:
    """Sends the answer on with the headers of every answer."""

    def __init__(self, send: Send, request_id: str, seconds: float) -> None:
        self._send = send
        self._request_id = request_id
        self._seconds = seconds
        self.begun = False
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            self.status = message["status"]
            rows = message.setdefault("headers", [])
            said = {name for name, _ in rows}
            rows += [row for row in _SECURITY if row[0] not in said]
            rows.append((b"x-request-id", self._request_id.encode()))
        try:
            async with asyncio.timeout(self._seconds):
                await self._send(message)
        except TimeoutError:
            raise _GoneError from None
