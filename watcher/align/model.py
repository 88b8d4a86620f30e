"""The map between two texts: which old bytes stand where in the new one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import starmap

from watcher.align.codec import decode, encode
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


KINDS = tuple(RunKind)
KEPT, MOVED, EDITED, MOVED_EDITED = range(4)
"""Positions in `KINDS`: what `TextMap.kinds` holds, one byte for each run."""


@dataclass(frozen=True, slots=True)
class Run:
    """One correspondence. Neither side is empty; no new byte is in two runs."""

    kind: RunKind
    old: Range
    new: Range


@dataclass(frozen=True)
class TextMap:
    """All correspondences of one version pair, sorted by `old.start`.

    Kept as columns, because a map of a large pair has 100,000 runs: run `i` is
    `kinds[i]` (a position in `KINDS`) with `old_starts[i]:old_ends[i]` and
    `new_starts[i]:new_ends[i]`. `runs` gives the same as objects.

    Old bytes in no run are removed; new bytes in no run are inserted.
    `complete` is False where the work bound was reached: then nothing outside
    the runs is claimed, in particular not that it is gone. `algorithm` names
    the code and its version.
    """

    old_size: int
    new_size: int
    kinds: bytes
    old_starts: Sequence[int]
    old_ends: Sequence[int]
    new_starts: Sequence[int]
    new_ends: Sequence[int]
    algorithm: str
    complete: bool = True

    @classmethod
    def of(
        cls,
        old_size: int,
        new_size: int,
        runs: Iterable[tuple[int, int, int, int, int]],
        algorithm: str,
        *,
        complete: bool = True,
    ) -> TextMap:
        """Return the map of `runs`: (old start, old end, new start, new end, kind)."""
        columns = list(zip(*sorted(runs), strict=True)) or [(), (), (), (), ()]
        return cls(
            old_size,
            new_size,
            bytes(columns[4]),
            columns[0],
            columns[1],
            columns[2],
            columns[3],
            algorithm,
            complete,
        )

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The correspondences as objects, sorted by `old.start`."""
        old = map(Range, self.old_starts, self.old_ends)
        new = map(Range, self.new_starts, self.new_ends)
        return tuple(map(Run, map(KINDS.__getitem__, self.kinds), old, new))

    def to_bytes(self) -> bytes:
        """Return the map as compressed bytes, equal for equal maps."""
        return encode(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> TextMap:
        """Return the map that `to_bytes` wrote.

        Raises:
            MapDamagedError: `data` is not such a map.
        """
        old_size, new_size, algorithm, complete, kinds, columns = decode(data)
        a, b, c, d = map(tuple, columns)
        return cls(old_size, new_size, kinds, a, b, c, d, algorithm, complete)

    def removed(self) -> tuple[Range, ...]:
        """Return the old ranges that no run claims, in order."""
        return _gaps(zip(self.old_starts, self.old_ends, strict=True), self.old_size)

    def inserted(self) -> tuple[Range, ...]:
        """Return the new ranges that no run claims, in order."""
        return _gaps(sorted(zip(self.new_starts, self.new_ends, strict=True)), self.new_size)


def _gaps(claimed: Iterable[tuple[int, int]], size: int) -> tuple[Range, ...]:
    gaps, position = [], 0
    for start, end in claimed:
        if start > position:
            gaps.append((position, start))
        position = max(position, end)
    if position < size:
        gaps.append((position, size))
    return tuple(starmap(Range, gaps))
