"""From the outbox to the channels, with retries that survive a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial

from watcher import logs
from watcher.alert.delivery import (
    Delivery,
    DeliveryResult,
    Follower,
    FollowUp,
    Sender,
    Step,
    next_attempt,
)
from watcher.alert.digest import DigestReason, digest_key
from watcher.alert.message import delivery_key
from watcher.alert.senders import build_sender
from watcher.errors import WatcherError
from watcher.logs import Event
from watcher.pipeline.digesting import build_digest
from watcher.pipeline.messages import build_message
from watcher.pipeline.services import Services
from watcher.settings import Settings
from watcher.settings.secrets import read_secret
from watcher.store.rows import Alert

_AT_ONCE = 200
STORM = 5
"""More alerts than this, due at once on one channel, go out as one message."""
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
        channel.name: build_sender(channel, partial(_reveal, f"channel {channel.name}"))
        for channel in settings.channels
    }


def _reveal(wanted_by: str, reference: str) -> str:
    return read_secret(reference, wanted_by).reveal()


async def deliver_due(services: Services, senders: Mapping[str, Sender]) -> int:
    """Make one attempt for every alert that is due; return how many there were."""
    due = await asyncio.to_thread(
        services.store.outbox.claim_due,
        services.clock.now(),
        limit=_AT_ONCE,
        lease_seconds=_LEASE_SECONDS,
    )
    by_channel: dict[str, list[Alert]] = {}
    follow_ups = [alert for alert in due if alert.kind.follows_up]
    alerts = await _silence(services, [alert for alert in due if not alert.kind.follows_up])
    for alert in await _postpone_quiet(services, alerts):
        by_channel.setdefault(alert.channel, []).append(alert)
    async with asyncio.TaskGroup() as group:
        for alert in follow_ups:
            group.create_task(_deliver(services, senders.get(alert.channel), [alert]))
        for channel, alerts in by_channel.items():
            storm = len(alerts) > STORM
            for together in [alerts] if storm else [[alert] for alert in alerts]:
                group.create_task(_deliver(services, senders.get(channel), together))
    return len(due)


async def _silence(services: Services, due: Sequence[Alert]) -> list[Alert]:
    """Put what a silence is meant for into the digest; return the others."""
    now = services.clock.now()
    silences = await asyncio.to_thread(services.store.silences.active, now) if due else ()
    loud = []
    for alert in due:
        meant = next((s for s in silences if s.said.matches(alert)), None)
        if meant is None:
            loud.append(alert)
            continue
        await asyncio.to_thread(services.store.outbox.silence, alert.number, meant.number, at=now)
        with logs.bound(document_id=alert.document_id, change_id=alert.change_id):
            _log.info(Event.ALERT_SILENCED, channel=alert.channel, silence=meant.number)
    return loud


async def _postpone_quiet(services: Services, due: Sequence[Alert]) -> list[Alert]:
    """Postpone what comes in a channel's quiet hours; return the others."""
    channels = {channel.name: channel for channel in services.settings.channels}
    now, loud = services.clock.now(), []
    for alert in due:
        channel = channels.get(alert.channel)
        until = channel.quiet_until(alert.severity, now) if channel else now
        if until == now:
            loud.append(alert)
            continue
        reason = f"quiet hours until {until.isoformat()}"
        await asyncio.to_thread(
            services.store.outbox.postpone, alert.number, until=until, reason=reason
        )
    return loud


async def deliver_digests(services: Services, senders: Mapping[str, Sender]) -> None:
    """Send each channel what has waited since its last digest, once a day at its time."""
    outbox = services.store.outbox
    times = {channel.name: channel.digest for channel in services.settings.channels}
    for channel, sender in senders.items():
        waiting = await asyncio.to_thread(outbox.digest, channel)
        now = services.clock.now()
        if not waiting or waiting[0].created_at >= times[channel].last(now):
            continue
        delivery = await _attempt(services, sender, waiting, DigestReason.ROUTINE)
        said: dict[str, object] = {"channel": channel, "detail": delivery.detail}
        numbers = [alert.number for alert in waiting]
        if delivery.result is DeliveryResult.RETRY:
            _log.warning(Event.ALERT_FAILED, **said)
            continue
        if delivery.result is DeliveryResult.DELIVERED:
            await asyncio.to_thread(outbox.digested, numbers, at=now, receipt=delivery.detail)
            _log.info(Event.ALERT_SENT, digest=len(numbers), **said)
            continue
        for number in numbers:
            await asyncio.to_thread(outbox.dead, number, at=now, error=delivery.detail)
        _log.error(Event.ALERT_DEAD, digest=len(numbers), **said)


