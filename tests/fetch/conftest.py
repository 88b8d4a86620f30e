"""What the tests of the fetch room share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fetch.scenario_server import ScenarioServer


@pytest.fixture
def server() -> Iterator[ScenarioServer]:
    """A running scenario server on loopback."""
    with ScenarioServer() as running:
        yield running
