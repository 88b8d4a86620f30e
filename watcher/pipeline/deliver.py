"""From the outbox to the channels, with retries that survive a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta

from watcher import logs
from watcher.alert.delivery import Delivery, DeliveryResult, Sender, next_attempt
from watcher.alert.message import delivery_key
from watcher.alert.senders import build_sender
from watcher.errors import WatcherError
from watcher.logs import Event
from watcher.pipeline.messages import build_message
from watcher.pipeline.services import Services
from watcher.settings import Settings
from watcher.settings.secrets import read_secret
from watcher.store.rows import Alert

_AT_ONCE = 20
_LEASE_SECONDS = 300.0
"""Longer than any channel's timeout: an alert is not claimed twice while it is sent."""
_NO_CHANNEL = Delivery(DeliveryResult.DEAD, "the channel is no longer configured")

_log = logs.get(__name__)


def build_senders(settings: Settings) -> dict[str, Sender]:
    """Return the sender of each configured channel.

    Raises:
        ConfigError: a channel's secret cannot be read.
    """
    return {
        channel.name: build_sender(channel, lambda reference: read_secret(reference).reveal())
        for channel in settings.channels
    }


async def deliver_due(services: Services, senders: Mapping[str, Sender]) -> int:
    """Make one attempt for every alert that is due; return how many there were."""
    due = await asyncio.to_thread(
        services.store.outbox.claim_due,
        services.clock.now(),
        limit=_AT_ONCE,
        lease_seconds=_LEASE_SECONDS,
    )
    async with asyncio.TaskGroup() as group:
        for alert in due:
            group.create_task(_deliver(services, senders, alert))
    return len(due)


async def _deliver(services: Services, senders: Mapping[str, Sender], alert: Alert) -> None:
    """Attempt one alert and record the outcome; a fault of ours is a retry too."""
    with logs.bound(document_id=alert.document_id, change_id=alert.change_id):
        sender = senders.get(alert.channel)
        if sender is None:
            await _finish(services, alert, _NO_CHANNEL)
            return
        started = services.clock.monotonic()
        try:
            message = await asyncio.to_thread(build_message, services, alert)
            delivery = await sender.send(message, delivery_key(alert.event_id, alert.channel))
        except WatcherError as error:
            delivery = Delivery(DeliveryResult.RETRY, str(error))
        services.metrics.delivery_duration.observe(services.clock.monotonic() - started)
        await _finish(services, alert, delivery)


async def _finish(services: Services, alert: Alert, delivery: Delivery) -> None:
    """Record what an attempt came to, and plan the next one where there is one."""
    outbox, now = services.store.outbox, services.clock.now()
    said: dict[str, object] = {"channel": alert.channel, "detail": delivery.detail}
    if delivery.result is DeliveryResult.DELIVERED:
        await asyncio.to_thread(outbox.delivered, alert.number, at=now, receipt=delivery.detail)
        _log.info(Event.ALERT_SENT, **said)
        return
    key = delivery_key(alert.event_id, alert.channel)
    wait = next_attempt(alert.attempts, delivery.retry_after, key)
    if delivery.result is DeliveryResult.DEAD or wait is None:
        await asyncio.to_thread(outbox.dead, alert.number, at=now, error=delivery.detail)
        _log.error(Event.ALERT_DEAD, **said)
        return
    services.metrics.delivery_retries.labels(alert.channel).inc()
    later = now + timedelta(seconds=wait)
    await asyncio.to_thread(outbox.retry, alert.number, not_before=later, error=delivery.detail)
    _log.warning(Event.ALERT_FAILED, wait_seconds=round(wait, 1), **said)
