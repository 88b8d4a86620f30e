"""Pages that are made by their scripts, rendered by a real Chromium.

The browser has no network of its own: every request of a page is answered
here, through the same guarded transports as any other, and whatever slips past
that ends at a proxy that does not exist. Nothing is kept from one page to the
next.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from watcher.domain.verdicts import Evidence, Refusal
from watcher.errors import ConfigError
from watcher.fetch import wire
from watcher.fetch.addresses import networks
from watcher.fetch.bodies import ACCEPT_ENCODING
from watcher.fetch.clock import Clock
from watcher.fetch.guard import Reach, Resolver, checked
from watcher.fetch.model import Answer, Limits, RefusedError, Request, refused
from watcher.fetch.settling import Settling
from watcher.fetch.transport import Route, Transports
from watcher.fetch.urls import join, origin, parse, port_of, shown

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright, WebSocketRoute
    from playwright.async_api import Request as PageRequest
    from playwright.async_api import Route as PageRoute

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = (
    # Nothing listens there: what is not answered here reaches nothing.
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--renderer-process-limit=4",
)
_NOT_TEXT = frozenset({"image", "media", "font", "manifest", "texttrack", "ping"})
_OURS = frozenset(
    {"host", "connection", "content-length", "accept-encoding", "user-agent", "te", "upgrade"}
)
_DECODED = frozenset(
    {"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"}
)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_PARTS = 300
_PART_LIMITS = Limits(total=20.0, raw_bytes=16 * 1024 * 1024, decoded_bytes=16 * 1024 * 1024)
_TOTAL_BYTES = 64 * 1024 * 1024


class BrowserMissingError(ConfigError):
    """A document asks for a browser and there is none."""

    code = "browser_missing"


def find_browser() -> Path:
    """Return the system's Chromium.

    Raises:
        BrowserMissingError: there is none, or the optional extra is not installed.
    """
    if find_spec("playwright") is None:
        raise BrowserMissingError(
            'render = "browser" needs the optional extra "browser", which is not installed',
            hint='pip install "policy-watcher[browser]", or take render out of the entry',
        )
    for name in _NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    raise BrowserMissingError(
        f'render = "browser" needs a Chromium, and none of {", ".join(_NAMES)} is on the PATH',
        hint="install the system's chromium package, or take render out of the entry",
    )


@dataclass(frozen=True, slots=True)
class Given:
    """What the page's own fetch knows: headers for the request's origin, and cookies."""

    home_headers: Mapping[str, str]
    cookies: Mapping[str, str]


@dataclass(slots=True)
class _Parts:
    """What a page asked for while it was rendered."""

    asked: int = 0
    failed: int = 0
    blocked: list[str] = field(default_factory=list)
    bytes: int = 0
    under_way: int = 0
    moved_to: int = 200
    """The status of the last address that the page moved to by itself."""


class Renderer:
    """One browser for a process, started with the first page; one page at a time."""

    def __init__(self, transports: Transports, resolve: Resolver, clock: Clock, agent: str) -> None:
        self._transports = transports
        self._resolve = resolve
        self._clock = clock
        self._agent = agent
        self._turn = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def close(self) -> None:
        """Close the browser."""
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()
        self._browser = self._playwright = None

    async def render(self, answer: Answer, request: Request, given: Given) -> Answer:
        """Return `answer` with the page as its scripts have made it.

        Raises:
            RefusedError: the page does not settle in time, or cannot be rendered.
            BrowserMissingError: there is no browser.
        """
        from playwright.async_api import Error as BrowserError  # noqa: PLC0415 - optional

        async with self._turn:
            browser = await self._started()
            context = await browser.new_context(
                user_agent=self._agent, service_workers="block", accept_downloads=False
            )
            visit = _Visit(self, answer, request, given)
            try:
                async with asyncio.timeout(request.limits.total):
                    body, url = await visit.run(context)
            except TimeoutError:
                raise _unsettled(answer, visit.parts, request.limits.total) from None
            except BrowserError as error:
                raise _unrendered(answer, str(error)) from None
            finally:
                await context.close()
        if len(body) > request.limits.decoded_bytes:
            raise _unrendered(answer, f"it grew to {len(body)} bytes")
        return replace(
            answer,
            body=body,
            final_url=url,
            shown_url=shown(url),
            content_type="text/html; charset=utf-8",
            declared_charset="utf-8",
            validators=None,
            raw_bytes=answer.raw_bytes + visit.parts.bytes,
            evidence=_evidence(visit.parts, f"chromium {browser.version}"),
        )

    async def _started(self) -> Browser:
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        await self.close()
        executable = find_browser()
        from playwright.async_api import Error as BrowserError  # noqa: PLC0415 - optional
        from playwright.async_api import async_playwright  # noqa: PLC0415 - optional

        try:
            self._playwright = await async_playwright().start()
            self._browser = await self._playwright.chromium.launch(
                executable_path=executable,
                headless=True,
                # Chromium refuses its sandbox to root; the service does not run as root.
                chromium_sandbox=os.geteuid() != 0,
                args=list(_ARGUMENTS),
            )
        except BrowserError as error:
            await self.close()
            raise BrowserMissingError(
                f"{executable} does not start: {str(error).splitlines()[0][:200]}",
                hint="run it by hand as the service's user; it needs user namespaces",
            ) from None
        return self._browser

    async def ask(self, request: httpx.Request, check: Request, reach: Reach) -> wire.Wire:
        """Send one request of a page through a guarded transport."""
        target = request.url
        route = Route(origin(target), reach, check.ca_file, check.proxy)
        async with self._transports.lease(route) as transport:
            if check.proxy is not None:
                await checked(target.host, port_of(target), reach, self._resolve)
            return await wire.ask(transport, request, _PART_LIMITS, self._clock, shown(target))

    @property
    def agent(self) -> str:
        """The User-Agent, on the wire and in the page alike."""
        return self._agent


class _Visit:
    """One page: its requests, and when it has settled."""

    def __init__(self, renderer: Renderer, answer: Answer, request: Request, given: Given) -> None:
        self._renderer = renderer
        self._answer = answer
        self._request = request
        self._home = origin(parse(request.url))
        self._given = given
        ports = frozenset({80, 443, port_of(parse(request.url))})
        self._reach = Reach(networks(request.allowed_networks), ports)
        self._main_is_due = True
        self.parts = _Parts()

    async def run(self, context: BrowserContext) -> tuple[bytes, str]:
        """Return the settled page in UTF-8, and its address."""
        await context.route("**/*", self._on_request)
        await context.route_web_socket("**/*", self._on_web_socket)
        url = self._answer.final_url
        await context.add_cookies(
            [
                {"name": name, "value": value, "url": url}
                for name, value in self._given.cookies.items()
            ]
        )
        page = await context.new_page()
        await page.goto(url, wait_until="load", timeout=0)
        await Settling(page, lambda: self.parts.under_way).wait()
        if self.parts.moved_to >= 400:
            raise _moved(self._answer, page.url, self.parts.moved_to)
        return (await page.content()).encode("utf-8", "replace"), page.url

    async def _on_web_socket(self, socket: WebSocketRoute) -> None:
        self.parts.blocked.append(shown(socket.url))
        await socket.close()

    async def _on_request(self, route: PageRoute) -> None:
        """Answer one request of the page, or fail it as a browser would see it fail."""
        asked = route.request
        if asked.resource_type in _NOT_TEXT:
            await route.abort("blockedbyclient")
            return
        if self._main_is_due and asked.is_navigation_request():
            self._main_is_due = False
            await route.fulfill(
                status=200,
                headers={"content-type": self._answer.content_type or "text/html"},
                body=self._answer.body,
            )
            return
        self.parts.asked += 1
        self.parts.under_way += 1
        try:
            await self._fulfil(route, asked)
        finally:
            self.parts.under_way -= 1

    async def _fulfil(self, route: PageRoute, asked: PageRequest) -> None:
        try:
            answer = await self._load(asked)
        except RefusedError as error:
            if error.verdict.reason is Refusal.BLOCKED_ADDRESS:
                self.parts.blocked.append(shown(asked.url))
            self.parts.failed += 1
            await route.abort("blockedbyclient")
        except (httpx.TransportError, httpx.InvalidURL, wire.BodyBrokenError, TimeoutError):
            self.parts.failed += 1
            await route.abort("failed")
        else:
            if asked.is_navigation_request() and asked.frame.parent_frame is None:
                self.parts.moved_to = answer.status
            headers = {
                name: "\n".join(answer.headers.get_list(name))
                for name in answer.headers
                if name.lower() not in _DECODED
            }
            await route.fulfill(status=answer.status, headers=headers, body=answer.body)

    async def _load(self, asked: PageRequest) -> wire.Wire:
        """Load one part, redirects included: each hop is checked like the first."""
        target, method, body = parse(asked.url), asked.method, asked.post_data_buffer
        for _ in range(self._request.limits.redirects + 1):
            if self.parts.asked > _MAX_PARTS or self.parts.bytes > _TOTAL_BYTES:
                raise RefusedError(
                    refused(Refusal.TOO_LARGE, "the page asks for too much", "watch another page")
                )
            headers = self._headers(target, asked.headers)
            request = httpx.Request(method, target, headers=headers, content=body)
            async with asyncio.timeout(_PART_LIMITS.total):
                answer = await self._renderer.ask(request, self._request, self._reach)
            self.parts.bytes += answer.raw_bytes
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or not location:
                return answer
            target = join(target, location)
            if answer.status not in (307, 308):
                method, body = ("HEAD" if method == "HEAD" else "GET"), None
        raise RefusedError(refused(Refusal.HTTP_ERROR, "too many redirects", "watch another page"))

    def _headers(self, target: httpx.URL, sent: Mapping[str, str]) -> dict[str, str]:
        same = origin(target) == origin(parse(self._answer.final_url))
        headers = {
            name: value
            for name, value in sent.items()
            if name.lower() not in _OURS and (same or name.lower() != "cookie")
        }
        headers |= {"User-Agent": self._renderer.agent, "Accept-Encoding": ACCEPT_ENCODING}
        return headers | (dict(self._given.home_headers) if origin(target) == self._home else {})


def _evidence(parts: _Parts, browser: str) -> tuple[Evidence, ...]:
    facts = [
        Evidence("rendered_by", browser),
        Evidence("page_requests", str(parts.asked)),
        Evidence("page_requests_failed", str(parts.failed)),
    ]
    if parts.blocked:
        facts.append(Evidence("page_requests_blocked", ", ".join(parts.blocked[:5])))
    return tuple(facts)


def _unsettled(answer: Answer, parts: _Parts, seconds: float) -> RefusedError:
    return RefusedError(
        refused(
            Refusal.TIMEOUT,
            f"{answer.shown_url} does not come to rest in {seconds:.0f} s of rendering",
            "look at it in a browser; watch the address that its scripts load the text from",
            *((fact.name, fact.value) for fact in _evidence(parts, "chromium")),
            ("requests_under_way", parts.under_way),
        )
    )


def _moved(answer: Answer, to: str, status: int) -> RefusedError:
    return RefusedError(
        refused(
            Refusal.HTTP_ERROR,
            f"{answer.shown_url} moves on to {shown(to)} by script, which answered {status}",
            "look at it in a browser, and change the document's url to where it is now",
            ("status", status),
        )
    )


def _unrendered(answer: Answer, why: str) -> RefusedError:
    return RefusedError(
        refused(
            Refusal.NETWORK_ERROR,
            f"{answer.shown_url} cannot be rendered: {why.splitlines()[0][:200]}",
            "look at it in a browser; nothing to do unless it lasts",
        )
    )
