"""A deployment for tests: real store, real fetcher, real receiver, a clock that can be moved."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from watcher.demo.site import Page, Site
from watcher.domain.ids import DocumentId
from watcher.fetch import Fetcher
from watcher.metrics import Metrics
from watcher.pipeline.check import Checker, CheckReport
from watcher.pipeline.citing import EmissionKey, Emitted, emit
from watcher.pipeline.deliver import build_senders, deliver_due
from watcher.pipeline.requests import fetch_settings
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import Settings, load
from watcher.store import Store


class ManualClock:
    """Wall time that only the test moves."""

    def __init__(self) -> None:
        self.time = datetime(2026, 5, 12, 2, 13, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time that was set."""
        return self.time

    def monotonic(self) -> float:
        """Return the same time as seconds."""
        return self.time.timestamp()

    def pass_time(self, **amount: float) -> None:
        """Move on."""
        self.time += timedelta(**amount)


class Receiver:
    """Takes webhooks; `answers` are the statuses to give, 200 once they are used up."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.answers: list[int] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.answers.pop(0) if receiver.answers else 200
                if status == 200:
                    receiver.bodies.append(json.loads(body))
                    receiver.keys.append(self.headers["Idempotency-Key"])
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Where to post."""
        return f"http://127.0.0.1:{self._server.server_port}/alerts"

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


class Deployment:
    """What an operator has, with everything real but the time."""

    def __init__(self, folder: Path, site: Site, receiver: Receiver) -> None:
        self.folder = folder
        self.site = site
        self.receiver = receiver
        self.clock = ManualClock()
        self.config = folder / "watcher.toml"
        (folder / "documents").mkdir()
        self.config.write_text(
            f'data_dir = "{folder}/var"\n[fetch]\nspacing = "0s"\n'
            f'[[channels]]\nname = "hook"\nkind = "webhook"\nurl = "{receiver.url}"\n',
            encoding="utf-8",
        )
        self.store = Store.open(folder / "var")
        self.services = self._services(load(self.config))

    def _services(self, settings: Settings) -> Services:
        return Services(settings, self.store, self.clock, Metrics(channels=["hook"]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.store.close()

    def watch(self, name: str, page: Page, *lines: str) -> DocumentId:
        """Serve `page` as a document and put it into the configuration."""
        url = self.site.put(name, page)
        entry = (
            f'[[document]]\ndocument_id = "{name}"\nurl = "{url}"\n'
            'language = "en"\nallowed_networks = ["127.0.0.0/8"]\n' + "\n".join(lines)
        )
        (self.folder / "documents" / f"{name}.toml").write_text(entry, encoding="utf-8")
        self.services = self._services(load(self.config))
        sync_documents(self.services)
        return DocumentId(name)

    def check(
        self, name: DocumentId, page: Page | None = None, *, full: bool = False
    ) -> CheckReport:
        """Serve `page` from now on, and check once."""
        if page is not None:
            self.site.put(name, page)
        return asyncio.run(self._check(name, full=full))

    async def _check(self, name: DocumentId, *, full: bool) -> CheckReport:
        async with Fetcher(fetch_settings(self.services.settings, "test")) as fetcher:
            leased = self.store.documents.claim(
                name, self.clock.now(), lease_seconds=600, owner="test"
            )
            return await Checker(self.services, fetcher).check(leased, full=full)

    def deliver(self) -> int:
        """Make one attempt for everything that is due."""
        return asyncio.run(deliver_due(self.services, build_senders(self.services.settings)))

    def cite(self, name: DocumentId, quote: str, answer: str = "answer-1") -> Emitted:
        """Let an answer cite a passage of the current version."""
        return emit(self.services, name, EmissionKey("assistant", answer), quote=quote)


def html(*paragraphs: str, title: str = "Retention policy") -> Page:
    """Return a plausible policy page."""
    body = "\n".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return Page(
        f"<!doctype html><html lang=en><head><title>{title}</title></head>"
        f"<body><main><h1>{title}</h1>\n{body}\n</main></body></html>".encode(),
        "text/html; charset=utf-8",
    )
