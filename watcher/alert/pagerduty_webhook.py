"""What PagerDuty tells by its webhooks v3: somebody took an incident on, or ended it.

https://developer.pagerduty.com/docs/webhooks-overview: the header
`X-PagerDuty-Signature` holds one or several `v1=` and the hex HMAC-SHA256 of
the body, one for each secret that is valid while it is being changed.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from watcher.alert.delivery import Step
from watcher.errors import WatcherError

SIGNATURE_HEADER = "X-PagerDuty-Signature"
LARGEST_BODY = 512 * 1024
_MOST_SIGNATURES = 8
_STEPS = {
    "incident.acknowledged": Step.ACKNOWLEDGED,
    "incident.resolved": Step.RESOLVED,
}


class WebhookRefusedError(WatcherError):
    """The request is not from PagerDuty, or is none of its events."""

    code = "webhook_refused"


@dataclass(frozen=True, slots=True)
class Returned:
    """What became of the incident whose key is `key` (its `dedup_key`), at whose word."""

    step: Step
    key: str
    by: str


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Agent(_Shape):
    summary: str = ""
    id: str = ""


class _Incident(_Shape):
    incident_key: str | None = None


class _Event(_Shape):
    event_type: str
    agent: _Agent | None = None
    data: _Incident


class _Body(_Shape):
    event: _Event


def is_signed(secret: str, body: bytes, header: str) -> bool:
    """Tell whether one of the signatures in `header` is that of `body` by `secret`."""
    right = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode()
    told = [part.strip() for part in header.split(",")[:_MOST_SIGNATURES]]
    # Each is compared, and in constant time: the answer's time tells nothing.
    fitting = [
        hmac.compare_digest(part.removeprefix("v1=").encode("utf-8", "replace"), right)
        for part in told
        if part.startswith("v1=")
    ]
    return any(fitting)


def parse(body: bytes) -> Returned | None:
    """Return what a signed body tells; None where it is nothing that concerns alerts.

    Raises:
        WebhookRefusedError: it is not of PagerDuty's form.
    """
    try:
        event = _Body.model_validate_json(body).event
    except ValidationError:
        raise WebhookRefusedError(
            "the body is no event of PagerDuty's webhooks v3",
            hint="subscribe with version v3 of its webhooks",
        ) from None
    step = _STEPS.get(event.event_type)
    if step is None or not event.data.incident_key:
        return None
    who = event.agent.summary or event.agent.id if event.agent else ""
    return Returned(step, event.data.incident_key, f"pagerduty:{who or 'somebody'}"[:120])
