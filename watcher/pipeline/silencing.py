"""Silences: here, and at every Alertmanager that was told of alerts already."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from watcher.alert.alertmanager_silences import Wanted
from watcher.alert.channels import AlertmanagerChannel
from watcher.alert.delivery import DeliveryResult
from watcher.alert.message import delivery_key
from watcher.alert.senders import build_silences
from watcher.pipeline.services import Services
from watcher.store.rows.operating import NewSilence, Silence

ReadSecret = Callable[[str], str]


async def silence(
    services: Services, said: NewSilence, read_secret: ReadSecret
) -> tuple[Silence, list[str]]:
    """Silence what `said` is meant for; return the silence, and a line for each channel.

    It holds here whether or not an Alertmanager could be told.

    Raises:
        SilenceError: something that it needs is missing.
        ConfigError: a channel's secret cannot be read; nothing was silenced.
    """
    elsewhere = [(c, build_silences(c, read_secret)) for c in _channels(services)]
    made = services.store.silences.add(said)
    lines, names = [], {}
    for channel, silences in elsewhere:
        wanted = Wanted(
            said.at,
            said.ends_at,
            said.actor,
            said.reason,
            said.document_id or "",
            said.kind.value if said.kind else "",
            delivery_key(said.key, channel.name) if said.key else "",
        )
        name, delivery = await silences.begin(wanted)
        if name:
            names[channel.name] = name
        lines.append(f"{channel.name}: {f'silence {name}' if name else delivery.detail}")
    services.store.silences.known_elsewhere(made.number, names)
    return services.store.silences.get(made.number), lines


async def unsilence(
    services: Services, number: int, actor: str, reason: str, read_secret: ReadSecret
) -> tuple[Silence, list[str]]:
    """End a silence before its time, here and where it is known under another name.

    Raises:
        UnknownSilenceError: there is none of that number.
        ConfigError: a channel's secret cannot be read; nothing was ended.
    """
    elsewhere = [(c, build_silences(c, read_secret)) for c in _channels(services)]
    ended = services.store.silences.end(number, at=services.clock.now(), actor=actor, reason=reason)
    lines = []
    for channel, silences in elsewhere:
        if name := ended.remote.get(channel.name):
            delivery = await silences.end(name)
            done = delivery.result is DeliveryResult.DELIVERED
            lines.append(f"{channel.name}: {'ended' if done else delivery.detail}")
    return ended, lines


def _channels(services: Services) -> Iterator[AlertmanagerChannel]:
    for channel in services.settings.channels:
        if isinstance(channel, AlertmanagerChannel):
            yield channel
