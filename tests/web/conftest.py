"""The real application on a loopback port, over a real store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.pipeline.deployment import Deployment, Receiver
from watcher.demo.site import Site
from watcher.pipeline.services import Services
from watcher.settings import load
from watcher.web import WebServer, create_app


@dataclass
class Served:
    """A deployment whose application answers at `url`; `http` asks it."""

    deployment: Deployment
    url: str
    http: httpx.Client


@contextmanager
def serving(services: Callable[[], Services]) -> Iterator[str]:
    """Serve the services of now on a free loopback port; gives the base URL."""
    web = services().settings.web.model_copy(update={"port": 0})
    with WebServer(create_app(services), web) as server:
        server.wait()
        yield f"http://{server.address}"


@contextmanager
def served_deployment(folder: Path) -> Iterator[Served]:
    """A deployment without documents, with its site, receiver and application."""
    with (
        Site() as site,
        Receiver() as receiver,
        Deployment(folder, site, receiver) as deployment,
        serving(lambda: deployment.services) as url,
        httpx.Client(base_url=url) as http,
    ):
        yield Served(deployment, url, http)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An application of this test alone."""
    with served_deployment(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An application for a whole module, whose tests only add."""
    with served_deployment(tmp_path_factory.mktemp("web")) as made:
        yield made


@contextmanager
def configured(served: Served, extra: str) -> Iterator[httpx.Client]:
    """Serve the same deployment under more settings."""
    deployment = served.deployment
    deployment.config.write_text(deployment.config.read_text() + extra, encoding="utf-8")
    deployment.services = deployment._services(load(deployment.config))
    with serving(lambda: deployment.services) as url, httpx.Client(base_url=url) as http:
        yield http