async def _deliver(services: Services, sender: Sender | None, alerts: Sequence[Alert]) -> None:
    """Attempt one alert, or the many of a storm, and record the outcome of each."""
    one = alerts[0] if len(alerts) == 1 else None
    with logs.bound(
        document_id=one.document_id if one else None, change_id=one.change_id if one else None
    ):
        delivery = _NO_CHANNEL
        if sender is not None:
            delivery = await _attempt(services, sender, alerts, DigestReason.STORM)
        key = _key_of(alerts)
        for alert in alerts:
            await _finish(services, alert, delivery, key)


async def _attempt(
    services: Services, sender: Sender, alerts: Sequence[Alert], reason: DigestReason
) -> Delivery:
    """Send one message with all of `alerts`; a fault of ours is a retry too."""
    single = len(alerts) == 1 and reason is DigestReason.STORM
    started = services.clock.monotonic()
    try:
        if single and alerts[0].kind.follows_up:
            return await _follow_up(services, sender, alerts[0])
        if single:
            message = await asyncio.to_thread(build_message, services, alerts[0])
        else:
            message = await asyncio.to_thread(build_digest, services, reason, alerts)
        return await sender.send(message, _key_of(alerts))
    except WatcherError as error:
        return Delivery(DeliveryResult.RETRY, str(error))
    except Exception as error:  # noqa: BLE001 - one alert's fault must not stop the others
        _log.exception(Event.ALERT_FAILED, channel=alerts[0].channel)
        return Delivery(DeliveryResult.RETRY, f"a fault of the watcher: {type(error).__name__}")
    finally:
        services.metrics.delivery_duration.observe(services.clock.monotonic() - started)


async def _follow_up(services: Services, sender: Sender, alert: Alert) -> Delivery:
    """Tell a receiver what became of an alert that it has."""
    if not isinstance(sender, Follower):
        return Delivery(DeliveryResult.DEAD, "this channel's receiver keeps no state")
    known = await asyncio.to_thread(services.store.outbox.find, alert.reason, alert.channel)
    about = await asyncio.to_thread(build_message, services, known)
    step = Step(alert.kind.value)
    by = known.acked_by if step is Step.ACKNOWLEDGED else known.resolved_by
    key = delivery_key(known.event_id, known.channel)
    return await sender.follow(FollowUp(step, key, by, about))


def _key_of(alerts: Sequence[Alert]) -> str:
    keys = [delivery_key(alert.event_id, alert.channel) for alert in alerts]
    return keys[0] if len(keys) == 1 else digest_key(keys)


async def _finish(services: Services, alert: Alert, delivery: Delivery, key: str) -> None:
    """Record what an attempt came to, and plan the next one where there is one.

    `key` is the attempt's: what was sent together comes back together.
    """
    outbox, now = services.store.outbox, services.clock.now()
    said: dict[str, object] = {"channel": alert.channel, "detail": delivery.detail}
    if delivery.result is DeliveryResult.DELIVERED:
        await asyncio.to_thread(outbox.delivered, alert.number, at=now, receipt=delivery.detail)
        _log.info(Event.ALERT_SENT, **said)
        return
    wait = next_attempt(alert.attempts, delivery.retry_after, key)
    if delivery.result is DeliveryResult.DEAD or wait is None:
        await asyncio.to_thread(outbox.dead, alert.number, at=now, error=delivery.detail)
        _log.error(Event.ALERT_DEAD, **said)
        return
    services.metrics.delivery_retries.labels(alert.channel).inc()
    later = now + timedelta(seconds=wait)
    await asyncio.to_thread(outbox.retry, alert.number, not_before=later, error=delivery.detail)
    _log.warning(Event.ALERT_FAILED, wait_seconds=round(wait, 1), **said)
