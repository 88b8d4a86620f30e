"""The scenario server and helpers of the fetch room, importable as plain modules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from scenario_server import ScenarioServer


@pytest.fixture
def server() -> Iterator[ScenarioServer]:
    """A running scenario server on loopback."""
    with ScenarioServer() as running:
        yield running
