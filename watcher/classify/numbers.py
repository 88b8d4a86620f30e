"""Read numbers, dates and times as a language writes them; never guess.

What two readings fit (1.000 where both signs are in use, 10/11/2025 in
English) keeps its letters as its value: it equals only itself.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from watcher.classify.packs import Pack

_DIGITS = re.compile(r"\d+")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_NUMERIC = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})")
_DAY_MONTH = re.compile(r"(\d{1,2})\.(\d{1,2})\.")
_ORDINAL = re.compile(r"(\d{1,2})([^\W\d_]{1,3}|[\u00ba\u00aa\u00b0])?")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


def plain(value: Decimal) -> str:
    """Return `value` without an exponent and without trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def number(text: str, pack: Pack | None) -> Decimal | None:  # noqa: PLR0911
    """Return the value of a number as written, or None where it is not certain."""
    if text.startswith("0") and text[1:2].isdigit():
        # "007" is a name, not a quantity.
        return None
    if text.isascii() and text.isdigit():
        return Decimal(text)
    if pack is None:
        return None
    decimal, groups = pack.file.decimal, pack.file.group
    whole, point, fraction = text.partition(decimal)
    if decimal in fraction or (point and not fraction.isdigit()):
        return None
    parts = _DIGITS.findall(whole)
    seps = {c for c in whole if not c.isdigit()}
    grouped = len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:]) if parts else False
    if seps and (len(seps) > 1 or not seps <= set(groups) or not grouped):
        return None
    try:
        return Decimal("".join(parts) + (f".{fraction}" if point else ""))
    except InvalidOperation:
        return None


def day_of(text: str, pack: Pack) -> int | None:
    """Return the day that `text` ("1st", "1er", "15") may name, or None."""
    match = _ORDINAL.fullmatch(text)
    if match is None:
        return None
    suffix = (match[2] or "").lower()
    if suffix and suffix not in pack.file.ordinal_suffixes:
        return None
    day = int(match[1])
    return day if 1 <= day <= 31 else None


def _iso(year: int, month: int, day: int) -> str | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{year:04d}-{month:02d}-{day:02d}"


def numeric_date(text: str, pack: Pack | None) -> str | None:
    """Return the ISO date (or `--MM-DD`) of a date in digits, or None if not certain."""
    if match := _ISO.fullmatch(text):
        return _iso(int(match[1]), int(match[2]), int(match[3]))
    day_first = pack is not None and pack.file.date_order == "dmy"
    if match := _NUMERIC.fullmatch(text):
        first, second = int(match[1]), int(match[3])
        year = int(match[4]) + (2000 if len(match[4]) == 2 else 0)
        if day_first or match[2] == "." or (first > 12 >= second):
            return _iso(year, second, first)
        return _iso(year, first, second) if second > 12 or first == second else None
    if match := _DAY_MONTH.fullmatch(text):
        iso = _iso(2000, int(match[2]), int(match[1]))
        return f"-{iso[4:]}" if iso else None
    return None


def clock(text: str, half: str = "") -> str | None:
    """Return `HH:MM` of "10:00" with half "pm", or None if there is no such time."""
    match = _CLOCK.fullmatch(text if ":" in text else f"{text}:00")
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2])
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    seconds = f":{match[3]}" if match[3] and match[3] != "00" else ""
    return f"{hour:02d}:{minute:02d}{seconds}" if hour <= 24 and minute < 60 else None


_DURATION_BASE: dict[str, tuple[str, int]] = {
    "second": ("s", 1),
    "minute": ("s", 60),
    "hour": ("s", 3600),
    "day": ("d", 1),
    "week": ("d", 7),
    "fortnight": ("d", 14),
    "month": ("mo", 1),
    "year": ("mo", 12),
}
"""Units that convert exactly. Days and hours, months and days do not: a period
of a day ends at midnight, a period of 24 hours does not."""


def duration(value: Decimal, unit: str, qualifier: str) -> str:
    """Return the one reading of a length of time; business days stay apart."""
    base, factor = _DURATION_BASE.get(unit, (unit, 1))
    if qualifier and unit != "day":
        base, factor = unit, 1
    return f"{plain(value * factor)}{base}{'/' + qualifier if qualifier else ''}"


_MEASURES: dict[str, tuple[str, Decimal]] = {
    "mm": ("m", Decimal("0.001")),
    "cm": ("m", Decimal("0.01")),
    "m": ("m", Decimal(1)),
    "km": ("m", Decimal(1000)),
    "g": ("g", Decimal(1)),
    "kg": ("g", Decimal(1000)),
    "ml": ("l", Decimal("0.001")),
    "l": ("l", Decimal(1)),
    "kWh": ("Wh", Decimal(1000)),
    "MWh": ("Wh", Decimal(1_000_000)),
}
_OPAQUE_MEASURES = frozenset(
    [
        "kb",
        "mb",
        "gb",
        "tb",
        "pb",
        "kib",
        "mib",
        "gib",
        "tib",
        "bit",
        "bits",
        "byte",
        "bytes",
        "px",
        "dpi",
        "hz",
        "khz",
        "mhz",
        "ghz",
        "w",
        "kw",
        "mw",
        "v",
        "a",
        "db",
        "ppm",
        "mi",
        "ft",
        "lb",
        "lbs",
        "oz",
        "t",
        "ha",
        "°c",
        "°f",
        "ms",
    ]
)


def measure(value: Decimal, unit: str) -> str | None:
    """Return the one reading of a measured value, or None if `unit` is no unit.

    Units keep their capitals: Mb and MB are different things.
    """
    if unit in _MEASURES:
        base, factor = _MEASURES[unit]
        return f"{plain(value * factor)}{base}"
    return f"{plain(value)}{unit}" if unit.lower() in _OPAQUE_MEASURES else None
