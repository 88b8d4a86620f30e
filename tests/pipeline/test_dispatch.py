"""What is claimed: everything due, as fast as there is room, and no host at the cost of others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.domain.ids import DocumentId
from watcher.fetch import Fetcher
from watcher.pipeline.dispatch import Dispatcher
from watcher.pipeline.requests import fetch_settings
from watcher.pipeline.services import Services
from watcher.settings import Settings
from watcher.store import Store

MOST = 4
"""Checks at once in these tests."""


@pytest.fixture
def tarpit() -> Iterator[str]:
    """The address of a server that takes requests and answers only when it ends."""
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]

        def do_GET(self) -> None:
            ended.wait()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    ended.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_one_tick_checks_all_that_is_due_though_a_host_never_answers(
    deployment: Deployment, tarpit: str
) -> None:
    for number in range(2 * MOST):
        _stuck(deployment.folder, number, tarpit)
    names = [
        deployment.watch(f"well-{n}", html(f"Clause {n} is kept for {n} years."))
        for n in range(3 * MOST)
    ]
    services = _with_room(deployment)

    async def scene() -> None:
        async with Fetcher(fetch_settings(services.settings, "test")) as fetcher:
            dispatcher = Dispatcher(lambda: services, fetcher)
            await dispatcher.tick()
            most = services.settings.fetch.per_host
            # What is seen last still gives its lease back; the stuck ones stay.
            while dispatcher.under_way > most or any(  # noqa: ASYNC110
                _unseen(deployment.store, name) for name in names
            ):
                await asyncio.sleep(0.01)
            dispatcher.stop_claiming()
            await dispatcher.drain(0)

    asyncio.run(asyncio.wait_for(scene(), 60))


def _stuck(folder: Path, number: int, origin: str) -> None:
    """Configure a document of a host that never answers; it comes before the others."""
    entry = (
        f'[[document]]\ndocument_id = "a-stuck-{number}"\nurl = "{origin}/{number}"\n'
        'allowed_networks = ["127.0.0.0/8"]\nignore_robots = "a test"\n'
    )
    (folder / "documents" / f"a-stuck-{number}.toml").write_text(entry, encoding="utf-8")


def _with_room(deployment: Deployment) -> Services:
    """Return the services of a deployment that makes few checks at once."""
    settings: Settings = deployment.services.settings
    fetch = settings.fetch.model_copy(update={"concurrency": MOST})
    narrow = settings.model_copy(update={"fetch": fetch})
    return Services(narrow, deployment.store, deployment.clock, deployment.services.metrics)


def _unseen(store: Store, name: DocumentId) -> bool:
    return store.documents.get(name).last_success is None
