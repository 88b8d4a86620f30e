"""The listener of the application: uvicorn in a thread of its own.

It does not live in the daemon's event loop, so that a loop that is busy with
checks answers nobody later.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from types import TracebackType
from typing import Self, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from watcher import logs
from watcher.errors import TemporaryError
from watcher.logs import Event
from watcher.settings import WebSettings
from watcher.web.joined import Joined

_log = logs.get(__name__)

_KEEP_ALIVE_SECONDS = 5
_MOST_HEADER_BYTES = 16 * 1024
_DRAIN_SECONDS = 5
_BACKLOG = 256
_GLANCE_SECONDS = 0.01


class WebServer:
    """Serves `app` where `settings` say; `with` starts and stops it."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._socket = _bound(settings)
        self._stopping = False
        self._begin()

    @property
    def address(self) -> str:
        """`host:port` as bound; with port 0, the one that was given."""
        host, port = self._socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def __enter__(self) -> Self:
        self._thread.start()
        _log.info(Event.WEB_STARTED, listen=self.address)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._stopping = True
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def wait(self) -> None:
        """Return once requests are answered.

        Raises:
            TemporaryError: the listener ended before that.
        """
        while not self._server.started:
            self._thread.join(_GLANCE_SECONDS)
            if not self._thread.is_alive():
                raise TemporaryError("the web listener ended at once", hint="see the log")

    def probe(self) -> str:
        """Say where it is served; begin again where it ended by itself.

        Raises:
            TemporaryError: it is not served at this moment.
        """
        if not self._thread.is_alive() and not self._stopping:
            self._begin()
            self._thread.start()
            raise TemporaryError("the web listener had ended", hint="it was begun again")
        if not self._server.started:
            raise TemporaryError("the web listener is starting", hint="wait a moment")
        return f"served on {self.address}"

    def _begin(self) -> None:
        """Make a server and its thread, over a copy of the socket that outlives both."""
        slow = self._settings.limits.slow.total_seconds()
        config = uvicorn.Config(
            self._app,
            http=type("Impatient", (_Impatient,), {"slow": slow}),
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=self._settings.limits.connections,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_DRAIN_SECONDS,
            h11_max_incomplete_event_size=_MOST_HEADER_BYTES,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket.dup()],), name="web", daemon=True
        )


def _bound(settings: WebSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is named so that asyncio sets TCP_NODELAY: else an answer in two parts
    # waits 40 ms for the acknowledgement of the first.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((settings.host, settings.port))
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        raise TemporaryError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}",
            hint="another daemon may run already; stop it, or set another web.port",
        ) from None
    return bound


class _Impatient(H11Protocol):
    """Closes a connection on which no request arrives whole in time.

    The server's own timer begins after the first answer and ends at the first
    byte, so that one byte now and then would hold a connection for ever.
    """

    slow: float
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast("asyncio.Transport", Joined(transport, self.loop)))
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._expect_nothing()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete:
            self._expect()

    def _expect(self) -> None:
        self._expect_nothing()
        self._timer = self.loop.call_later(self.slow, self._end)

    def _expect_nothing(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
