"""A whole deployment on loopback: a site, a data directory, a receiver of webhooks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.deployment import Deployment, Receiver
from watcher.demo.site import Site


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A real HTTP receiver of webhooks."""
    with Receiver() as running:
        yield running


@pytest.fixture
def deployment(tmp_path: Path, site: Site, receiver: Receiver) -> Iterator[Deployment]:
    """A deployment with one webhook channel and no documents yet."""
    with Deployment(tmp_path, site, receiver) as made:
        yield made
