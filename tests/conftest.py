"""What every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from watcher.demo.site import Site

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = REPOSITORY.parent / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The data handed beside the repository; without it the test skips by name."""
    data = SHARED / "data"
    if not data.is_dir():
        if os.environ.get("WATCHER_TESTS_NO_SKIP"):
            pytest.fail("the shared data is missing and skips are forbidden here")
        pytest.skip("needs the shared data folder beside the repository")
    return data


@pytest.fixture
def site() -> Iterator[Site]:
    """A real HTTP server on loopback; `put(name, Page(...))` gives the URL."""
    with Site() as running:
        yield running
