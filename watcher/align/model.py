"""The map between two texts: which old bytes stand where in the new one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from watcher.domain.ranges import Range


class RunKind(StrEnum):
    """How an old range and a new range correspond."""

    KEPT = "kept"
    """Byte-equal, and in order with the other kept runs."""
    MOVED = "moved"
    """Byte-equal, placed out of order."""
    EDITED = "edited"
    """The old range became the new one; not byte-equal; in order."""
    MOVED_EDITED = "moved_edited"
    """Out of order and not byte-equal."""


@dataclass(frozen=True, slots=True)
class Run:
    """One correspondence. Neither side is empty; no new byte is in two runs."""

    kind: RunKind
    old: Range
    new: Range


@dataclass(frozen=True, slots=True)
class TextMap:
    """All correspondences of one version pair, sorted by `old.start`.

    Old bytes in no run are removed; new bytes in no run are inserted.
    `complete` is False where the time or size bound was reached: then nothing
    outside the runs is claimed, in particular not that it is gone.
    `algorithm` names the code and its version.
    """

    old_size: int
    new_size: int
    runs: tuple[Run, ...]
    algorithm: str
    complete: bool = True

    def removed(self) -> tuple[Range, ...]:
        """Return the old ranges that no run claims, in order."""
        return _gaps((run.old for run in self.runs), self.old_size)

    def inserted(self) -> tuple[Range, ...]:
        """Return the new ranges that no run claims, in order."""
        return _gaps(sorted(run.new for run in self.runs), self.new_size)


def _gaps(claimed: Iterable[Range], size: int) -> tuple[Range, ...]:
    gaps, position = [], 0
    for taken in claimed:
        if taken.start > position:
            gaps.append(Range(position, taken.start))
        position = max(position, taken.end)
    if position < size:
        gaps.append(Range(position, size))
    return tuple(gaps)
