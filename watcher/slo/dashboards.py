"""Grafana's dashboards from their declarations, by the rules of its linter.

The rules are those of https://github.com/grafana/dashboard-linter: one data
source variable, job and instance in every selector, a title, a description and
a unit for every panel. What is recorded for each job has no instance: `lint`
names those panels with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from watcher.slo.burn import WINDOWS
from watcher.slo.documents import Tree
from watcher.slo.model import Dashboard, Panel, Row, Source

_SOURCE: Tree = {"type": "prometheus", "uid": "${datasource}"}
_SELECTED = 'job=~"$job", instance=~"$instance"'
_WIDTH = 24
_STAT_HEIGHT, _GRAPH_HEIGHT = 4, 8
_SCHEMA_VERSION = 41
RECORDED = re.compile(r"\b(?:slo:|ALERTS\b)")
"""Series that have a job and no instance."""


def dashboards(source: Source) -> dict[str, str]:
    """Return every dashboard and the linter's exclusions, by path."""
    return {
        f"dashboards/{board.uid}.json": json.dumps(_board(source, board), indent=1) + "\n"
        for board in source.dashboards
    }


def lint(source: Source) -> Tree:
    """Return the exclusions of the linter: where a rule does not fit, and why."""
    entries: list[Tree] = [
        {"dashboard": board.title, "panel": panel.title}
        for board in source.dashboards
        for row in _rows(source, board)
        for panel in row.panels
        if any(RECORDED.search(expr) for _, expr in panel.queries)
    ]
    reason = "Objectives are recorded, and alerts fire, for a job: they have no instance."
    return {"exclusions": {"target-instance-rule": {"reason": reason, "entries": entries}}}


def _rows(source: Source, board: Dashboard) -> tuple[Row, ...]:
    return (_objectives(source), *board.rows) if board.objectives else board.rows


def _objectives(source: Source) -> Row:
    """Return the panels that show every objective side by side."""
    mine = f'{{sloth_service="{source.service}"}}'
    factors = ", ".join(window.factor for window in WINDOWS)
    legend = "{{sloth_slo}}"
    days = max(slo.days for slo in source.slos)
    burn = "How many times too fast a budget is spent; alerts compare with"
    return Row(
        "Objectives",
        (
            Panel(
                "Budget left",
                f"Share of each error budget that is left of its {days} days.",
                "percentunit",
                ((legend, f"max by (sloth_slo) (slo:period_error_budget_remaining:ratio{mine})"),),
                least=None,
            ),
            Panel(
                "Burn rate of five minutes",
                f"{burn} {factors}.",
                "short",
                ((legend, f"max by (sloth_slo) (slo:current_burn_rate:ratio{mine})"),),
            ),
            Panel(
                "Bad in an hour",
                "The share that was bad in the last hour.",
                "percentunit",
                ((legend, f"max by (sloth_slo) (slo:sli_error:ratio_rate1h{mine})"),),
            ),
            Panel(
                "Alerts",
                "What fires or waits for its time; the heartbeat always fires.",
                "short",
                (
                    (
                        "{{alertname}} {{severity}} {{alertstate}}",
                        (
                            "count by (alertname, severity, alertstate)"
                            ' (ALERTS{alertname=~"Watcher.+"})'
                        ),
                    ),
                ),
            ),
        ),
    )


def _board(source: Source, board: Dashboard) -> Tree:
    return {
        "uid": board.uid,
        "title": board.title,
        "description": board.description,
        "tags": [source.service],
        "schemaVersion": _SCHEMA_VERSION,
        "version": 1,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-24h", "to": "now"},
        "timezone": "utc",
        "timepicker": {},
        "fiscalYearStartMonth": 0,
        "weekStart": "",
        "liveNow": False,
        "links": [
            {
                "title": other.title,
                "type": "link",
                "url": f"/d/{other.uid}",
                "keepTime": True,
                "includeVars": True,
                "targetBlank": False,
            }
            for other in source.dashboards
            if other is not board
        ],
        "annotations": {"list": [_restarts()]},
        "templating": {"list": [_data_source(), *_variables(source.service)]},
        "panels": list(_panels(_rows(source, board))),
    }


def _restarts() -> Tree:
    return {
        "name": "Restarts",
        "enable": True,
        "iconColor": "orange",
        "datasource": _SOURCE,
        "expr": f"changes(process_start_time_seconds{{{_SELECTED}}}[2m]) > 0",
        "step": "60s",
        "titleFormat": "Restart of {{instance}}",
    }


