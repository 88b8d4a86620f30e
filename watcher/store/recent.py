"""Texts that were verified a moment ago, so that resolving many passages hashes each text once.

A text is hashed whole when it comes in. It counts for as long as its file is
the same file of the same size and time: a purge, a restore or a write to it
ends that. What rots on the disk behind the file system's back is the audit's to
find, which reads past this. A passage's own hash is checked at every resolution.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from watcher.domain.text import CanonicalText

MOST_BYTES = 64 * 1024 * 1024
Stamp = tuple[int, int, int]
"""A file's inode, size and time of change in nanoseconds."""


class RecentTexts:
    """The texts used last, `MOST_BYTES` of them at most; from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Stamp, CanonicalText]] = OrderedDict()
        self._size = 0

    def get(self, name: str, stamp: Stamp | None) -> CanonicalText | None:
        """Return the text of that name if its file is still the one that was read."""
        with self._lock:
            found = self._kept.get(name)
            if found is None:
                return None
            if found[0] == stamp:
                self._kept.move_to_end(name)
                return found[1]
            self._drop(name)
            return None

    def keep(self, name: str, stamp: Stamp, text: CanonicalText) -> None:
        """Keep a text that was verified, and let the oldest go."""
        with self._lock:
            if name in self._kept:
                self._drop(name)
            if len(text) > MOST_BYTES:
                return
            self._kept[name] = stamp, text
            self._size += len(text)
            while self._size > MOST_BYTES:
                self._drop(next(iter(self._kept)))

    def _drop(self, name: str) -> None:
        self._size -= len(self._kept.pop(name)[1])
