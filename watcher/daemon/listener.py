"""The listener for metrics and health: its own threads, its own address.

It does not live in the event loop, so that it can still say that the loop
stands still.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from watcher.daemon.health import Health
from watcher.errors import TemporaryError

_MOST_CONNECTIONS = 16
_PATHS = "/metrics /livez /readyz /healthz"


_FIRST_INHERITED = 3


def inherited_socket(environment: Mapping[str, str]) -> socket.socket | None:
    """Return the listening socket that the service manager hands over, if any.

    This is systemd's socket activation (sd_listen_fds(3)).
    """
    if environment.get("LISTEN_PID") != str(os.getpid()):
        return None
    if environment.get("LISTEN_FDS", "0") == "0":
        return None
    inherited = socket.socket(fileno=_FIRST_INHERITED)
    inherited.set_inheritable(False)
    return inherited


class Listener:
    """Serves `/metrics`, `/livez`, `/readyz` and `/healthz` (the same as readyz).

    It listens on `inherited` where there is one, else on `host` and `port`.
    """

    def __init__(
        self,
        host: str,
        port: int,
        health: Health,
        registry: CollectorRegistry,
        inherited: socket.socket | None = None,
    ) -> None:
        try:
            self._server = _Server(host, port, _Answers(health, registry), inherited)
        except OSError as error:
            raise TemporaryError(
                f"cannot listen on {host}:{port}: {error.strerror or error}",
                hint="another daemon may run already; stop it, or set another port",
            ) from None
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.1},
            name="listener",
            daemon=True,
        )

    @property
    def address(self) -> str:
        """`host:port` as bound; with port 0, the one that was given."""
        host, port = self._server.server_address[:2]
        return f"[{host!s}]:{port}" if ":" in str(host) else f"{host!s}:{port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Answers:
    """What each path says: status, content type, body."""

    def __init__(self, health: Health, registry: CollectorRegistry) -> None:
        self._health = health
        self._registry = registry

    def of(self, target: str, accept: str) -> tuple[HTTPStatus, str, bytes]:
        parts = urlsplit(target)
        answers: dict[str, Callable[[], tuple[HTTPStatus, str, bytes]]] = {
            "/metrics": lambda: self._metrics(accept),
            "/livez": self._live,
            "/readyz": lambda: self._ready(verbose=parts.query.startswith("verbose")),
            "/healthz": lambda: self._ready(verbose=parts.query.startswith("verbose")),
        }
        answer = answers.get(parts.path)
        if answer is None:
            return _text(HTTPStatus.NOT_FOUND, f"there is only {_PATHS}")
        return answer()

    def _metrics(self, accept: str) -> tuple[HTTPStatus, str, bytes]:
        encode, content_type = choose_encoder(accept)
        return HTTPStatus.OK, content_type, encode(self._registry)

    def _live(self) -> tuple[HTTPStatus, str, bytes]:
        fault = self._health.live()
        if fault:
            return _text(HTTPStatus.SERVICE_UNAVAILABLE, fault)
        return _text(HTTPStatus.OK, "ok")

    def _ready(self, *, verbose: bool) -> tuple[HTTPStatus, str, bytes]:
        reasons = self._health.unready()
        status = HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK
        lines = [f"not ready: {'; '.join(reasons)}" if reasons else "ok"]
        if verbose:
            lines.append(f"state: {self._health.state.value}")
            lines += [
                f"[{'+' if f.ok else '-'}] {f.name}{' (vital)' if f.vital else ''}: {f.detail}"
                for f in self._health.findings()
            ]
        return _text(status, "\n".join(lines))


def _text(status: HTTPStatus, line: str) -> tuple[HTTPStatus, str, bytes]:
    return status, "text/plain; charset=utf-8", f"{line}\n".encode()


class _Server(ThreadingHTTPServer):
    """At most `_MOST_CONNECTIONS` at a time; others are closed at once."""

    daemon_threads = True
    block_on_close = False

    def __init__(
        self, host: str, port: int, answers: _Answers, inherited: socket.socket | None
    ) -> None:
        self.answers = answers
        self._inherited = inherited
        self._room = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        """Bind without the reverse look-up of the standard library's HTTPServer."""
        if self._inherited is not None:
            self.socket.close()
            self.socket = self._inherited
        else:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def process_request(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Ignore callers that hang up; nothing of theirs is worth a line."""


class _Handler(BaseHTTPRequestHandler):
    """One request; the connection closes after it."""

    server: _Server
    timeout = 10
    server_version = "watcher"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with a body."""
        self._answer(body=True)

    def do_HEAD(self) -> None:
        """Answer without one."""
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        accept = self.headers.get("Accept", "")
        status, content_type, content = self.server.answers.of(self.path, accept)
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, format: str, *_args: object) -> None:  # noqa: A002 - inherited
        """Write nothing: a probe a second would drown the log."""