def _data_source() -> Tree:
    return {
        "name": "datasource",
        "label": "Data source",
        "type": "datasource",
        "query": "prometheus",
        "refresh": 1,
        "regex": "",
        "multi": False,
        "includeAll": False,
        "current": {},
        "options": [],
        "hide": 0,
        "skipUrlSync": False,
    }


def _variables(service: str) -> Iterator[Tree]:
    metric = f"{service}_build_info"
    for name, query in {
        "job": f"label_values({metric}, job)",
        "instance": f'label_values({metric}{{job=~"$job"}}, instance)',
    }.items():
        yield {
            "name": name,
            "label": name.capitalize(),
            "type": "query",
            "datasource": _SOURCE,
            "query": {"query": query, "refId": f"{name}-values"},
            "definition": query,
            "refresh": 2,
            "regex": "",
            "sort": 1,
            "multi": True,
            "includeAll": True,
            "allValue": ".+",
            "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
            "options": [],
            "hide": 0,
            "skipUrlSync": False,
        }


def _panels(rows: tuple[Row, ...]) -> Iterator[Tree]:
    """Yield every panel in its place: numbers four in a line, graphs two."""
    number, top = 0, 0
    for row in rows:
        number += 1
        yield {
            "id": number,
            "type": "row",
            "title": row.title,
            "collapsed": False,
            "gridPos": {"h": 1, "w": _WIDTH, "x": 0, "y": top},
            "panels": [],
        }
        top, left, height = top + 1, 0, 0
        for panel in row.panels:
            width = _WIDTH // 4 if panel.steps else _WIDTH // 2
            if left + width > _WIDTH:
                top, left, height = top + height, 0, 0
            number += 1
            high = _STAT_HEIGHT if panel.steps else _GRAPH_HEIGHT
            yield _panel(panel, number, {"h": high, "w": width, "x": left, "y": top})
            left, height = left + width, max(height, high)
        top += height


def _panel(panel: Panel, number: int, place: Tree) -> Tree:
    look = _stat(panel) if panel.steps else _graph(panel)
    return {
        "id": number,
        "title": panel.title,
        "description": panel.description,
        "datasource": _SOURCE,
        "gridPos": place,
        **look,
        "targets": [
            {
                "datasource": _SOURCE,
                "editorMode": "code",
                "expr": selected(expr),
                "instant": False,
                "legendFormat": legend,
                "range": True,
                "refId": chr(ord("A") + index),
            }
            for index, (legend, expr) in enumerate(panel.queries)
        ],
    }


def selected(expr: str) -> str:
    """Return a query in which every selector is of the chosen job and instance."""

    def choose(match: re.Match[str]) -> str:
        chosen = 'job=~"$job"' if RECORDED.match(match[1]) else _SELECTED
        return f"{match[1]}{{{', '.join(filter(None, (chosen, match[2])))}}}"

    return re.sub(r"([A-Za-z_:][A-Za-z0-9_:]*)\{([^{}]*)\}", choose, expr)


def _stat(panel: Panel) -> dict[str, Tree]:
    steps: list[Tree] = [{"color": color, "value": value} for color, value in panel.steps]
    return {
        "type": "stat",
        "fieldConfig": {
            "defaults": {
                "unit": panel.unit,
                "thresholds": {"mode": "absolute", "steps": steps},
                "mappings": [],
                "noValue": "none",
            },
            "overrides": [],
        },
        "options": {
            "colorMode": "value",
            "graphMode": "area",
            "justifyMode": "auto",
            "orientation": "auto",
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
            "textMode": "auto",
        },
    }


def _graph(panel: Panel) -> dict[str, Tree]:
    defaults: dict[str, Tree] = {
        "unit": panel.unit,
        "custom": {
            "drawStyle": "line",
            "fillOpacity": 10,
            "lineWidth": 1,
            "showPoints": "auto",
            "spanNulls": False,
        },
    }
    if panel.least is not None:
        defaults["min"] = panel.least
    return {
        "type": "timeseries",
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": {
            "legend": {
                "calcs": ["lastNotNull", "max"],
                "displayMode": "table",
                "placement": "bottom",
                "showLegend": True,
            },
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
    }
