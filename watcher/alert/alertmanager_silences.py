"""Silences at Alertmanager, by its API v2: what it was told already stays silent too."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from watcher.alert.alertmanager import names_of
from watcher.alert.delivery import Delivery, DeliveryResult
from watcher.alert.http import HttpEndpoint, post
from watcher.alert.render import Json


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which alerts, by label (`kind` and `key` may be empty), from when to when, and why."""

    starts_at: datetime
    ends_at: datetime
    actor: str
    reason: str
    document_id: str = ""
    kind: str = ""
    key: str = ""


class AlertmanagerSilences:
    """Asks one Alertmanager for silences; `url` of the endpoint is its base address."""

    def __init__(self, endpoint: HttpEndpoint, token: str | None) -> None:
        self._endpoint = endpoint
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    async def begin(self, wanted: Wanted) -> tuple[str, Delivery]:
        """Ask for a silence; return its id, empty where none was made, and the answer."""
        body = json.dumps(silence_of(wanted)).encode()
        delivery = await post(self._at("silences"), body, self._headers)
        return _id_of(delivery), delivery

    async def end(self, name: str) -> Delivery:
        """End a silence; one that is over already is no fault."""
        return await post(self._at(f"silence/{name}"), b"", self._headers, method="DELETE")

    def _at(self, path: str) -> HttpEndpoint:
        return self._endpoint.below(f"api/v2/{path}")


def silence_of(wanted: Wanted) -> dict[str, Json]:
    """Return the silence in Alertmanager's form."""
    matchers: list[Json] = []
    if wanted.document_id:
        matchers.append(_matcher("document_id", wanted.document_id))
    if wanted.kind:
        matchers.append(_matcher("alertname", "|".join(names_of(wanted.kind)), regex=True))
    if wanted.key:
        matchers.append(_matcher("key", wanted.key))
    return {
        "matchers": matchers,
        "startsAt": wanted.starts_at.isoformat(),
        "endsAt": wanted.ends_at.isoformat(),
        "createdBy": wanted.actor,
        "comment": wanted.reason,
    }


def _matcher(name: str, value: str, *, regex: bool = False) -> dict[str, Json]:
    return {"name": name, "value": value, "isRegex": regex, "isEqual": True}


def _id_of(delivery: Delivery) -> str:
    if delivery.result is not DeliveryResult.DELIVERED:
        return ""
    try:
        answer = json.loads(delivery.answer)
    except ValueError:
        return ""
    name = answer.get("silenceID") if isinstance(answer, dict) else None
    return name if isinstance(name, str) else ""
