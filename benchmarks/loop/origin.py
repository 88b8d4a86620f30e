"""An origin whose documents change when it is told to; runs as its own process."""

from __future__ import annotations

import hashlib
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

CLAUSES = 160
"""Clauses of a page: about 27 KB of HTML."""


def page(name: str, edition: int) -> bytes:
    """Return the edition of a document: one number in one clause differs from the last."""
    body = "".join(
        f"<p>{n}. Records of kind {n} held for {name} are kept for"
        f" {30 + (edition if n == CLAUSES // 2 else n)} days after the end of the contract, and"
        " are then deleted from every system.</p>\n"
        for n in range(CLAUSES)
    )
    return (
        f"<!doctype html><html lang=en><head><title>Policy {name}</title></head>"
        f"<body><main><h1>Retention policy {name}</h1>\n{body}</main></body></html>"
    ).encode()


class Handler(BaseHTTPRequestHandler):
    """Serves `/doc/NAME`; `/edition/N` sets what they all serve from then on."""

    protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]
    edition: ClassVar[int] = 0

    def do_GET(self) -> None:
        """Answer one request."""
        _, kind, name = self.path.split("/")
        if kind == "edition":
            Handler.edition = int(name)
        body = page(name, Handler.edition) if kind == "doc" else b"ok"
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        same = self.headers.get("If-None-Match") == etag
        self.send_response(304 if same else 200)
        self.send_header("ETag", etag)
        if not same:
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not same:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet."""


def main() -> None:
    """Serve until standard input closes; print the port first."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
