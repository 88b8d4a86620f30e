"""Pages of a listing: a limit, and a cursor that names the last row by its key."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Annotated, Protocol, TypeVar

from fastapi import Query

from watcher.web.problems import ApiError

_BLOCK = 1000
"""Rows that are read at once while looking for those that a caller may see."""


class Numbered(Protocol):
    """A row of a listing that is newest first."""

    @property
    def number(self) -> int:
        """Its number; the newest has the largest."""
        ...


Row = TypeVar("Row", bound=Numbered)
Limit = Annotated[int, Query(ge=1, le=1000, description="How many rows at most.")]
Cursor = Annotated[
    str, Query(max_length=400, description="`next` of the page before; empty: from the beginning.")
]


def encode(key: str) -> str:
    """Return the cursor that names `key`."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def decode(cursor: str) -> str:
    """Return the key that a cursor names; empty for the beginning.

    Raises:
        ApiError: it is none of ours.
    """
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError):
        raise ApiError(
            "usage", "that is no cursor of a listing", hint="give `next` as it was answered"
        ) from None


def decode_number(cursor: str) -> int:
    """Return the row number that a cursor names; 0 for the beginning.

    Raises:
        ApiError: it is none of ours.
    """
    key = decode(cursor)
    if key and not (key.isascii() and key.isdigit() and len(key) < 19):
        raise ApiError(
            "usage", "that is no cursor of this listing", hint="give `next` as it was answered"
        )
    return int(key or 0)


def newest(
    read: Callable[[int | None, int], Sequence[Row]],
    seen: Callable[[Sequence[Row]], Sequence[Row]],
    after: str,
    limit: int,
) -> tuple[Sequence[Row], str | None]:
    """Return a page of rows, newest first, and the cursor of the next one.

    `read` gives rows before a number (None: the newest), at most so many;
    `seen` gives those of them that the caller may see.

    Raises:
        ApiError: `after` is no cursor of ours.
    """
    before, found = decode_number(after) or None, list[Row]()
    while len(found) <= limit:
        block = read(before, _BLOCK)
        found += seen(block)
        if len(block) < _BLOCK:
            break
        before = block[-1].number
    page = found[:limit]
    return page, encode(str(page[-1].number)) if len(found) > limit else None
