"""The settings of channels, and which channels an alert goes to."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, model_validator

from watcher.domain.changes import Severity

Reference = Annotated[str, Field(pattern=r"^(file|env|credential):.+")]
"""Where a secret is, never the secret: `file:/path`, `env:NAME` or `credential:NAME`."""


class _Channel(BaseModel):
    """What every channel has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")
    severities: tuple[Severity, ...] = tuple(Severity)
    """Which severities go here."""
    owners: tuple[str, ...] = ()
    """Whose documents go here; empty: everybody's."""
    include_passages: bool = True
    """Whether text of documents may leave by this channel."""
    timeout_seconds: float = Field(default=10.0, gt=0, le=120)
    """How long one attempt may take."""


class ConsoleChannel(_Channel):
    """Lines on standard output."""

    kind: Literal["console"]


class _HttpChannel(_Channel):
    url: HttpUrl

    @model_validator(mode="after")
    def _private(self) -> Self:
        if self.include_passages and self.url.scheme == "http" and not _is_loopback(self.url):
            raise ValueError(
                "text of documents would leave unencrypted: use https, or set"
                " include_passages = false"
            )
        if self.url.username or self.url.password:
            raise ValueError("credentials do not belong in a URL: use the channel's secret")
        return self


class WebhookChannel(_HttpChannel):
    """A signed POST of `watcher.alert/1`."""

    kind: Literal["webhook"]
    secret: Reference | None = None
    """Signs each request (HMAC-SHA256, Standard Webhooks)."""


Channel = Annotated[ConsoleChannel | WebhookChannel, Field(discriminator="kind")]
"""One configured channel, told apart by `kind`."""


def route(channels: Iterable[Channel], severity: Severity, owner: str) -> tuple[Channel, ...]:
    """Return the channels of an alert; empty only where none is configured.

    An alert that no channel asks for goes to the channels of its severity
    whoever owns the document, and failing that to all: an alert that is routed
    to nowhere is worse than one that reaches the wrong desk.
    """
    known = tuple(channels)
    fitting = tuple(channel for channel in known if severity in channel.severities)
    asked = tuple(c for c in fitting if not c.owners or owner in c.owners)
    return asked or fitting or known


def _is_loopback(url: HttpUrl) -> bool:
    host = (url.host or "").strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
