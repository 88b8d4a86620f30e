"""Serves the canary on a loopback port of its own, to the daemon's own fetcher."""

from __future__ import annotations

import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import ClassVar, Self

PATH = "/canary"


class CanarySite:
    """One page; `publish` changes what it says."""

    def __init__(self) -> None:
        class Handler(_Handler):
            page: ClassVar[list[bytes]] = [b""]

        self._page = Handler.page
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="canary site", daemon=True
        )

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self._server.server_port}{PATH}"

    def publish(self, html: bytes) -> None:
        """Serve this from now on."""
        self._page[0] = html

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    page: ClassVar[list[bytes]]

    def do_GET(self) -> None:
        """Answer with the page; there is no other, and no robots.txt."""
        found = self.path == PATH
        body = self.page[0] if found else b"there is only the canary\n"
        self.send_response(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", "text/html; charset=utf-8" if found else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet: the checks are logged."""
