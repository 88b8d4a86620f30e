"""The probe tells whether the database can be written, not merely read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from watcher.store import Store
from watcher.store.errors import StoreBusyError


def test_a_database_that_another_process_has_locked_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("watcher.store.database._BUSY_SECONDS", 0.2)
    with Store.open(tmp_path / "var") as store:
        store.probe()
        with closing(sqlite3.connect(tmp_path / "var" / "watcher.sqlite3")) as other:
            other.execute("BEGIN IMMEDIATE")
            assert store.counts().documents == 0, "it is still read"
            with pytest.raises(StoreBusyError):
                store.probe()
        store.probe()
