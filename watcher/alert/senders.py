"""From a channel's settings to its sender: the only place that knows all kinds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, assert_never
from urllib.parse import urlsplit

from watcher.alert.alertmanager import AlertmanagerSender
from watcher.alert.alertmanager_silences import AlertmanagerSilences
from watcher.alert.by_apprise import AppriseSender
from watcher.alert.channels import (
    AlertmanagerChannel,
    AppriseChannel,
    Channel,
    ConsoleChannel,
    EmailChannel,
    PagerDutyChannel,
    SlackChannel,
    WebhookChannel,
    is_loopback,
)
from watcher.alert.console import ConsoleSender
from watcher.alert.delivery import Delivery, Follower, FollowUp, Sender
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
    if channel.include_passages:
        return sender
    return _WithholdingFollower(sender) if isinstance(sender, Follower) else _Withholding(sender)


def _of_kind(channel: Channel, read_secret: ReadSecret) -> Sender:
    match channel:
        case ConsoleChannel():
            return ConsoleSender(sys.stdout)
        case AppriseChannel():
            url = read_secret(channel.url)
            return AppriseSender(channel.name, url, channel.timeout_seconds)
        case EmailChannel():
            return MailSender(_mail_server(channel, read_secret))
        case _:
            return _over_http(channel, read_secret)


def _over_http(channel: HttpChannel, read_secret: ReadSecret) -> Sender:
    match channel:
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
        case _:
            assert_never(channel)


def build_silences(channel: AlertmanagerChannel, read_secret: ReadSecret) -> AlertmanagerSilences:
    """Return the means to silence what an Alertmanager was told.

    Raises:
        ConfigError: its token cannot be read.
    """
    token = read_secret(channel.token) if channel.token else None
    return AlertmanagerSilences(_endpoint(channel, str(channel.url), token), token)


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


class _FollowingSender(Sender, Follower, Protocol):
    """A sender that can also tell what became of an alert."""


class _WithholdingFollower(_Withholding):
    """The same for a sender that follows up."""

    def __init__(self, sender: _FollowingSender) -> None:
        super().__init__(sender)
        self._follower = sender

    async def follow(self, news: FollowUp) -> Delivery:
        return await self._follower.follow(replace(news, about=news.about.withheld()))
