"""What the reliability of the service is held to: objectives, alerts, scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Severity(StrEnum):
    """Whom an alert reaches: a person at once, a person in the morning, a machine."""

    PAGE = "page"
    TICKET = "ticket"
    NONE = "none"


class RuleFile(StrEnum):
    """The two generated files of rules."""

    ALERTS = "alerts"
    OBJECTIVES = "objectives"


@dataclass(frozen=True, slots=True)
class BurnPolicy:
    """How one objective alerts on the pace at which its budget is spent.

    `min_bad` keeps it silent while fewer than so many distinct things are bad:
    one broken record of a small corpus burns fast and is still one record.
    `min_hourly` keeps it silent below so many events an hour, where a ratio
    says nothing. `subject` is what the ratio counts, in the plural.
    """

    alert: str
    subject: str
    consequence: str
    min_bad: int | None
    min_hourly: int | None


@dataclass(frozen=True, slots=True)
class Slo:
    """One objective over `days`: the share of `total` that must not be bad.

    Either `good` or `bad` is given, each a plain selector of one metric.
    `counter` says whether the metrics count events or show a state.
    """

    name: str
    title: str
    description: str
    objective: Decimal
    days: int
    good: str | None
    bad: str | None
    total: str
    counter: bool
    burn: BurnPolicy | None

    @property
    def budget(self) -> Decimal:
        """Return the share that may be bad."""
        return 1 - self.objective


@dataclass(frozen=True, slots=True)
class AlertRule:
    """One alert. `hold` is how long it must be true, as Prometheus writes it.

    `inhibits` names the alerts that say nothing new while this one fires.
    """

    name: str
    expr: str
    hold: str | None
    severity: Severity
    slo: str | None
    summary: str
    description: str
    inhibits: tuple[str, ...] = ()

    @property
    def dedup_key(self) -> str:
        """Return what is the same for one fault, whoever evaluates the rule."""
        return "/".join(filter(None, (self.name, self.slo, self.severity.value)))


@dataclass(frozen=True, slots=True)
class AlertGroup:
    """Alerts that are evaluated together."""

    name: str
    rules: tuple[AlertRule, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What differs from health, and exactly what then fires at step `at`."""

    name: str
    changed: Mapping[str, str]
    at: int
    fires: tuple[tuple[str, Severity], ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """Scenarios over `steps` steps of `interval`, as promtool writes it, for some rules."""

    name: str
    rules: tuple[RuleFile, ...]
    interval: str
    steps: int
    healthy: Mapping[str, str]
    scenarios: tuple[Scenario, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """What is drawn together: queries by legend. With `steps` (colour from a value on) a number.

    `least` is the lower end of the axis, None where it follows the values.
    """

    title: str
    description: str
    unit: str
    queries: tuple[tuple[str, str], ...]
    steps: tuple[tuple[str, float | None], ...] = ()
    least: float | None = 0


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """One dashboard; `objectives` puts those first."""

    uid: str
    title: str
    description: str
    objectives: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Everything that is declared, and where its readers find help."""

    service: str
    runbooks: str
    slos: tuple[Slo, ...]
    groups: tuple[AlertGroup, ...]
    suites: tuple[Suite, ...]
    dashboards: tuple[Dashboard, ...] = ()

    def declared(self) -> Iterator[AlertRule]:
        """Yield the alerts that are written out, in their order."""
        for group in self.groups:
            yield from group.rules
