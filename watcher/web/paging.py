"""Pages of a listing: a limit, and a cursor that names the last row by its key."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from fastapi import Query

from watcher.web.problems import ApiError

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
