"""A fresh store for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.store_bench import Bench, bench_in
from watcher.store import Store


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with this release's schema and nothing in it, to copy."""
    directory = tmp_path_factory.mktemp("empty") / "var"
    Store.open(directory).close()
    return directory


@pytest.fixture
def bench(tmp_path: Path, empty_store: Path) -> Iterator[Bench]:
    """A store with one document, and its lease."""
    shutil.copytree(empty_store, tmp_path / "var")
    made = bench_in(tmp_path / "var")
    with made.store:
        yield made
