"""Alerts as incidents of PagerDuty, by Events API v2."""

from __future__ import annotations

import json

from watcher.alert.delivery import Delivery, FollowUp, Step
from watcher.alert.digest import Digest
from watcher.alert.http import HttpEndpoint, post
from watcher.alert.message import AlertMessage
from watcher.alert.notice import Notice
from watcher.alert.render import Json, Message, one_line, render_payload, subject, web_link
from watcher.domain.changes import Severity

_SEVERITIES = {Severity.PAGE: "critical", Severity.TICKET: "warning", Severity.INFO: "info"}
_ACTIONS = {Step.ACKNOWLEDGED: "acknowledge", Step.RESOLVED: "resolve"}
_LONGEST_SUMMARY = 1024
_LARGEST_EVENT = 500_000
"""The API takes 512 KB."""

BUSY_SECONDS = 120.0
"""After a 429, which names no time: the API's guide asks for "a few minutes"."""


class PagerDutySender:
    """Triggers one incident for each delivery; a repeat joins it by its key."""

    def __init__(self, endpoint: HttpEndpoint, routing_key: str) -> None:
        self._endpoint = endpoint
        self._routing_key = routing_key

    async def send(self, message: Message, key: str) -> Delivery:
        """POST one event and judge the answer."""
        return await self._post(pagerduty_event(message, key))

    async def follow(self, news: FollowUp) -> Delivery:
        """Acknowledge or resolve the incident of an alert."""
        return await self._post({"event_action": _ACTIONS[news.step], "dedup_key": news.key})

    async def _post(self, event: dict[str, Json]) -> Delivery:
        body = json.dumps({"routing_key": self._routing_key, **event}).encode()
        return await post(self._endpoint, body, {"Content-Type": "application/json"})


def pagerduty_event(message: Message, key: str) -> dict[str, Json]:
    """Return the event without its routing key, never larger than the API takes."""
    details: dict[str, Json] = render_payload(message, key)
    if len(json.dumps(details)) > _LARGEST_EVENT:
        for bulky in ("excerpts", "citations", "entries"):
            details.pop(bulky, None)
    payload: dict[str, Json] = {
        "summary": one_line(message.first_line, _LONGEST_SUMMARY),
        "source": subject(message),
        "severity": _SEVERITIES[message.severity],
        "timestamp": message.observed_at,
        "component": subject(message),
        "group": message.owner,
        "class": _class_of(message),
        "custom_details": details,
    }
    link = web_link(message)
    links: list[Json] = [{"href": link, "text": "Open the passage"}] if link else []
    return {"event_action": "trigger", "dedup_key": key, "payload": payload, "links": links}


def _class_of(message: Message) -> str:
    match message:
        case AlertMessage():
            return message.change_class.value
        case Notice():
            return f"document {message.kind.value}"
        case Digest():
            return "digest"
