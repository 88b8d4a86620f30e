"""One process per data directory."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from watcher.store.errors import StoreLockedError, StoreReadOnlyError

LOCK_NAME = "lock"


class DirectoryLock:
    """An exclusive lock on a directory, held until `release` or the process ends.

    The kernel drops it with the process, so a killed one leaves nothing to
    clean up; the file stays and names the last holder.

    Raises:
        StoreLockedError: another process (or another store in this one) holds it.
        StoreReadOnlyError: the directory cannot be written.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / LOCK_NAME
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise StoreReadOnlyError(
                f"cannot open {path} ({error.strerror})",
                hint="make the data directory writable for this user, or open it read-only",
            ) from error
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._handle, 64, 0).decode(errors="replace").strip()
            os.close(self._handle)
            raise StoreLockedError(
                f"the data directory {directory} is in use"
                + (f" by process {holder}" if holder else ""),
                hint="stop that watcher first, or give this one a directory of its own",
            ) from None
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Give the directory back. Calling it again does nothing."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
