"""Alerts on the pace at which an error budget is spent.

The windows and factors are those of the Site Reliability Workbook, chapter 5
(multiwindow, multi-burn-rate alerts): 2 % of a 30-day budget in an hour or 5 % in
six page; 10 % in one day or in three make a ticket.
"""

from __future__ import annotations

from dataclasses import dataclass

from watcher.slo.model import AlertRule, Severity, Slo
from watcher.slo.recording import bad_now, recorded


@dataclass(frozen=True, slots=True)
class BurnWindow:
    """Both windows must burn faster than `factor`: the short one ends the alert soon."""

    severity: Severity
    factor: str
    long: str
    short: str


WINDOWS = (
    BurnWindow(Severity.PAGE, "14.4", "1h", "5m"),
    BurnWindow(Severity.PAGE, "6", "6h", "30m"),
    BurnWindow(Severity.TICKET, "3", "1d", "2h"),
    BurnWindow(Severity.TICKET, "1", "3d", "6h"),
)

HOLD = {Severity.PAGE: None, Severity.TICKET: "30m"}
"""A page has no `for`: the guard is what keeps it from crying for nothing."""


def burn_alerts(slo: Slo, service: str) -> tuple[AlertRule, ...]:
    """Return the page and the ticket of an objective, or nothing where it has none."""
    if slo.burn is None:
        return ()
    return tuple(
        AlertRule(
            name=slo.burn.alert,
            expr=_expression(slo, service, severity),
            hold=HOLD[severity],
            severity=severity,
            slo=slo.name,
            summary=f"Too many {slo.burn.subject} are bad: {slo.title.lower()} burns its budget",
            description=(
                f"{{{{ $value | humanizePercentage }}}} of {slo.burn.subject} are bad; "
                f"{slo.budget * 100:f} % may be over {slo.days} days. {slo.burn.consequence}"
            ),
        )
        for severity in (Severity.PAGE, Severity.TICKET)
    )


def _expression(slo: Slo, service: str, severity: Severity) -> str:
    pairs = "\nor\n".join(
        f"{_over(slo, service, window.short, window.factor)}\nand\n"
        f"{_over(slo, service, window.long, window.factor)}"
        for window in WINDOWS
        if window.severity is severity
    )
    return "\n".join([f"(\n{pairs}\n)", *_guards(slo)])


def _over(slo: Slo, service: str, window: str, factor: str) -> str:
    return (
        f"max without (sloth_window) ({recorded(slo, service, window)} > {factor} * {slo.budget:f})"
    )


INTERNAL = 'watcher_slo_evaluator{job="watcher", evaluator="internal"} == 1'
"""True of a daemon that evaluates its budgets by itself: nobody is paged twice."""


def _guards(slo: Slo) -> list[str]:
    assert slo.burn is not None
    guards = [f"unless on (job) {INTERNAL}"]
    if slo.burn.min_bad is not None:
        guards.append(f"and on (job) {bad_now(slo)} >= {slo.burn.min_bad}")
    if slo.burn.min_hourly is not None:
        guards.append(
            f"and on (job) sum by (job) (increase({slo.total}[1h])) >= {slo.burn.min_hourly}"
        )
    return guards
