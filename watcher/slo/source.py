"""Reads the declarations: OpenSLO for objectives, small kinds of ours beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import yaml  # type: ignore[import-untyped, unused-ignore]
from pydantic import ValidationError

from watcher.errors import ConfigError
from watcher.slo.model import (
    AlertGroup,
    AlertRule,
    BurnPolicy,
    Dashboard,
    Panel,
    Row,
    Scenario,
    Severity,
    Slo,
    Source,
    Suite,
)
from watcher.slo.shapes import (
    DOCUMENT,
    AlertsDocument,
    DashboardsDocument,
    DashboardShape,
    Document,
    GroupShape,
    MetricShape,
    ScenariosDocument,
    ScenarioShape,
    ServiceDocument,
    SloDocument,
)

SELECTOR = re.compile(r"[a-z_:]+\{[^{}]*\}")


def parse_source(files: Mapping[str, str]) -> Source:
    """Return what the YAML `files` (text by name) declare together.

    Raises `ConfigError` that names the file and the key.
    """
    documents = [
        document for name, text in sorted(files.items()) for document in _documents(name, text)
    ]
    services = [d for d in documents if isinstance(d, ServiceDocument)]
    if len(services) != 1:
        raise ConfigError(
            f"{len(services)} documents of the kind Service are declared", hint="declare one"
        )
    metadata = services[0].metadata
    source = Source(
        service=metadata.name,
        runbooks=metadata.annotations.get("watcher/runbooks", ""),
        slos=tuple(_slo(d) for d in documents if isinstance(d, SloDocument)),
        groups=tuple(
            _group(group)
            for d in documents
            if isinstance(d, AlertsDocument)
            for group in d.spec.groups
        ),
        suites=(),
    )
    severities = _severities(source)
    suites = tuple(_suite(d, severities) for d in documents if isinstance(d, ScenariosDocument))
    for rule in source.declared():
        for target in rule.inhibits:
            if target not in severities:
                raise ConfigError(f"{rule.name} inhibits {target}, which is no alert")
    boards = tuple(
        _dashboard(board)
        for d in documents
        if isinstance(d, DashboardsDocument)
        for board in d.spec.dashboards
    )
    return replace(source, suites=suites, dashboards=boards)


def _documents(name: str, text: str) -> list[Document]:
    try:
        return [DOCUMENT.validate_python(raw) for raw in yaml.safe_load_all(text)]
    except yaml.YAMLError as error:
        raise ConfigError(f"{name} is not YAML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{name}: {key}: {first['msg']}", hint="correct that key") from None


def _slo(document: SloDocument) -> Slo:
    spec, name = document.spec, document.metadata.name
    ratio = spec.indicator.spec.ratio_metric
    if (ratio.good is None) == (ratio.bad is None):
        raise ConfigError(f"{name}: either good or bad must be given", hint="keep one of them")
    if ratio.counter != (spec.budgeting_method == "Occurrences"):
        raise ConfigError(
            f"{name}: counters are budgeted by Occurrences, states by RatioTimeslices",
            hint="change counter or budgetingMethod",
        )
    return Slo(
        name=name,
        title=document.metadata.display_name or name,
        description=spec.description,
        objective=spec.objectives[0].target,
        days=int(spec.time_window[0].duration[:-1]),
        good=_selector(name, ratio.good),
        bad=_selector(name, ratio.bad),
        total=_selector(name, ratio.total) or "",
        counter=ratio.counter,
        burn=_burn(name, document.metadata.annotations),
    )


def _selector(name: str, metric: MetricShape | None) -> str | None:
    """Return the query, which a window is put behind and which must bear that."""
    if metric is None:
        return None
    query = metric.metric_source.spec.query.strip()
    if not SELECTOR.fullmatch(query):
        raise ConfigError(
            f"{name}: {query!r} is not a plain selector", hint='write metric{label="value"}'
        )
    return query


def _burn(name: str, annotations: Mapping[str, str]) -> BurnPolicy | None:
    if "watcher/alert" not in annotations:
        return None

    def number(key: str) -> int | None:
        return int(annotations[key]) if key in annotations else None

    try:
        return BurnPolicy(
            alert=annotations["watcher/alert"],
            subject=annotations["watcher/subject"],
            consequence=annotations["watcher/consequence"],
            min_bad=number("watcher/min-bad"),
            min_hourly=number("watcher/min-hourly"),
        )
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{name}: annotations of an alert: {error}") from None


def _group(group: GroupShape) -> AlertGroup:
    return AlertGroup(
        group.name,
        tuple(
            AlertRule(
                name=rule.alert,
                expr=rule.expr.strip(),
                hold=rule.hold,
                severity=rule.severity,
                slo=rule.slo,
                summary=rule.summary.strip(),
                description=rule.description.strip(),
                inhibits=tuple(rule.inhibits),
            )
            for rule in group.rules
        ),
    )


def _dashboard(board: DashboardShape) -> Dashboard:
    return Dashboard(
        board.uid,
        board.title,
        board.says,
        board.objectives,
        tuple(
            Row(
                row.row,
                tuple(
                    Panel(
                        panel.title,
                        panel.says,
                        panel.unit,
                        tuple(panel.queries.items()),
                        tuple(panel.steps) if panel.kind == "stat" else (),
                    )
                    for panel in row.panels
                ),
            )
            for row in board.rows
        ),
    )


def _severities(source: Source) -> dict[str, tuple[Severity, ...]]:
    """Return with which severities each alert can fire; names must be unique."""
    found: dict[str, tuple[Severity, ...]] = {}
    for rule in source.declared():
        if rule.name in found:
            raise ConfigError(f"{rule.name} is declared twice", hint="rename one of them")
        found[rule.name] = (rule.severity,)
    for slo in source.slos:
        if slo.burn is not None:
            if slo.burn.alert in found:
                raise ConfigError(f"{slo.burn.alert} is declared twice")
            found[slo.burn.alert] = (Severity.PAGE, Severity.TICKET)
    return found


def _suite(document: ScenariosDocument, severities: dict[str, tuple[Severity, ...]]) -> Suite:
    spec = document.spec

    def fires(name: str) -> tuple[str, Severity]:
        alert, _, severity = name.partition(":")
        known = severities.get(alert, ())
        if severity:
            known = tuple(each for each in known if each.value == severity)
        if len(known) != 1:
            raise ConfigError(
                f"scenarios: {name} is not one alert of one severity",
                hint="write Name, or Name:page and Name:ticket where it has both",
            )
        return alert, known[0]

    return Suite(
        name=document.metadata.name,
        rules=tuple(spec.rules),
        interval=spec.interval,
        steps=spec.steps,
        healthy=spec.healthy,
        scenarios=tuple(_scenario(each, spec.steps, fires) for each in spec.scenarios),
    )


def _scenario(
    scenario: ScenarioShape, steps: int, fires: Callable[[str], tuple[str, Severity]]
) -> Scenario:
    at = steps if scenario.at is None else scenario.at
    if not 0 < at <= steps:
        raise ConfigError(f"scenarios: {scenario.name}: at must be within 1 and {steps}")
    return Scenario(scenario.name, scenario.changed, at, tuple(map(fires, scenario.fires)))
