"""Content-addressed blobs in files: a name is the SHA-256 of what is in it.

    blobs/ab/cd/abcd….zst

A blob is written to a temporary file, fsynced, linked under its name and made
durable by fsyncing the directories, so that a row that names it is never ahead
of it. Reading verifies: what does not hash to its name is not returned.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from watcher.domain.resolution import HashMismatchError, UnreadableError
from watcher.store.errors import StoreFullError, StoreReadOnlyError
from watcher.store.recent import RecentTexts, Stamp

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SUFFIX = ".zst"
_UNFINISHED = "new"
_NAME = re.compile(r"[0-9a-f]{64}")
_LEVEL = 3
"""Measured on policies: level 19 saves a tenth of the bytes for 70 times the time."""
_OPTIONS: dict[int, int] = {
    zstd.CompressionParameter.compression_level: _LEVEL,
    zstd.CompressionParameter.checksum_flag: 1,
}


class BlobFiles:
    """The blobs below one directory. Nothing is created when opened to read."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.recent = RecentTexts()

    def stamp(self, name: str) -> Stamp | None:
        """Return what tells a blob's file from any other that takes its place; None: no file."""
        try:
            status = self._path(name).stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def put(self, data: bytes) -> str:
        """Store `data` durably and return its lowercase hex SHA-256.

        Storing what is there already writes nothing, unless the file is
        damaged: then it is replaced by these good bytes.

        Raises:
            StoreFullError: no room; nothing is left behind.
            StoreReadOnlyError: the directory cannot be written.
        """
        name = hashlib.sha256(data).hexdigest()
        path = self._path(name)
        if path.exists() and self._intact(name):
            return name
        with writing(self._directory):
            self._write(path, zstd.compress(data, options=_OPTIONS))
        return name

    def has(self, name: str) -> bool:
        """Tell whether there is a file for the bytes named `name`, without reading it."""
        return self._path(name).exists()

    def get(self, name: str) -> bytes:
        """Return the bytes named `name`.

        Raises:
            HashMismatchError: the file is gone, damaged, or holds other bytes.
            UnreadableError: the file system does not answer now.
        """
        path = self._path(name)
        try:
            packed = path.read_bytes()
        except FileNotFoundError:
            raise _damaged(name, f"its file {path} is missing") from None
        except OSError as error:
            raise UnreadableError(
                f"cannot read {path} ({error.strerror})",
                hint="check the disk and the file's permissions, then try again",
            ) from error
        try:
            data = zstd.decompress(packed)
        except (zstd.ZstdError, MemoryError, ValueError):
            raise _damaged(name, f"its file {path} does not unpack") from None
        found = hashlib.sha256(data).hexdigest()
        if found != name:
            raise _damaged(name, f"its file {path} holds {found}")
        return data

    def remove(self, name: str) -> bool:
        """Remove a blob durably; tell whether it was there."""
        path = self._path(name)
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        sync_directory(path.parent)
        return True

    def names(self) -> Iterator[str]:
        """Yield the name of every blob, in no order."""
        for path in self._directory.glob(f"*/*/*{_SUFFIX}"):
            name = path.name.removesuffix(_SUFFIX)
            if _NAME.fullmatch(name):
                yield name

    def sweep(self) -> None:
        """Remove what a killed writer left half-written; for the only writer alone."""
        for path in self._directory.glob(f"{_UNFINISHED}/*"):
            path.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._directory / name[:2] / name[2:4] / (name + _SUFFIX)

    def _intact(self, name: str) -> bool:
        try:
            self.get(name)
        except HashMismatchError:
            return False
        return True

    def _write(self, path: Path, packed: bytes) -> None:
        self._make(path.parent)
        handle, temporary = tempfile.mkstemp(dir=self._directory / _UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(packed)
                file.flush()
                os.fchmod(file.fileno(), 0o444)
                os.fsync(file.fileno())
            try:
                os.link(temporary, path)
            except FileExistsError:
                # A damaged file is in the way, or another writer was as quick:
                # either way the verified bytes may take the name.
                Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)
        sync_directory(path.parent)

    def _make(self, shard: Path) -> None:
        """Create the directories that are missing, each durable in its parent."""
        for directory in (self._directory, self._directory / _UNFINISHED, shard.parent, shard):
            if not directory.is_dir():
                directory.mkdir(mode=0o750, exist_ok=True, parents=True)
                sync_directory(directory.parent)


@contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Raise the errors of a file system that lets nothing be written as ours."""
    try:
        yield
    except OSError as error:
        where = f"cannot write below {directory} ({error.strerror})"
        if error.errno in _FULL:
            raise StoreFullError(
                where, hint="make room on the disk; the work is tried again"
            ) from error
        raise StoreReadOnlyError(where, hint="make it writable for this user") from error


def sync_directory(directory: Path) -> None:
    """Make what was created or renamed in a directory durable."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _damaged(name: str, how: str) -> HashMismatchError:
    return HashMismatchError(
        f"the stored bytes {name} are damaged: {how}",
        hint="run `watcher verify` to see what it affects, then restore the file from a backup",
    )
