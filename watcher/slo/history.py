"""Samples of a few days, and what PromQL's functions make of them.

A series is named as Prometheus writes it, without the labels that only a scrape
gives. The functions are those of Prometheus 2.42 (promql/functions.go): a
window holds both of its ends, and `increase` is extrapolated to its edges.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

LOOKBACK = 300.0
"""Seconds for which the last sample of a series counts as its value."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_MATCHER = re.compile(r'([a-z_]+)(=~|=)"([^"]*)"')


def seconds(duration: str) -> float:
    """Return a duration of the rules, such as `30m`, in seconds."""
    return float(int(duration[:-1]) * _UNITS[duration[-1]])


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of one series, as a process exports it."""

    name: str
    labels: Mapping[str, str]
    value: float

    @property
    def series(self) -> str:
        """Return the name of its series."""
        inner = ",".join(f'{key}="{value}"' for key, value in sorted(self.labels.items()))
        return f"{self.name}{{{inner}}}"


@dataclass(frozen=True, slots=True)
class Selector:
    """Which series of one process a query of an objective means."""

    name: str
    labels: tuple[tuple[str, re.Pattern[str]], ...]

    @classmethod
    def parse(cls, query: str) -> Selector:
        """Read a plain selector; its `job` is left out: a process has no other."""
        name, _, rest = query.partition("{")
        labels = [
            (label, re.compile(value if operator == "=~" else re.escape(value)))
            for label, operator, value in _MATCHER.findall(rest)
            if label != "job"
        ]
        return cls(name, tuple(labels))

    def takes(self, sample: Sample) -> bool:
        """Tell whether a sample is of one of its series."""
        return sample.name == self.name and all(
            pattern.fullmatch(sample.labels.get(label, "")) for label, pattern in self.labels
        )

    def names(self, series: str) -> bool:
        """Tell whether it takes the series of that name."""
        if not series.startswith(self.name + "{"):
            return False
        found = {label: value for label, _, value in _MATCHER.findall(series)}
        return self.takes(Sample(self.name, found, 0.0))


@dataclass(frozen=True, slots=True)
class Window:
    """The samples of one series in a time: seconds and values, at least one."""

    start: float
    end: float
    times: array[float]
    values: array[float]

    def average(self) -> float:
        """Return `avg_over_time`."""
        return sum(self.values) / len(self.values)

    def increase(self) -> float | None:
        """Return `increase`, None where fewer than two samples tell nothing."""
        times, values = self.times, self.values
        if len(times) < 2:
            return None
        grown = values[-1] - values[0]
        previous = values[0]
        for value in values:
            if value < previous:
                grown += previous
            previous = value
        sampled = times[-1] - times[0]
        gap = sampled / (len(times) - 1)
        before, after = times[0] - self.start, self.end - times[-1]
        if grown > 0 and values[0] >= 0:
            # A counter began at 0, so it cannot be extrapolated to before that.
            before = min(before, sampled * (values[0] / grown))
        most = gap * 1.1
        covered = sampled + sum(edge if edge < most else gap / 2 for edge in (before, after))
        return grown * covered / sampled


class History:
    """The samples of the last `keep` seconds, by series."""

    def __init__(self, keep: float) -> None:
        self._keep = keep
        self._series: dict[str, tuple[array[float], array[float]]] = {}
        self._taken: dict[Selector, tuple[str, ...]] = {}

    def add(self, at: float, values: Mapping[str, float]) -> None:
        """Take what was sampled at one time, later than all before; forget what is too old."""
        known = len(self._series)
        for series, value in values.items():
            times, kept = self._series.setdefault(series, (array("d"), array("d")))
            if times and times[-1] >= at:
                continue  # the clock went back: what was is not told anew
            times.append(at)
            kept.append(value)
        for series, (times, kept) in list(self._series.items()):
            old = bisect_left(times, at - self._keep)
            del times[:old], kept[:old]
            if not times:
                del self._series[series]
                known = -1
        if known != len(self._series):
            self._taken.clear()

    def names(self, selector: Selector) -> tuple[str, ...]:
        """Return the series that a selector takes."""
        if selector not in self._taken:
            self._taken[selector] = tuple(filter(selector.names, self._series))
        return self._taken[selector]

    def window(self, series: str, end: float, length: float) -> Window | None:
        """Return the samples of the `length` seconds before `end`, None where there is none."""
        times, values = self._series[series]
        first, last = bisect_left(times, end - length), bisect_right(times, end)
        if first == last:
            return None
        return Window(end - length, end, times[first:last], values[first:last])

    def latest(self, series: str, at: float) -> float | None:
        """Return the value of a series at a time, None where it is too old."""
        window = self.window(series, at, LOOKBACK)
        return window.values[-1] if window is not None else None
