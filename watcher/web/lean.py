"""The way past the framework's routing for the one address that is asked most.

Matching and unpacking routes costs more than a resolution. Answers are those of
the route that describes the address, made by the same function.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from watcher.errors import WatcherError
from watcher.web.api.citations import resolve_now

_RESOLVE = re.compile(r"/api/v1/citations/(c1[a-z2-7]{32})")


class Lean:
    """The ASGI layer inside the guard."""

    def __init__(self, app: ASGIApp, tell: Callable[[Request, Exception], Response]) -> None:
        self._app = app
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        found = None
        if scope["type"] == "http" and scope["method"] == "GET":
            found = _RESOLVE.fullmatch(scope["path"])
        if found is None:
            await self._app(scope, receive, send)
            return
        scope["path_params"] = {"citation_id": found[1]}
        request = Request(scope, receive)
        try:
            answer = await resolve_now(request)
        except WatcherError as error:
            answer = self._tell(request, error)
        await answer(scope, receive, send)
