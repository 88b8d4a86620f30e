"""Who may be at work on a data directory, kept by the kernel.

Two files, locked with flock, which ends with the process that holds it, however
that ends. `lock` belongs to the one service (the daemon). `writers` is shared by
everyone who writes, the service too: whoever is alone with it knows that all
other writers are gone, and may clean up after them or migrate.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from watcher.store.errors import StoreLockedError, StoreReadOnlyError

SERVICE = "lock"
WRITERS = "writers"


class DirectoryLock:
    """A writer's hold on a directory, until `release` or the process ends.

    `alone` tells whether no other writer is there. While it is true none can
    come; `share` lets them.

    Raises:
        StoreLockedError: the service is to run here, and one does already.
        StoreReadOnlyError: the directory cannot be written.
    """

    def __init__(self, directory: Path, *, service: bool) -> None:
        self._handles: list[int] = []
        try:
            if service:
                self._take_service(directory)
            self._writers = self._open(directory / WRITERS)
            self.alone = _try_lock(self._writers)
            if not self.alone:
                fcntl.flock(self._writers, fcntl.LOCK_SH)
        except BaseException:
            self.release()
            raise

    def share(self) -> None:
        """Let other writers in."""
        fcntl.flock(self._writers, fcntl.LOCK_SH)
        self.alone = False

    def release(self) -> None:
        """Give the directory back. Calling it again does nothing."""
        while self._handles:
            os.close(self._handles.pop())

    def _take_service(self, directory: Path) -> None:
        handle = self._open(directory / SERVICE)
        if not _try_lock(handle):
            holder = os.pread(handle, 64, 0).decode(errors="replace").strip()
            raise StoreLockedError(
                f"the data directory {directory} is in use"
                + (f" by process {holder}" if holder else ""),
                hint="stop that watcher first, or give this one a directory of its own",
            )
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)

    def _open(self, path: Path) -> int:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise StoreReadOnlyError(
                f"cannot open {path} ({error.strerror})",
                hint="make the data directory writable for this user, or open it read-only",
            ) from error
        self._handles.append(handle)
        return handle


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
