"""Who is served over HTTP, where, and how much."""

from __future__ import annotations

import ipaddress
import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, HttpUrl, model_validator

from watcher.settings.durations import Duration
from watcher.settings.secrets import SecretReference

_HOST = re.compile(r"[0-9a-z]([0-9a-z.-]{0,252})|\[[0-9a-f:.]{2,45}\]")
GROUP = re.compile(r"[^\s\x00-\x1f\x7f]{1,100}")


def _address(value: str) -> str:
    return str(ipaddress.ip_address(value))


def _host(value: str) -> str:
    if not _HOST.fullmatch(value.lower()):
        raise ValueError('write a host name without scheme and port, such as "policies.example"')
    return value.lower()


def _group(value: str) -> str:
    if not GROUP.fullmatch(value):
        raise ValueError("a group is 1 to 100 characters without white space")
    return value


Group = Annotated[str, AfterValidator(_group)]
"""The name of a group of callers, as tokens and the issuer write it."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OidcSettings(_Table):
    """The organisation's issuer, whose tokens (JWT) are accepted."""

    issuer: str = Field(min_length=1, max_length=500)
    """Must equal the tokens' `iss`."""
    audience: str = Field(min_length=1, max_length=500)
    """Must be among the tokens' `aud`."""
    jwks_file: Path | None = None
    """A file of the issuer's keys; else they are fetched from the issuer."""
    algorithms: tuple[
        Literal[
            "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"
        ],
        ...,
    ] = Field(default=("RS256", "ES256"), min_length=1)
    """Asymmetric ones only."""
    subject_claim: str = Field(default="sub", min_length=1, max_length=100)
    """The claim that names the caller."""
    groups_claim: str = Field(default="groups", min_length=1, max_length=100)
    """The claim that lists the caller's groups."""
    cite_groups: tuple[Group, ...] = ()
    """Members may emit and withdraw citations."""
    review_groups: tuple[Group, ...] = ()
    """Members may acknowledge, judge and triage."""
    all_groups: tuple[Group, ...] = ()
    """Members may see every document."""

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.jwks_file is None and not self.issuer.startswith(("https://", "http://127.0.0.1:")):
            raise ValueError("issuer: its keys are only fetched over https; or give a jwks_file")
        return self


class AuthorizerSettings(_Table):
    """Another service that is asked who may see which document."""

    url: HttpUrl
    secret: SecretReference | None = None
    """Sent as a bearer token."""
    timeout: Duration = Field(default=timedelta(seconds=2), gt=timedelta(0))
    """Without an answer in this time nobody may."""
    cache: Duration = Field(default=timedelta(seconds=30), le=timedelta(hours=1))
    """How long an answer counts."""


class LimitSettings(_Table):
    """How much one caller, and all of them together, may ask."""

    rate: float = Field(default=2000.0, ge=0, le=1_000_000)
    """Requests a second for one caller; 0: any number."""
    burst: int = Field(default=4000, ge=1, le=1_000_000)
    """So many at once, before the rate counts."""
    connections: int = Field(default=500, ge=1, le=100_000)
    """Connections at once; others are answered 503."""
    threads: int = Field(default=8, ge=1, le=30)
    """Requests that are worked on at once."""
    body_bytes: int = Field(default=8 * 1024 * 1024, ge=1024)
    """The largest request body."""
    slow: Duration = Field(default=timedelta(seconds=10), ge=timedelta(milliseconds=100))
    """A request must have arrived, and each part of an answer been taken, in this time."""


class WebSettings(_Table):
    """The HTTP API and the viewer."""

    enabled: bool = True
    """Whether they are served at all."""
    host: Annotated[str, AfterValidator(_address)] = "127.0.0.1"
    """An IP address. Anything but loopback needs tokens or an issuer."""
    port: int = Field(default=9465, ge=0, le=65535)
    """0 takes any free port and says which."""
    hosts: tuple[Annotated[str, AfterValidator(_host)], ...] = ()
    """Host names that are answered to, beside loopback's and that of `links.base`."""
    oidc: OidcSettings | None = None
    authorizer: AuthorizerSettings | None = None
    limits: LimitSettings = LimitSettings()

    @property
    def loopback(self) -> bool:
        """Tell whether only this machine can reach it."""
        return ipaddress.ip_address(self.host).is_loopback
