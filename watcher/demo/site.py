"""The loopback site that the demo watches: one resource a document."""

from __future__ import annotations

import hashlib
import re
import threading
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from markdown_it import MarkdownIt

HISTORIES = Path(__file__).parent / "histories"

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><header><a href="/">Home</a></header>
<nav><ul><li><a href="/policies">All policies</a></li></ul></nav>
<main>
{body}
</main>
<footer>Served for the demo. Text: see the notice beside the histories.</footer>
</body></html>
"""
_MAINTENANCE = """<!doctype html>
<html lang="en"><head><title>Scheduled maintenance</title></head>
<body><h1>We'll be back soon</h1><p>The site is down for maintenance.</p></body></html>
"""
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
"""What a site's generator keeps for itself and does not show."""


@dataclass(frozen=True, slots=True)
class Page:
    """What one resource answers now."""

    body: bytes
    media_type: str
    status: HTTPStatus = HTTPStatus.OK

    @property
    def etag(self) -> str:
        """A strong validator of the body."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:20]}"'


def versions(history: Path) -> tuple[Path, ...]:
    """Return the files of one history in the order of their names."""
    return tuple(sorted(history.iterdir()))


def page_of(path: Path, *, as_html: bool) -> Page:
    """Return what the site serves for the history file `path`."""
    data = path.read_bytes()
    if path.suffix == ".pdf":
        return Page(data, "application/pdf")
    if not as_html:
        return Page(data, "text/markdown; charset=utf-8")
    body = MarkdownIt("commonmark").enable("table").render(_FRONT_MATTER.sub("", data.decode()))
    title = path.parent.name.replace("-", " ").title()
    return Page(_PAGE.format(title=title, body=body).encode(), "text/html; charset=utf-8")


def maintenance() -> Page:
    """Return an error page with status 200, as real sites serve them."""
    return Page(_MAINTENANCE.encode(), "text/html; charset=utf-8")


class Site:
    """A real HTTP server on a free loopback port; honours If-None-Match."""

    def __init__(self) -> None:
        self._pages: dict[str, Page] = {}
        site = self

        class Handler(_Handler):
            pages: ClassVar[dict[str, Page]] = site._pages

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        """Start serving."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop serving and free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def put(self, name: str, page: Page) -> str:
        """Serve `page` as `/name` from now on and return its URL."""
        self._pages[f"/{name}"] = page
        return f"http://127.0.0.1:{self._server.server_port}/{name}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pages: ClassVar[dict[str, Page]] = {}

    def do_GET(self) -> None:
        """Answer with the page, 304 where the validator fits, or 404."""
        page = self.pages.get(self.path)
        if page is None:
            self._answer(HTTPStatus.NOT_FOUND, b"no such page\n", "text/plain; charset=utf-8")
        elif self.headers.get("If-None-Match") == page.etag:
            self._answer(HTTPStatus.NOT_MODIFIED, b"", page.media_type, page.etag)
        else:
            self._answer(page.status, page.body, page.media_type, page.etag)

    def _answer(self, status: HTTPStatus, body: bytes, media_type: str, etag: str = "") -> None:
        self.send_response(status)
        self.send_header("Date", formatdate(usegmt=True))
        if etag:
            self.send_header("ETag", etag)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet: the demo prints what the database says."""
