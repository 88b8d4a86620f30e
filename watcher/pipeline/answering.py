"""What became of an alert: somebody took it on, or its reason is over.

Each is recorded once and told to the channels whose receivers keep a state for
each alert, through the same outbox. What comes from a channel is not told back
to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from datetime import timedelta

from watcher.alert.delivery import Step
from watcher.alert.message import delivery_key
from watcher.alert.pagerduty_webhook import (
    LARGEST_BODY,
    Returned,
    WebhookRefusedError,
    is_signed,
    parse,
)
from watcher.domain.changes import Severity
from watcher.pipeline.services import Services
from watcher.store.rows import Alert, AlertKind, AlertState, NewAlert

_UNDER_WAY = timedelta(minutes=5)
"""What is being sent is over after this: then the receiver can be told more."""
_SEARCHED = 20_000
_KINDS = {Step.ACKNOWLEDGED: AlertKind.ACKNOWLEDGED, Step.RESOLVED: AlertKind.RESOLVED}
FOLLOWING = {"pagerduty": set(Step), "alertmanager": {Step.RESOLVED}}
"""By kind of channel, what its receiver is told of an alert after it was delivered."""


def acknowledge(services: Services, number: int, actor: str, *, heard_from: str = "") -> None:
    """Record that `actor` took an alert on; the first one stays.

    Raises:
        UnknownAlertError: there is none of that number.
    """
    alert = services.store.outbox.get(number)
    services.store.outbox.ack(number, at=services.clock.now(), actor=actor)
    if alert.acked_at is None:
        after = services.store.outbox.get(number)
        _tell(services, [after], Step.ACKNOWLEDGED, heard_from)


def resolve(services: Services, event_id: str, by: str, *, heard_from: str = "") -> int:
    """Record that what an event told is over; return how many alerts of it were open."""
    now = services.clock.now()
    alerts = services.store.outbox.resolve(event_id, at=now, by=by)
    _tell(services, alerts, Step.RESOLVED, heard_from)
    return len(alerts)


def take_pagerduty(
    services: Services, body: bytes, signature: str, read_secret: Callable[[str], str]
) -> str:
    """Take a request of PagerDuty's webhook; return in one line what came of it.

    `signature` is the header of that name. A repeat changes nothing.

    Raises:
        WebhookRefusedError: no channel's `webhook_secret` signed it, or it is no event.
        ConfigError: a channel's secret cannot be read.
    """
    signed = [
        channel.name
        for channel in services.settings.channels
        if channel.kind == "pagerduty"
        and channel.webhook_secret is not None
        and len(body) <= LARGEST_BODY
        and is_signed(read_secret(channel.webhook_secret), body, signature)
    ]
    if not signed:
        raise WebhookRefusedError(
            "no channel's webhook_secret signed this request",
            hint="put the secret of the webhook subscription into the channel's webhook_secret",
        )
    returned = parse(body)
    if returned is None:
        return "nothing that concerns an alert"
    for channel in signed:
        alert = _find(services, channel, returned)
        if alert is not None:
            _record(services, alert, returned)
            return f"{returned.step.value} alert {alert.number}"
    return "no alert has that key"


def _record(services: Services, alert: Alert, returned: Returned) -> None:
    if returned.step is Step.ACKNOWLEDGED:
        acknowledge(services, alert.number, returned.by, heard_from=alert.channel)
    else:
        resolve(services, alert.event_id, returned.by, heard_from=alert.channel)


def _find(services: Services, channel: str, returned: Returned) -> Alert | None:
    known = services.store.outbox.list(channel=channel, limit=_SEARCHED)
    return next((a for a in known if delivery_key(a.event_id, a.channel) == returned.key), None)


def _tell(services: Services, alerts: Iterable[Alert], step: Step, heard_from: str) -> None:
    now = services.clock.now()
    following = {
        channel.name
        for channel in services.settings.channels
        if step in FOLLOWING.get(channel.kind, ()) and channel.name != heard_from
    }
    services.store.outbox.add(
        NewAlert(
            event_id=hashlib.sha256(f"{alert.event_id}\n{step.value}".encode()).hexdigest(),
            channel=alert.channel,
            kind=_KINDS[step],
            document_id=alert.document_id,
            severity=Severity.INFO,
            at=now,
            not_before=now if alert.state is AlertState.DELIVERED else now + _UNDER_WAY,
            reason=alert.event_id,
        )
        for alert in alerts
        if alert.channel in following
        and alert.state in {AlertState.DELIVERED, AlertState.PENDING}
        and not alert.kind.follows_up
    )
