"""A map as bytes: small, and the same for the same map, so that it can be hashed.

Layout before zstd: magic, a JSON header of one line, then the kinds (one byte
for each run) and five columns of little-endian 32-bit numbers. Columns hold
what is regular as zeros (the gap to the previous run, the difference of the
two lengths), which is what makes them small.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from watcher.errors import WatcherError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from watcher.align.model import TextMap

_MAGIC = b"watcher-map/1\n"
_LIMIT = 1 << 30
"""Bytes that a map may unpack to: ten times the map of a 100 MB pair."""


class MapDamagedError(WatcherError):
    """Stored bytes are not a map."""

    code = "map_damaged"


def encode(text_map: TextMap) -> bytes:
    """Return `text_map` as bytes."""
    header = json.dumps(
        [
            text_map.old_size,
            text_map.new_size,
            text_map.algorithm,
            text_map.complete,
            len(text_map.kinds),
        ],
        separators=(",", ":"),
    ).encode()
    columns = (
        _steps(text_map.old_starts, text_map.old_ends),
        _lengths(text_map.old_starts, text_map.old_ends),
        _steps(text_map.new_starts, text_map.new_ends),
        _lengths(text_map.new_starts, text_map.new_ends),
    )
    body = b"".join(_pack(column) for column in columns)
    return zstd.compress(_MAGIC + header + b"\n" + text_map.kinds + body)


def decode(data: bytes) -> tuple[int, int, str, bool, bytes, list[list[int]]]:
    """Return old size, new size, algorithm, complete, kinds and the four columns.

    Raises:
        MapDamagedError: `data` is not what `encode` returned.
    """
    try:
        sizes, kinds, columns = _read(zstd.ZstdDecompressor().decompress(data, _LIMIT))
        old_size, new_size, algorithm, complete = sizes
    except (ValueError, TypeError, EOFError, zstd.ZstdError) as error:
        raise MapDamagedError(
            f"the stored map cannot be read ({error})", hint="it is made again from the two texts"
        ) from None
    old = _places(columns[0], columns[1])
    new = _places(columns[2], columns[3])
    return old_size, new_size, algorithm, complete, kinds, [*old, *new]


def _read(plain: bytes) -> tuple[tuple[int, int, str, bool], bytes, list[list[int]]]:
    """Return sizes, kinds and columns; a ValueError says what is missing."""
    if not plain.startswith(_MAGIC):
        raise ValueError("it does not begin as a map does")
    stop = plain.index(b"\n", len(_MAGIC))
    old_size, new_size, algorithm, complete, count = json.loads(plain[len(_MAGIC) : stop])
    body = plain[stop + 1 :]
    if len(body) != 17 * count:
        raise ValueError("it ends early")
    columns = [_unpack(body[count + 4 * count * i : count + 4 * count * (i + 1)]) for i in range(4)]
    return (old_size, new_size, algorithm, complete), body[:count], columns


def _steps(starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Return the distance of each start from the end before it, in 32 bits."""
    return [(s - e) & 0xFFFFFFFF for s, e in zip(starts, [0, *ends], strict=False)]


def _lengths(starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    return [e - s for s, e in zip(starts, ends, strict=True)]


def _places(steps: list[int], lengths: list[int]) -> tuple[list[int], list[int]]:
    starts, ends, at = [], [], 0
    for step, length in zip(steps, lengths, strict=True):
        start = (at + step) & 0xFFFFFFFF
        at = start + length
        starts.append(start)
        ends.append(at)
    return starts, ends


def _pack(column: list[int]) -> bytes:
    packed = array("I", column)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpack(data: bytes) -> list[int]:
    column = array("I")
    column.frombytes(data)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tolist()
