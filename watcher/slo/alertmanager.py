"""An example for Alertmanager: who is told, how often, and what is not repeated."""

from __future__ import annotations

from collections.abc import Iterable

from watcher.slo.documents import Tree
from watcher.slo.model import AlertRule, Severity


def alertmanager(alerts: Iterable[AlertRule]) -> Tree:
    """Return the configuration; addresses and keys are files that the operator writes.

    What the daemon itself sends has a `document_id`: a change is grouped by its
    document, so that a storm over few documents is few notifications.
    """
    every = tuple(alerts)
    heartbeats = [rule.name for rule in every if rule.severity is Severity.NONE]
    routes: list[Tree] = [
        {
            "receiver": "dead-man",
            "matchers": [f'alertname=~"{"|".join(heartbeats)}"'],
            "group_wait": "0s",
            "group_interval": "1m",
            "repeat_interval": "5m",
        },
        {
            "receiver": "pages",
            "matchers": ['severity="page"', 'document_id=~".+"'],
            "group_by": ["document_id"],
        },
        {"receiver": "pages", "matchers": ['severity="page"']},
        {
            "receiver": "tickets",
            "matchers": ['document_id=~".+"'],
            "group_by": ["document_id"],
            "active_time_intervals": ["office-hours"],
        },
        {
            "receiver": "tickets",
            "matchers": ['severity=~"ticket|info"'],
            "active_time_intervals": ["office-hours"],
        },
    ]
    return {
        "route": {
            # Whatever matches no route wakes a person: nothing goes nowhere.
            "receiver": "pages",
            "group_by": ["alertname", "job", "slo"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "12h",
            "routes": routes,
        },
        "time_intervals": [_office_hours()],
        "inhibit_rules": _inhibitions(every),
        "receivers": _receivers(),
    }


def _office_hours() -> Tree:
    return {
        "name": "office-hours",
        "time_intervals": [
            {
                "weekdays": ["monday:friday"],
                "times": [{"start_time": "08:00", "end_time": "18:00"}],
                "location": "UTC",
            }
        ],
    }


def _inhibitions(alerts: Iterable[AlertRule]) -> list[Tree]:
    """Return what keeps still while its cause fires, of the same job only."""
    rules: list[Tree] = [
        {
            "source_matchers": ['severity="page"', 'slo=~".+"'],
            "target_matchers": ['severity="ticket"', 'slo=~".+"'],
            "equal": ["job", "slo"],
        }
    ]
    rules += [
        {
            "source_matchers": [f'alertname="{rule.name}"'],
            "target_matchers": [f'alertname=~"{"|".join(rule.inhibits)}"'],
            "equal": ["job"],
        }
        for rule in alerts
        if rule.inhibits
    ]
    return rules


def _receivers() -> list[Tree]:
    return [
        {
            "name": "dead-man",
            "webhook_configs": [
                {"url": "http://127.0.0.1:9465/heartbeat", "send_resolved": False, "max_alerts": 50}
            ],
        },
        {
            "name": "pages",
            "pagerduty_configs": [{"routing_key_file": "/etc/alertmanager/pagerduty-routing-key"}],
        },
        {
            "name": "tickets",
            "slack_configs": [
                {
                    "api_url_file": "/etc/alertmanager/slack-url",
                    "channel": "#watcher",
                    "send_resolved": True,
                }
            ],
        },
    ]
