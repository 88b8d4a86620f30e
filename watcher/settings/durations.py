"""Durations as people write them: `30s`, `15m`, `6h`, `7d`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator

_FORM = re.compile(r"([0-9]{1,6})\s*(ms|[smhdw])")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_LONGEST = timedelta(days=36500)
"""A century: a time so far ahead can still be reckoned and stored."""


def parse_duration(value: object) -> object:
    """Return the `timedelta` that `value` writes; other types pass through.

    Raises:
        ValueError: it is not a number and one of ms, s, m, h, d, w, or is too long.
    """
    if isinstance(value, timedelta):
        return value
    match = _FORM.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError('write a duration as a number and ms, s, m, h, d or w, such as "6h"')
    duration = timedelta(seconds=int(match[1]) * _SECONDS[match[2]])
    if duration > _LONGEST:
        raise ValueError(f"a duration is at most {_LONGEST.days}d")
    return duration


def format_duration(value: timedelta) -> str:
    """Return the shortest exact form of whole milliseconds, such as `6h`."""
    milliseconds = round(value.total_seconds() * 1000)
    for unit in ("w", "d", "h", "m", "s"):
        size = round(_SECONDS[unit] * 1000)
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size}{unit}"
    return f"{milliseconds}ms"


Duration = Annotated[timedelta, BeforeValidator(parse_duration)]
