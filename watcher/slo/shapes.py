"""The shapes of the declarations, as YAML has them.

OpenSLO v1 (https://github.com/OpenSLO/OpenSLO) has no words for plain alerts,
for scenarios that prove them and for dashboards, so those are documents of
`watcher/v1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

from watcher.slo.model import RuleFile, Severity

Duration = Annotated[str, Field(pattern=r"^[1-9][0-9]*[smhd]$")]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
AlertName = Annotated[str, Field(pattern=r"^Watcher[A-Za-z]+$")]
Exact = Annotated[Decimal, BeforeValidator(str)]
"""A decimal number as it is written: 0.999 has no binary tail."""


class Strict(BaseModel):
    """Takes no key that it does not know."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True
    )


class Metadata(Strict):
    """What a document is called."""

    name: Name
    display_name: str = ""
    annotations: Mapping[str, str] = {}


class PrometheusSpec(Strict):
    """A query."""

    query: str


class MetricSource(Strict):
    """Where a metric comes from: Prometheus."""

    type: Literal["Prometheus"]
    spec: PrometheusSpec


class MetricShape(Strict):
    """One metric of a ratio."""

    metric_source: MetricSource


class RatioShape(Strict):
    """Good or bad, over total."""

    counter: bool
    good: MetricShape | None = None
    bad: MetricShape | None = None
    total: MetricShape


class IndicatorSpec(Strict):
    """What an indicator is made of."""

    ratio_metric: RatioShape


class IndicatorShape(Strict):
    """An indicator."""

    metadata: Metadata
    spec: IndicatorSpec


class TimeWindow(Strict):
    """The days of a budget."""

    duration: Annotated[str, Field(pattern=r"^[1-9][0-9]*d$")]
    is_rolling: Literal[True]


class ObjectiveShape(Strict):
    """The share that must be good."""

    target: Annotated[Exact, Field(gt=0, lt=1)]
    time_slice_window: Duration | None = None


class SloSpec(Strict):
    """One objective."""

    description: str
    service: Name
    indicator: IndicatorShape
    time_window: Annotated[list[TimeWindow], Field(min_length=1, max_length=1)]
    budgeting_method: Literal["Occurrences", "RatioTimeslices"]
    objectives: Annotated[list[ObjectiveShape], Field(min_length=1, max_length=1)]


class SloDocument(Strict):
    """An objective, as OpenSLO writes it."""

    api_version: Literal["openslo/v1"]
    kind: Literal["SLO"]
    metadata: Metadata
    spec: SloSpec


class ServiceSpec(Strict):
    """What the service is."""

    description: str


class ServiceDocument(Strict):
    """The service, as OpenSLO writes it."""

    api_version: Literal["openslo/v1"]
    kind: Literal["Service"]
    metadata: Metadata
    spec: ServiceSpec


class RuleShape(Strict):
    """One alert."""

    alert: AlertName
    expr: str
    hold: Duration | None = Field(default=None, alias="for")
    severity: Severity
    slo: Name | None = None
    summary: str
    description: str
    inhibits: list[AlertName] = []


class GroupShape(Strict):
    """Alerts that are evaluated together."""

    name: Name
    rules: Annotated[list[RuleShape], Field(min_length=1)]


class AlertsSpec(Strict):
    """Groups of alerts."""

    groups: list[GroupShape]


class AlertsDocument(Strict):
    """Alerts that no budget covers."""

    api_version: Literal["watcher/v1"]
    kind: Literal["Alerts"]
    metadata: Metadata
    spec: AlertsSpec


class ScenarioShape(Strict):
    """What differs from health, and what then fires."""

    name: str
    changed: Mapping[str, str] = {}
    at: int | None = None
    fires: list[str]


class ScenariosSpec(Strict):
    """Histories of one length, for some rules."""

    rules: Annotated[list[RuleFile], Field(min_length=1)]
    interval: Duration
    steps: int
    healthy: Mapping[str, str]
    scenarios: list[ScenarioShape]


class ScenariosDocument(Strict):
    """Histories that prove alerts."""

    api_version: Literal["watcher/v1"]
    kind: Literal["Scenarios"]
    metadata: Metadata
    spec: ScenariosSpec


class PanelShape(Strict):
    """One panel of a dashboard."""

    title: str
    says: str
    unit: str
    queries: Annotated[dict[str, str], Field(min_length=1)]
    kind: Literal["graph", "stat"] = "graph"
    steps: list[tuple[str, float | None]] = []


class RowShape(Strict):
    """Panels under one heading."""

    row: str
    panels: Annotated[list[PanelShape], Field(min_length=1)]


class DashboardShape(Strict):
    """One dashboard."""

    uid: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    title: str
    says: str
    objectives: bool = False
    rows: list[RowShape]


class DashboardsSpec(Strict):
    """Several dashboards."""

    dashboards: list[DashboardShape]


class DashboardsDocument(Strict):
    """The dashboards."""

    api_version: Literal["watcher/v1"]
    kind: Literal["Dashboards"]
    metadata: Metadata
    spec: DashboardsSpec


Document = SloDocument | ServiceDocument | AlertsDocument | ScenariosDocument | DashboardsDocument
DOCUMENT: TypeAdapter[Document] = TypeAdapter(Annotated[Document, Field(discriminator="kind")])
