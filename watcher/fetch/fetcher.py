"""The fetcher: one request of a document to one answer, whatever the server does."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from watcher.domain.reading import MediaType
from watcher.extract import detect_media_type
from watcher.fetch.browser import Renderer
from watcher.fetch.check import Check, Shared
from watcher.fetch.clock import Clock, SystemClock
from watcher.fetch.guard import Resolver, SystemResolver
from watcher.fetch.model import (
    Answer,
    AnswerKind,
    DeferredError,
    FetchSettings,
    RefusedError,
    Request,
)
from watcher.fetch.politeness import Hosts
from watcher.fetch.robots import RobotsCache
from watcher.fetch.tokens import Tokens
from watcher.fetch.transport import Transports


class Fetcher:
    """Fetches documents; use as `async with Fetcher(settings) as fetcher`.

    One for each process: it holds what must be shared (TLS context,
    connections, host states, robots rules) and nothing that must not be
    (cookies, credentials).
    """

    def __init__(
        self,
        settings: FetchSettings,
        *,
        clock: Clock | None = None,
        resolve: Resolver | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()
        self._own_resolver = None if resolve else SystemResolver(settings.resolver_threads)
        resolver = resolve or self._own_resolver
        assert resolver is not None
        transports = Transports(
            resolver, self._clock, per_origin=settings.per_host, idle=settings.idle_transports
        )
        self._renderer = Renderer(transports, resolver, self._clock, settings.user_agent)
        self._shared = Shared(
            settings=settings,
            clock=self._clock,
            hosts=Hosts(settings, self._clock),
            robots=RobotsCache(self._clock),
            resolve=resolver,
            transports=transports,
            tokens=Tokens(self._clock),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection, and the browser if one was started."""
        await self._renderer.close()
        await self._shared.transports.close()
        if self._own_resolver is not None:
            self._own_resolver.close()

    async def fetch(self, request: Request) -> Answer:
        """Return the answer to `request`; nothing that a server does raises.

        Cancelling is safe at any time: connections are closed, slots given
        back.

        Raises:
            BrowserMissingError: the page is to be rendered and there is no browser.
        """
        started = self._clock.monotonic()
        check = Check(request, self._shared)
        try:
            answer = await check.run()
            if request.render and _is_page(answer):
                answer = await self._renderer.render(answer, request, check.given())
        except RefusedError as error:
            answer = check.refusal(error.verdict)
        except DeferredError as error:
            answer = check.deferred(error)
        return replace(answer, duration=self._clock.monotonic() - started)


def _is_page(answer: Answer) -> bool:
    kind = detect_media_type(answer.body, answer.content_type or None, "")
    return answer.kind is AnswerKind.BODY and kind is MediaType.HTML
