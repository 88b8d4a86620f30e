"""From a channel's settings to its sender: the only place that knows all kinds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import assert_never
from urllib.parse import urlsplit

from watcher.alert.alertmanager import AlertmanagerSender
from watcher.alert.channels import (
    AlertmanagerChannel,
    Channel,
    ConsoleChannel,
    EmailChannel,
    PagerDutyChannel,
    SlackChannel,
    WebhookChannel,
    is_loopback,
)
from watcher.alert.console import ConsoleSender
from watcher.alert.delivery import Delivery, Sender
from watcher.alert.http import HttpEndpoint
from watcher.alert.mail import MailSender, MailServer
from watcher.alert.pagerduty import BUSY_SECONDS, PagerDutySender
from watcher.alert.render import Message
from watcher.alert.slack import SlackSender
from watcher.alert.webhook import WebhookSender
from watcher.errors import ConfigError

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
            return WebhookSender(_endpoint(channel, str(channel.url), secret), secret)
        case PagerDutyChannel():
            key = read_secret(channel.routing_key)
            endpoint = _endpoint(channel, str(channel.url), key)
            return PagerDutySender(replace(endpoint, busy_seconds=BUSY_SECONDS), key)
        case SlackChannel():
            return SlackSender(_endpoint(channel, _secret_url(channel, read_secret), None))
        case AlertmanagerChannel():
            token = read_secret(channel.token) if channel.token else None
            url = str(channel.url).rstrip("/") + "/api/v2/alerts"
            return AlertmanagerSender(_endpoint(channel, url, token), token)
        case EmailChannel():
            return MailSender(_mail_server(channel, read_secret))
        case _:
            assert_never(channel)


HttpChannel = WebhookChannel | PagerDutyChannel | SlackChannel | AlertmanagerChannel


def _endpoint(channel: HttpChannel, url: str, secret: str | None) -> HttpEndpoint:
    return HttpEndpoint(
        url=url,
        timeout_seconds=channel.timeout_seconds,
        secrets=(secret,) if secret else (),
        proxy=str(channel.proxy) if channel.proxy else None,
    )


def _secret_url(channel: SlackChannel, read_secret: ReadSecret) -> str:
    """Return the address that a secret holds; its own words stay out of the error.

    Raises:
        ConfigError: it is not an address to which alerts may be sent.
    """
    url = read_secret(channel.url)
    parts = urlsplit(url)
    private = parts.scheme == "https" or is_loopback(parts.hostname or "")
    if not private or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"channel {channel.name}: what {channel.url} holds is not an https address",
            hint="put the whole webhook address there, as Slack shows it",
        )
    return url


def _mail_server(channel: EmailChannel, read_secret: ReadSecret) -> MailServer:
    return MailServer(
        host=channel.host,
        port=channel.port,
        security=channel.security,
        timeout_seconds=channel.timeout_seconds,
        sender=channel.sender,
        recipients=channel.recipients,
        user=channel.user,
        password=read_secret(channel.password) if channel.password else None,
    )


class _Withholding:
    """Takes every word of the document out before an alert reaches its sender."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    async def send(self, message: Message, key: str) -> Delivery:
        return await self._sender.send(message.withheld(), key)
