"""What processes use: CPU time, memory, descriptors, read from /proc."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(root: int | None = None, *, without: Collection[int] = ()) -> float:
    """Return the CPU time of a process (this one) and of all that it started, ended ones too.

    Processes in `without`, by their ids, do not count.
    """
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            used[int(entry.name)] = sum(map(int, fields[11:15])) / _TICKS
    family = {os.getpid() if root is None else root}
    while fresh := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= fresh
    return sum(used.get(pid, 0.0) for pid in family if pid not in without)


def descriptors(process: int | None = None) -> int:
    """Return how many descriptors a process (this one) has open."""
    return len(list(Path(f"/proc/{process or 'self'}/fd").iterdir()))


def resident(process: int | None = None) -> float:
    """Return the resident memory of a process (this one) in MB."""
    pages = int(Path(f"/proc/{process or 'self'}/statm").read_text().split()[1])
    return pages * _PAGE / 1e6
