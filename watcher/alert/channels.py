"""The settings of channels, and which channels an alert goes to."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Literal, Self, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, HttpUrl, model_validator

from watcher.domain.changes import Severity

Reference = Annotated[str, Field(pattern=r"^(file|env|credential):.+")]
"""Where a secret is, never the secret: `file:/path`, `env:NAME` or `credential:NAME`."""


_ADDRESS = r"^[^@\s<>,;\x00-\x1f]+@[^@\s<>,;\x00-\x1f]+$"


def _known_timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{name!r} is not a timezone, write one such as Europe/Berlin") from None
    return name


Timezone = Annotated[str, AfterValidator(_known_timezone)]
"""The name of a timezone, such as Europe/Berlin."""


class DigestTime(BaseModel):
    """When what can wait is told, once a day, by the wall clock in `timezone`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: time = time(7)
    timezone: Timezone = "UTC"

    @model_validator(mode="after")
    def _plain(self) -> Self:
        if self.at.tzinfo:
            raise ValueError("digest: write the time without an offset, and name the timezone")
        return self

    def last(self, now: datetime) -> datetime:
        """Return the last such time at or before `now`, which is aware; in UTC."""
        local = now.astimezone(ZoneInfo(self.timezone))
        today = _at(local, self.at)
        # An hour that the clocks skip or repeat is compared in UTC, where there is one order.
        if today.astimezone(UTC) <= now:
            return today.astimezone(UTC)
        return _at(local - timedelta(days=1), self.at).astimezone(UTC)


class QuietHours(BaseModel):
    """When nobody wants to hear of what can wait; a page is never held back.

    Times are of the wall clock in `timezone`; `end` at or before `start` is on
    the next day.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: time
    end: time
    timezone: Timezone = "UTC"
    weekends: bool = True
    """Whether Saturday and Sunday are quiet all day."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.start == self.end:
            raise ValueError("quiet: start and end are the same, so there is no time at all")
        if self.start.tzinfo or self.end.tzinfo:
            raise ValueError("quiet: write times without an offset, and name the timezone")
        return self

    def until(self, now: datetime) -> datetime:
        """Return the end of the quiet time that holds at `now`, or `now` where none does.

        `now` is aware; the result is in UTC.
        """
        zone = ZoneInfo(self.timezone)
        local = now.astimezone(zone)
        # Nights and weekends follow each other, so the end of one may lie in the next.
        for _ in range(2 * _DAYS_OF_A_WEEK):
            later = self._end_of_spell(local)
            if later == local:
                break
            local = later
        return now if local == now else local.astimezone(UTC)

    def _end_of_spell(self, local: datetime) -> datetime:
        if self.weekends and local.weekday() >= _SATURDAY:
            return _midnight_after(local)
        clock = local.time()
        if self.start < self.end:
            return _at(local, self.end) if self.start <= clock < self.end else local
        if clock >= self.start:
            return _at(_midnight_after(local), self.end)
        return _at(local, self.end) if clock < self.end else local


_SATURDAY = 5
_DAYS_OF_A_WEEK = 7


def _at(local: datetime, clock: time) -> datetime:
    return local.replace(
        hour=clock.hour, minute=clock.minute, second=clock.second, microsecond=0, fold=0
    )


def _midnight_after(local: datetime) -> datetime:
    return _at(local + timedelta(days=1), time(0))


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
    quiet: QuietHours | None = None
    """When tickets and information wait; pages never do."""
    digest: DigestTime = DigestTime()
    """When the daily digest goes out."""

    def quiet_until(self, severity: Severity, now: datetime) -> datetime:
        """Return when an alert of this severity may go out: `now`, or later."""
        if self.quiet is None or severity is Severity.PAGE:
            return now
        return self.quiet.until(now)


_C = TypeVar("_C", bound=_Channel)


class ConsoleChannel(_Channel):
    """Lines on standard output."""

    kind: Literal["console"]


class _HttpChannel(_Channel):
    """What every channel over HTTP has."""

    proxy: HttpUrl | None = None
    """The proxy to go through; the environment's is never taken."""


class WebhookChannel(_HttpChannel):
    """A signed POST of `watcher.alert/1`."""

    kind: Literal["webhook"]
    url: HttpUrl
    secret: Reference | None = None
    """Signs each request (HMAC-SHA256, Standard Webhooks)."""

    @model_validator(mode="after")
    def _private(self) -> Self:
        return _checked_url(self, self.url)


class PagerDutyChannel(_HttpChannel):
    """An incident for each change, by Events API v2."""

    kind: Literal["pagerduty"]
    routing_key: Reference
    """The integration key of the service."""
    webhook_secret: Reference | None = None
    """Signs what PagerDuty's webhook subscription sends: acknowledgements that come back."""
    url: HttpUrl = HttpUrl("https://events.pagerduty.com/v2/enqueue")

    @model_validator(mode="after")
    def _private(self) -> Self:
        return _checked_url(self, self.url)


class SlackChannel(_HttpChannel):
    """A message by an incoming webhook."""

    kind: Literal["slack"]
    url: Reference
    """The webhook's address; it is a secret, so it is a reference."""


class AlertmanagerChannel(_HttpChannel):
    """An alert of Alertmanager's API v2, which groups, silences and routes it."""

    kind: Literal["alertmanager"]
    url: HttpUrl
    """Its base address, such as http://127.0.0.1:9093."""
    token: Reference | None = None
    """A bearer token, where a proxy asks for one."""

    @model_validator(mode="after")
    def _private(self) -> Self:
        return _checked_url(self, self.url)


class AppriseChannel(_Channel):
    """A message by any service that Apprise knows; needs the extra `apprise`."""

    kind: Literal["apprise"]
    url: Reference
    """Apprise's address of the service; it holds secrets, so it is a reference."""
    severities: tuple[Literal[Severity.TICKET, Severity.INFO], ...] = (
        Severity.TICKET,
        Severity.INFO,
    )
    """Never pages: Apprise does not say why a service refused, nor when to come back."""


class EmailChannel(_Channel):
    """A message by SMTP."""

    kind: Literal["email"]
    host: str = Field(min_length=1)
    port: int = Field(default=587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    """How the connection is encrypted; `none` only where nothing secret crosses it."""
    user: str = ""
    password: Reference | None = None
    sender: str = Field(pattern=_ADDRESS)
    recipients: tuple[Annotated[str, Field(pattern=_ADDRESS)], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _private(self) -> Self:
        if bool(self.user) != bool(self.password):
            raise ValueError("user and password belong together: give both or neither")
        exposed = self.include_passages or self.password
        if self.security == "none" and exposed and not is_loopback(self.host):
            raise ValueError(
                'text of documents or a password would leave unencrypted: use security = "starttls"'
            )
        return self


Channel = Annotated[
    ConsoleChannel
    | WebhookChannel
    | PagerDutyChannel
    | SlackChannel
    | AlertmanagerChannel
    | AppriseChannel
    | EmailChannel,
    Field(discriminator="kind"),
]
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


def _checked_url(channel: _C, url: HttpUrl) -> _C:
    """Return `channel` if what it sends to `url` stays private on the way.

    Raises:
        ValueError: text would leave unencrypted, or the URL holds credentials.
    """
    if channel.include_passages and url.scheme == "http" and not is_loopback(url.host or ""):
        raise ValueError(
            "text of documents would leave unencrypted: use https, or set include_passages = false"
        )
    if url.username or url.password:
        raise ValueError("credentials do not belong in a URL: use the channel's secret")
    return channel


def is_loopback(host: str) -> bool:
    """Tell whether `host` is this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
