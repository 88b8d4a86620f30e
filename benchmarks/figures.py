"""What every benchmark says: a table for people, then one JSON object a figure and line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number.

    `target` is what it should be, in words; `holds` tells whether it is, None
    where nothing is asked of it or it could not be measured: then `value` is
    None and `reason` says why.
    """

    figure: str
    value: float | None
    unit: str
    target: str = ""
    holds: bool | None = None
    reason: str = ""


def at_most(name: str, value: float, unit: str, target: float) -> Figure:
    """Return a figure that should be at most `target`."""
    return Figure(name, round(value, 4), unit, f"<= {target:g}", value <= target)


def at_least(name: str, value: float, unit: str, target: float) -> Figure:
    """Return a figure that should be at least `target`."""
    return Figure(name, round(value, 4), unit, f">= {target:g}", value >= target)


def told(name: str, value: float, unit: str) -> Figure:
    """Return a figure of which nothing is asked."""
    return Figure(name, round(value, 4), unit)


def unmeasured(name: str, unit: str, reason: str) -> Figure:
    """Return a figure that could not be measured here."""
    return Figure(name, None, unit, reason=reason)


def show(figures: Iterable[Figure]) -> None:
    """Print the table, then the objects."""
    found = tuple(figures)
    width = max((len(one.figure) for one in found), default=0)
    marks = {True: "", False: "  MISSED", None: ""}
    for one in found:
        value = "-" if one.value is None else f"{one.value:g}"
        rest = " ".join(part for part in (one.unit, one.target, one.reason) if part)
        print(f"{one.figure:<{width}} {value:>10} {rest}{marks[one.holds]}")
    for one in found:
        print(json.dumps(asdict(one)))
