"""Recording rules with the names and labels that sloth gives them.

So the public dashboards made for sloth (https://sloth.dev) show these objectives.
Unlike sloth, every window divides a sum by a sum, also the longest: an average of
ratios gives a quiet minute the weight of a busy one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from watcher.slo.model import Slo

RATE_WINDOWS = ("5m", "30m", "1h", "2h", "6h", "1d", "3d")


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded series."""

    name: str
    expr: str
    labels: dict[str, str]


def recordings(slo: Slo, service: str) -> Iterator[Recording]:
    """Yield the error ratio of each window, then the facts and burn rates of the budget."""
    labels = _labels(slo, service)
    for window in (*RATE_WINDOWS, f"{slo.days}d"):
        yield Recording(
            f"slo:sli_error:ratio_rate{window}",
            _error_ratio(slo, window),
            {**labels, "sloth_window": window},
        )
    mine = _matchers(slo, service)
    over_budget = (
        f"/ on (sloth_id, sloth_slo, sloth_service) group_left slo:error_budget:ratio{{{mine}}}"
    )
    derived = {
        "slo:objective:ratio": f"vector({slo.objective:f})",
        "slo:error_budget:ratio": f"vector({slo.budget:f})",
        "slo:time_period:days": f"vector({slo.days})",
        "slo:current_burn_rate:ratio": f"slo:sli_error:ratio_rate5m{{{mine}}} {over_budget}",
        "slo:period_burn_rate:ratio": (
            f"slo:sli_error:ratio_rate{slo.days}d{{{mine}}} {over_budget}"
        ),
        "slo:period_error_budget_remaining:ratio": f"1 - slo:period_burn_rate:ratio{{{mine}}}",
    }
    for name, expr in derived.items():
        yield Recording(name, expr, labels)
    yield Recording(
        "sloth_slo_info",
        "vector(1)",
        {**labels, "sloth_spec": "openslo/v1", "sloth_objective": f"{slo.objective * 100:f}"},
    )


def recorded(slo: Slo, service: str, window: str) -> str:
    """Return the selector of the recorded error ratio of one window."""
    return f"slo:sli_error:ratio_rate{window}{{{_matchers(slo, service)}}}"


def bad_now(slo: Slo) -> str:
    """Return how many distinct things are bad now, or how many events went bad in an hour."""
    over = (lambda query: f"increase({query}[1h])") if slo.counter else (lambda query: query)
    if slo.bad is not None:
        return f"sum by (job) ({over(slo.bad)})"
    assert slo.good is not None
    return f"(sum by (job) ({over(slo.total)}) - sum by (job) ({over(slo.good)}))"


def _error_ratio(slo: Slo, window: str) -> str:
    function = "increase" if slo.counter else "avg_over_time"

    def summed(query: str) -> str:
        return f"sum by (job) ({function}({query}[{window}]))"

    total = f"({summed(slo.total)} > 0)"
    if slo.bad is not None:
        return f"{summed(slo.bad)} / {total}"
    assert slo.good is not None
    return f"clamp_min(1 - {summed(slo.good)} / {total}, 0)"


def _labels(slo: Slo, service: str) -> dict[str, str]:
    return {
        "sloth_id": f"{service}-{slo.name}",
        "sloth_service": service,
        "sloth_slo": slo.name,
    }


def _matchers(slo: Slo, service: str) -> str:
    return ", ".join(f'{key}="{value}"' for key, value in _labels(slo, service).items())
