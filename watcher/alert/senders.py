"""From a channel's settings to its sender: the only place that knows all kinds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import assert_never

from watcher.alert.channels import Channel, ConsoleChannel, WebhookChannel
from watcher.alert.console import ConsoleSender
from watcher.alert.delivery import Delivery, Sender
from watcher.alert.http import HttpEndpoint
from watcher.alert.render import Message
from watcher.alert.webhook import WebhookSender

ReadSecret = Callable[[str], str]
"""Returns the secret that a reference names; raises ConfigError where there is none."""


def build_sender(channel: Channel, read_secret: ReadSecret) -> Sender:
    """Return the sender of `channel`, whose secrets are read now.

    Raises:
        ConfigError: a secret that the channel refers to cannot be read.
    """
    sender = _of_kind(channel, read_secret)
    return sender if channel.include_passages else _Withholding(sender)


def _of_kind(channel: Channel, read_secret: ReadSecret) -> Sender:
    match channel:
        case ConsoleChannel():
            return ConsoleSender(sys.stdout)
        case WebhookChannel():
            secret = read_secret(channel.secret) if channel.secret else None
            secrets = (secret,) if secret else ()
            endpoint = HttpEndpoint(str(channel.url), channel.timeout_seconds, secrets)
            return WebhookSender(endpoint, secret)
        case _:
            assert_never(channel)


class _Withholding:
    """Takes every word of the document out before an alert reaches its sender."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    async def send(self, message: Message, key: str) -> Delivery:
        return await self._sender.send(message.withheld(), key)
