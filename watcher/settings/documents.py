"""What is watched: one entry for each document."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, HttpUrl, model_validator

from watcher.domain.changes import Severity
from watcher.domain.ids import document_id as checked_document_id
from watcher.domain.newest import FollowRule, Newest
from watcher.domain.patterns import own_pattern
from watcher.errors import WatcherError
from watcher.settings.durations import Duration
from watcher.settings.rules import RuleSettings
from watcher.settings.secrets import SecretReference
from watcher.settings.web import Group

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_OCR_LANGUAGE = r"^[a-z]{3}(_[a-z]{3,5})?$"
_HOST = re.compile(r"[0-9A-Za-z][0-9A-Za-z.-]{0,252}")
_SECRET_HEADERS = {"authorization", "cookie", "proxy-authorization", "x-api-key"}


def _document_id(value: str) -> str:
    try:
        return checked_document_id(value)
    except WatcherError as error:
        raise ValueError(f"{error.message}: {error.hint}") from None


def _network(value: str) -> str:
    return str(ipaddress.ip_network(value))


def _pattern(value: str) -> str:
    try:
        own_pattern(value, value)
    except WatcherError as error:
        raise ValueError(f"{error.message}: {error.hint}") from None
    return value


def _host(value: str) -> str:
    if not _HOST.fullmatch(value):
        raise ValueError('write a host name such as "files.example.org"')
    return value.lower()


def _header_name(value: str) -> str:
    if not _HEADER_NAME.fullmatch(value):
        raise ValueError("this is not an HTTP header name")
    if value.lower() in _SECRET_HEADERS:
        raise ValueError("a secret does not belong in headers: use the credentials table")
    return value


def _header_value(value: str) -> str:
    if any(ord(char) < 0x20 or ord(char) == 0x7F for char in value):
        raise ValueError("a header value holds no control characters")
    return value


def _proxy_url(value: HttpUrl) -> HttpUrl:
    if value.username or value.password:
        raise ValueError("a password does not belong in a URL: put user:password in proxy_secret")
    return value


ProxyUrl = Annotated[HttpUrl, AfterValidator(_proxy_url)]
HeaderName = Annotated[str, AfterValidator(_header_name)]
HeaderValue = Annotated[str, AfterValidator(_header_value)]


class Credentials(BaseModel):
    """How a source is authenticated; secrets by reference only."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["header", "basic", "oauth"]
    secret: SecretReference
    """The header's value, the password, or the client's secret."""
    header: HeaderName | Literal["Authorization", "Cookie", "X-API-Key"] = "Authorization"
    """For kind `header`: which header carries the secret."""
    user: str = ""
    """For kind `basic`: the user name."""
    token_url: HttpUrl | None = None
    """For kind `oauth` (client credentials): where access tokens are given out."""
    client_id: str = Field(default="", max_length=500)
    """For kind `oauth`: who asks for them."""
    scope: str = Field(default="", max_length=1000)
    """For kind `oauth`: what they are to allow; empty: what the server thinks fit."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind == "basic" and not self.user:
            raise ValueError('credentials of kind "basic" need a user')
        if self.kind == "oauth" and not (self.token_url and self.client_id):
            raise ValueError('credentials of kind "oauth" need a token_url and a client_id')
        if self.kind != "oauth" and (self.token_url or self.client_id or self.scope):
            raise ValueError('token_url, client_id and scope belong to credentials of kind "oauth"')
        return self


class Follow(BaseModel):
    """How the newest edition is found on the page at `url`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    link: Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_pattern)]
    """A regular expression (RE2), searched in a link's target and in its words."""
    newest: Newest = Newest.DATE
    """What tells the newest of the links that fit: `date`, `text` or `order`."""
    sites: tuple[Annotated[str, AfterValidator(_host)], ...] = ()
    """Other sites that editions may be on; without them only the page's own."""

    @property
    def rule(self) -> FollowRule:
        """The same, for the code that looks at links."""
        return FollowRule(own_pattern(self.link, self.link), self.newest)


class DocumentEntry(BaseModel):
    """One watched document.

    `document_id` names it for ever; every other field may change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    document_id: Annotated[str, AfterValidator(_document_id)]
    url: HttpUrl
    urls: tuple[HttpUrl, ...] = Field(default=(), max_length=49)
    """Further sources, read in this order behind the one at `url`: one document of them all."""
    title: str = Field(default="", max_length=200)
    schedule: Duration = timedelta(hours=6)
    owner: str = Field(default="", max_length=200)
    severity: Severity = Severity.TICKET
    """The highest severity an alert of this document may have by itself."""
    language: str = Field(default="", pattern=r"^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$")
    follow: Follow | None = None
    """Watch the newest edition that the page at `url` links to, instead of that page."""
    select: tuple[str, ...] = ()
    """CSS selectors of what to read (HTML); empty: the whole page."""
    remove: tuple[str, ...] = ()
    """CSS selectors of what to leave out (HTML)."""
    render: Literal["http", "browser"] = "http"
    """`browser`: a real Chromium runs the scripts of an HTML page (optional extra)."""
    pdf_engine: Literal["pypdf", "pdfium"] = "pypdf"
    """The engine for a PDF's first reading; later only `watcher rerender` changes it."""
    ocr: tuple[Annotated[str, Field(pattern=_OCR_LANGUAGE)], ...] = Field(default=(), max_length=8)
    """Languages, as tesseract names them, to read pages of a PDF without a text layer in."""
    headers: dict[HeaderName, HeaderValue] = Field(default_factory=dict)
    credentials: Credentials | None = None
    allowed_networks: tuple[Annotated[str, AfterValidator(_network)], ...] = ()
    """CIDRs of private networks that this document may be fetched from."""
    ca_file: Path | None = None
    """A PEM file of the authority that signs this source's certificate."""
    proxy: ProxyUrl | None = None
    """An http or https proxy; unset: the service's."""
    proxy_secret: SecretReference | None = None
    """`user:password` for that proxy."""
    ignore_robots: str = Field(default="", max_length=500)
    """Why robots.txt does not apply to this document; empty: it applies."""
    confirm: bool | None = None
    """Whether a page waits for one confirming fetch; unset: the service's default."""
    rules: RuleSettings = RuleSettings()
    """The owner's rules for the classifier, beside the service's."""
    groups: tuple[Group, ...] = Field(default=(), max_length=100)
    """Callers of the API in one of these may see it; none: every caller that is known."""

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if self.schedule < timedelta(seconds=1):
            raise ValueError("schedule: check at most once a second")
        for url in (self.url, *self.urls):
            if "@" in (url.host or "") or url.username or url.password:
                raise ValueError(
                    "url: credentials do not belong in a URL, use the credentials table"
                )
        if self.follow and self.urls:
            raise ValueError("urls: what is followed is one file, so there are no further ones")
        if self.proxy_secret and not self.proxy:
            raise ValueError("proxy_secret: there is no proxy that it is for")
        token_url = self.credentials.token_url if self.credentials else None
        if token_url is not None and token_url.scheme != "https" and not self.allowed_networks:
            raise ValueError("credentials.token_url: a client's secret is only sent over https")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 of the entry: tells whether the configuration of a document changed."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()
