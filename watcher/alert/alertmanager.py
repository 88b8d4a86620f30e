"""Alerts for Prometheus' Alertmanager, by its API v2."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from watcher.alert.delivery import Delivery, DeliveryResult, FollowUp, Step
from watcher.alert.digest import Digest
from watcher.alert.http import HttpEndpoint, post
from watcher.alert.message import AlertMessage
from watcher.alert.notice import Notice
from watcher.alert.render import Json, Message, one_line, render_text, subject, web_link
from watcher.domain.changes import ChangeClass

_NAMES = {
    ChangeClass.POLICY_BEARING: "PolicyBearingChange",
    ChangeClass.EDITORIAL: "EditorialChange",
    ChangeClass.COSMETIC: "CosmeticChange",
}

LASTS = timedelta(hours=24)
"""How long the alert fires. Alertmanager forgets one without an end after minutes."""


class AlertmanagerSender:
    """POSTs one alert; grouping, silences and routes are Alertmanager's."""

    def __init__(
        self,
        endpoint: HttpEndpoint,
        token: str | None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._endpoint = endpoint
        self._token = token
        self._now = now

    async def send(self, message: Message, key: str) -> Delivery:
        """POST once and judge the answer."""
        return await self._post(message, key, self._now() + LASTS)

    async def follow(self, news: FollowUp) -> Delivery:
        """Let an alert end that is resolved; Alertmanager knows no acknowledgement."""
        if news.step is Step.ACKNOWLEDGED:
            return Delivery(DeliveryResult.DELIVERED, "nothing to tell")
        return await self._post(news.about, news.key, self._now())

    async def _post(self, message: Message, key: str, ends_at: datetime) -> Delivery:
        headers = {"Content-Type": "application/json"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        alert = alertmanager_alert(message, key, ends_at)
        return await post(self._endpoint, json.dumps([alert]).encode(), headers)


def alertmanager_alert(message: Message, key: str, ends_at: datetime) -> dict[str, Json]:
    """Return the alert.

    The labels are its identity: a repeat of the same delivery is the same
    alert, and each change is one of its own, to be grouped by `document_id`.
    """
    name, labels = _named(message)
    return {
        "labels": {
            "alertname": name,
            "severity": message.severity.value,
            "document_id": subject(message),
            "owner": message.owner,
            "key": key,
            **labels,
        },
        "annotations": {
            "summary": one_line(message.first_line, 400),
            "description": render_text(message, key),
        },
        "startsAt": message.observed_at,
        "endsAt": ends_at.isoformat(),
        "generatorURL": web_link(message),
    }


def _named(message: Message) -> tuple[str, dict[str, Json]]:
    """Return the name of the alert, and the labels that only its kind has."""
    match message:
        case AlertMessage():
            return _NAMES[message.change_class], {"class": message.change_class.value}
        case Notice():
            return _notice_name(message.kind.value), {"reason": message.reason}
        case Digest():
            return "DocumentDigest", {"reason": message.reason.value}


def names_of(kind: str) -> tuple[str, ...]:
    """Return the names that alerts of a kind have at Alertmanager."""
    return tuple(_NAMES.values()) if kind == "change" else (_notice_name(kind),)


def _notice_name(kind: str) -> str:
    return "Document" + kind.title().replace("_", "")
