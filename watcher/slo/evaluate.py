"""The alerts on error budgets, computed without Prometheus.

The same windows, factors, guards, names and keys as the generated rules, from
the same objectives: `tests/slo` holds both equal on every scenario and on
random histories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from watcher.slo.burn import WINDOWS, burn_alerts
from watcher.slo.history import History, Sample, Selector, seconds
from watcher.slo.model import AlertRule, Slo, Source

KEEP_SECONDS = max(seconds(window.long) for window in WINDOWS) + 600.0
"""How long samples are needed: the longest window, and a little more."""

GAP_SECONDS = 300.0
"""Five looks of the daemon."""


@dataclass(frozen=True, slots=True)
class Budgeted:
    """One objective with its alerts, ready to be evaluated."""

    slo: Slo
    good: Selector | None
    bad: Selector | None
    total: Selector
    alerts: tuple[AlertRule, ...]

    @property
    def selectors(self) -> tuple[Selector, ...]:
        """Return what of a process it looks at."""
        return tuple(s for s in (self.good, self.bad, self.total) if s is not None)


@dataclass(frozen=True, slots=True)
class Standing:
    """How an alert stands. Times are Unix seconds.

    `active_since` is when its condition began to hold, `firing_since` when it
    had held for long enough; `looked_at` is the last look at it.
    """

    looked_at: float
    active_since: float | None = None
    firing_since: float | None = None
    value: float = 0.0


def budgeted(source: Source) -> tuple[Budgeted, ...]:
    """Return the objectives whose budget alerts."""
    return tuple(
        Budgeted(
            slo,
            Selector.parse(slo.good) if slo.good is not None else None,
            Selector.parse(slo.bad) if slo.bad is not None else None,
            Selector.parse(slo.total),
            burn_alerts(slo, source.service),
        )
        for slo in source.slos
        if slo.burn is not None
    )


def sampled(objectives: Iterable[Budgeted], samples: Iterable[Sample]) -> dict[str, float]:
    """Return the values that the objectives look at, by series."""
    selectors = [selector for each in objectives for selector in each.selectors]
    names = {selector.name for selector in selectors}
    return {
        sample.series: sample.value
        for sample in samples
        if sample.name in names and any(selector.takes(sample) for selector in selectors)
    }


class Evaluator:
    """Looks at a history; keeps nothing itself.

    Between two looks more than `gap` seconds apart nobody knows whether a
    condition held: that time does not count towards an alert's `for`.
    """

    def __init__(self, objectives: tuple[Budgeted, ...], gap: float = GAP_SECONDS) -> None:
        self.objectives = objectives
        self._gap = gap

    def look(
        self, history: History, at: float, before: Mapping[str, Standing]
    ) -> dict[str, tuple[AlertRule, Standing]]:
        """Return how every alert stands at `at`, by its key; `before` is the last look."""
        found = {}
        for each in self.objectives:
            ratios = _Ratios(each, history, at)
            for rule in each.alerts:
                value = ratios.over(rule)
                last = before.get(rule.dedup_key)
                found[rule.dedup_key] = (rule, _next(rule, last, at, value, self._gap))
        return found

    def burn_rate(self, history: History, at: float) -> Iterator[tuple[Slo, float]]:
        """Yield how many times too fast each budget is spent now (5 minutes)."""
        for each in self.objectives:
            ratio = _Ratios(each, history, at).error("5m")
            if ratio is not None:
                yield each.slo, ratio / float(each.slo.budget)


def _next(
    rule: AlertRule, last: Standing | None, at: float, value: float | None, gap: float
) -> Standing:
    """Return how an alert stands after a look that found `value`, or nothing."""
    if value is None:
        return Standing(at)
    hold = seconds(rule.hold) if rule.hold else 0.0
    since = last.active_since if last is not None else None
    if last is None or since is None:
        since = at
    elif last.firing_since is None and at - last.looked_at > gap:
        since += at - last.looked_at
    firing = last.firing_since if last is not None else None
    if firing is None and at - since >= hold:
        firing = at
    return Standing(at, since, firing, value)


@dataclass(frozen=True, slots=True)
class _Ratios:
    """The error ratios of one objective at one time."""

    each: Budgeted
    history: History
    at: float

    def over(self, rule: AlertRule) -> float | None:
        """Return the ratio for which a rule's condition holds, None where it does not."""
        if not self._guarded():
            return None
        budget = float(self.each.slo.budget)
        for window in WINDOWS:
            if window.severity is not rule.severity:
                continue
            limit = float(window.factor) * budget
            short, long = self.error(window.short), self.error(window.long)
            if short is not None and long is not None and short > limit and long > limit:
                return short
        return None

    def error(self, window: str) -> float | None:
        """Return the share that was bad, None where nothing tells."""
        length = seconds(window)
        total = self._sum(self.each.total, length)
        if not total:
            return None
        if self.each.bad is not None:
            bad = self._sum(self.each.bad, length)
            return None if bad is None else bad / total
        assert self.each.good is not None
        good = self._sum(self.each.good, length)
        return None if good is None else max(1 - good / total, 0.0)

    def _guarded(self) -> bool:
        burn = self.each.slo.burn
        assert burn is not None
        if burn.min_bad is not None:
            bad = self._bad_now()
            if bad is None or bad < burn.min_bad:
                return False
        if burn.min_hourly is not None:
            hourly = self._sum(self.each.total, 3600.0, counter=True)
            if hourly is None or hourly < burn.min_hourly:
                return False
        return True

    def _bad_now(self) -> float | None:
        now = self._now
        if self.each.bad is not None:
            return now(self.each.bad)
        assert self.each.good is not None
        total, good = now(self.each.total), now(self.each.good)
        return None if total is None or good is None else total - good

    def _now(self, selector: Selector) -> float | None:
        if self.each.slo.counter:
            return self._sum(selector, 3600.0)
        return _total(self.history.latest(name, self.at) for name in self.history.names(selector))

    def _sum(self, selector: Selector, length: float, *, counter: bool = False) -> float | None:
        """Return what a window holds of all series of a selector, None where it holds nothing."""
        counts = counter or self.each.slo.counter
        windows = (
            self.history.window(name, self.at, length) for name in self.history.names(selector)
        )
        return _total((w.increase() if counts else w.average()) for w in windows if w is not None)


def _total(values: Iterable[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return sum(found) if found else None
