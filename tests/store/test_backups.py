"""Copies of a data directory: whole, verified, incremental, and usable as they are."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.store_bench import DOCUMENT, Bench, day
from watcher.domain.text import CanonicalText
from watcher.store import Store, StoreLockedError
from watcher.store.backups import LIST_NAME, check, copy
from watcher.store.errors import BackupError

TEXTS = [f"Data is kept for {n} days.\n" for n in range(3)]


def blob_files(directory: Path) -> dict[Path, int]:
    return {p: p.stat().st_ino for p in (directory / "blobs").glob("*/*/*.zst")}


def test_a_copy_can_be_read_and_only_grows_by_what_is_new(bench: Bench, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    bench.commit(TEXTS[0], day(0))
    cited = bench.cite(TEXTS[0], "0 days", day(0))
    first = copy(bench.directory, target, day(1))
    assert (first.damaged, first.written) == ((), first.blobs)
    before = blob_files(target)
    bench.commit(TEXTS[1], day(2))
    second = copy(bench.directory, target, day(3))
    assert second.blobs == first.blobs + second.written > first.blobs
    assert before.items() <= blob_files(target).items()
    check(target)
    with Store.open(target, read_only=True) as store:
        assert len(store.versions.list(DOCUMENT)) == 2
        assert store.citations.resolve(cited.citation_id).passages == (b"0 days",)
    check(target)
    assert (target.stat().st_mode & 0o77) == 0
    names = {path.name for path in target.iterdir()}
    assert names == {"watcher.sqlite3", "blobs", LIST_NAME}


def test_a_purged_text_goes_from_the_copy_too(bench: Bench, tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS):
        bench.commit(text, day(number))
    copy(bench.directory, tmp_path / "b", day(4))
    version = next(
        v.version
        for v in bench.store.versions.list(DOCUMENT)
        if v.version == CanonicalText(TEXTS[0].encode()).version
    )
    bench.store.purges.purge(DOCUMENT, version, at=day(5), rule="order", actor="a", reason="r")
    assert copy(bench.directory, tmp_path / "b", day(6)).removed
    assert {p.name for p in blob_files(tmp_path / "b")} == {
        p.name for p in blob_files(bench.directory)
    }


def test_a_copy_made_while_others_write_is_one_moment(bench: Bench, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            bench.commit(f"Text {number} of many.\n", day(1 + number / 100))
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            assert copy(bench.directory, tmp_path / "b", day(9)).damaged == ()
    finally:
        stop.set()
        writer.join()
    check(tmp_path / "b")
    with Store.open(tmp_path / "b", read_only=True) as store:
        for version in store.versions.list(DOCUMENT):
            store.versions.text(DOCUMENT, version.version)


def test_rot_in_the_copy_is_mended_and_rot_in_the_source_is_told(
    bench: Bench, tmp_path: Path
) -> None:
    bench.commit(TEXTS[0], day(0))
    copy(bench.directory, tmp_path / "b", day(1))
    spoilt = min(blob_files(tmp_path / "b"))
    spoilt.chmod(0o644)
    spoilt.write_bytes(b"rot")
    assert copy(bench.directory, tmp_path / "b", day(2)).written == 1
    for path in blob_files(bench.directory):
        path.unlink()
    assert copy(bench.directory, tmp_path / "b", day(3)).damaged == ()
    found = copy(bench.directory, tmp_path / "empty", day(3))
    assert len(found.damaged) == found.blobs
    assert json.loads((tmp_path / "empty" / LIST_NAME).read_text())["damaged"]


def test_a_damaged_database_replaces_no_copy(bench: Bench, tmp_path: Path) -> None:
    bench.commit(TEXTS[0], day(0))
    copy(bench.directory, tmp_path / "b", day(1))
    bench.store.close()
    broken = tmp_path / "broken"
    shutil.copytree(bench.directory, broken)
    with closing(sqlite3.connect(broken / "watcher.sqlite3")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray((broken / "watcher.sqlite3").read_bytes())
    data[4096 : len(data) // 2] = b"\xaa" * (len(data) // 2 - 4096)
    (broken / "watcher.sqlite3").write_bytes(bytes(data))
    before = (tmp_path / "b" / "watcher.sqlite3").read_bytes()
    with pytest.raises(BackupError):
        copy(broken, tmp_path / "b", day(2))
    assert (tmp_path / "b" / "watcher.sqlite3").read_bytes() == before
    check(tmp_path / "b")


def test_what_is_no_backup_is_not_written_over(bench: Bench, tmp_path: Path) -> None:
    bench.commit(TEXTS[0], day(0))
    with pytest.raises(BackupError, match="in each other"):
        copy(bench.directory, bench.directory / "backup", day(1))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("x")
    with pytest.raises(BackupError, match=r"thesis\.txt"):
        copy(bench.directory, tmp_path / "home", day(1))
    with Store.open(tmp_path / "other"):
        pass
    with pytest.raises(BackupError, match="data directory"):
        copy(bench.directory, tmp_path / "other", day(1))
    with pytest.raises(BackupError, match="no store"):
        copy(tmp_path / "nothing", tmp_path / "b", day(1))
    copy(bench.directory, tmp_path / "b", day(1))
    with Store.open(tmp_path / "b"), pytest.raises(StoreLockedError):
        copy(bench.directory, tmp_path / "b", day(2))
    with Store.open(tmp_path / "b") as store:
        store.documents.schedule(DOCUMENT, day(3))
    with pytest.raises(BackupError, match="opened for writing"):
        check(tmp_path / "b")
