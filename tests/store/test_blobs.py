"""Blob files: a name is what is in it, and half a blob is none."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.domain.resolution import HashMismatchError
from watcher.store import StoreFullError, StoreReadOnlyError
from watcher.store.blobs import BlobFiles


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> BlobFiles:
    return BlobFiles(tmp_path_factory.mktemp("blobs") / "blobs")


@settings(max_examples=20, deadline=None)
@given(data=st.binary(max_size=5000))
def test_what_goes_in_comes_out(blobs: BlobFiles, data: bytes) -> None:
    name = blobs.put(data)
    assert name == hashlib.sha256(data).hexdigest()
    assert blobs.get(name) == data
    assert blobs.has(name)
    assert blobs.put(data) == name


def test_a_blob_is_sharded_and_not_writable(tmp_path: Path) -> None:
    name = BlobFiles(tmp_path).put(b"x" * 100)
    path = tmp_path / name[:2] / name[2:4] / f"{name}.zst"
    assert path.stat().st_mode & 0o777 == 0o444
    assert list(BlobFiles(tmp_path).names()) == [name]
    assert list((tmp_path / "new").iterdir()) == []


def test_writers_of_one_blob_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    data = os.urandom(200_000)
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(lambda _: BlobFiles(tmp_path).put(data), range(16)))
    assert len(names) == 1
    assert BlobFiles(tmp_path).get(names.pop()) == data


def test_a_damaged_blob_is_replaced_by_good_bytes(tmp_path: Path) -> None:
    blobs = BlobFiles(tmp_path)
    name = blobs.put(b"evidence" * 50)
    path = next(tmp_path.glob("*/*/*.zst"))
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(HashMismatchError):
        blobs.get(name)
    blobs.put(b"evidence" * 50)
    assert blobs.get(name) == b"evidence" * 50


def test_what_a_killed_writer_left_is_swept(tmp_path: Path) -> None:
    blobs = BlobFiles(tmp_path)
    name = blobs.put(b"kept")
    (tmp_path / "new" / "half").write_bytes(b"half")
    blobs.sweep()
    assert list((tmp_path / "new").iterdir()) == []
    assert blobs.get(name) == b"kept"


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Let the kernel refuse what a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    blobs, data = BlobFiles(tmp_path), os.urandom(100_000)
    with files_no_larger_than(4096), pytest.raises(StoreFullError, match="cannot write below"):
        blobs.put(data)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert blobs.get(blobs.put(data)) == data


def test_a_place_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("in the way")
    with pytest.raises(StoreReadOnlyError):
        BlobFiles(tmp_path / "blobs").put(b"x")
