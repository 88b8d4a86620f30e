"""From the outbox to the channels, with retries that survive a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta

import structlog

from watcher.alert.delivery import DeliveryResult, Sender, next_attempt
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

log = structlog.get_logger(__name__)


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
    store, key = services.store.outbox, delivery_key(alert.event_id, alert.channel)
    bound = log.bind(document_id=alert.document_id, channel=alert.channel, event_id=alert.event_id)
    sender = senders.get(alert.channel)
    if sender is None:
        error = "the channel is no longer configured"
        await asyncio.to_thread(store.dead, alert.number, at=services.clock.now(), error=error)
        bound.error(Event.ALERT_DEAD, detail=error)
        return
    started = services.clock.monotonic()
    try:
        message = await asyncio.to_thread(build_message, services, alert)
        delivery = await sender.send(message, key)
    except WatcherError as error:
        await _again(services, alert, str(error), None)
        return
    services.metrics.delivery_duration.observe(services.clock.monotonic() - started)
    now = services.clock.now()
    match delivery.result:
        case DeliveryResult.DELIVERED:
            await asyncio.to_thread(store.delivered, alert.number, at=now, receipt=delivery.detail)
            bound.info(Event.ALERT_SENT, detail=delivery.detail)
        case DeliveryResult.DEAD:
            await asyncio.to_thread(store.dead, alert.number, at=now, error=delivery.detail)
            bound.error(Event.ALERT_DEAD, detail=delivery.detail)
        case DeliveryResult.RETRY:
            await _again(services, alert, delivery.detail, delivery.retry_after)


async def _again(services: Services, alert: Alert, detail: str, retry_after: float | None) -> None:
    """Plan the next attempt, or give up when there were enough."""
    key = delivery_key(alert.event_id, alert.channel)
    wait = next_attempt(alert.attempts, retry_after, key)
    now, outbox = services.clock.now(), services.store.outbox
    if wait is None:
        await asyncio.to_thread(outbox.dead, alert.number, at=now, error=detail)
        log.error(Event.ALERT_DEAD, channel=alert.channel, detail=detail)
        return
    services.metrics.delivery_retries.labels(alert.channel).inc()
    await asyncio.to_thread(
        outbox.retry, alert.number, not_before=now + timedelta(seconds=wait), error=detail
    )
    log.warning(
        Event.ALERT_FAILED,
        document_id=alert.document_id,
        channel=alert.channel,
        detail=detail,
        wait_seconds=round(wait, 1),
    )
