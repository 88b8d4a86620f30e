"""What a check asks for and what it gets back: the types other rooms see.

A `Request` carries everything one document's configuration decides. An
`Answer` is always returned, whatever the server does; it says in `kind` what
came, and in `verdict` why nothing did.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pydantic import SecretStr

from watcher.domain.verdicts import Evidence, Outcome, Refusal, Verdict

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one check: seconds and bytes. Every one ends in a named refusal.

    `total` covers all hops from the first connection to the last byte;
    `header` one hop up to its headers; `idle` the time between two reads.
    A body that brings fewer than `drip_bytes` in any `drip_window` seconds is
    a slow drip. `raw_bytes` counts what is on the wire, `decoded_bytes` what
    it unpacks to.
    """

    total: float = 60.0
    connect: float = 10.0
    header: float = 20.0
    idle: float = 15.0
    drip_window: float = 10.0
    drip_bytes: int = 1024
    raw_bytes: int = 50 * MIB
    decoded_bytes: int = 50 * MIB
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """What holds for every document of this process.

    `contact` (an address or a page) goes into the User-Agent, so that whoever
    runs a site can reach the people who watch it. `spacing` is the least
    number of seconds between two requests to one host, `spacing_jitter` the
    part of it that is added at random. A check that would have to wait longer
    than `max_wait` for its host is deferred instead. `breaker_failures`
    consecutive failures to reach a host open its circuit for
    `breaker_seconds`, doubled each time up to `breaker_ceiling`.
    """

    contact: str
    version: str = "0"
    concurrency: int = 32
    per_host: int = 2
    spacing: float = 1.0
    spacing_jitter: float = 0.25
    max_wait: float = 30.0
    retry_after_ceiling: float = 86_400.0
    breaker_failures: int = 5
    breaker_seconds: float = 60.0
    breaker_ceiling: float = 3_600.0
    idle_transports: int = 8
    resolver_threads: int = 16

    @property
    def user_agent(self) -> str:
        """Who asks: product, version and contact."""
        return f"policy-watcher/{self.version} (+{self.contact})"


@dataclass(frozen=True, slots=True)
class Validators:
    """The server's own validators, bound to the URL that sent them.

    `final_url` is the shown form (see `urls.shown`) of the URL that answered.
    Both values are kept byte for byte as sent; "" where the server sent none.
    """

    final_url: str
    etag: str = ""
    last_modified: str = ""

    def __bool__(self) -> bool:
        """Tell whether there is anything to send."""
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True)
class BasicAuth:
    """A user name and a password (RFC 7617)."""

    username: str
    password: SecretStr


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """OAuth 2 client credentials (RFC 6749, section 4.4)."""

    token_url: str
    client_id: str
    client_secret: SecretStr
    scope: str = ""


Credentials = BasicAuth | OAuthClient


@dataclass(frozen=True, slots=True)
class Request:
    """One check of one document. Secret values are already resolved.

    `headers` and `credentials` go to the origin of `url` alone.
    `allowed_networks` are CIDRs that this document may reach although they
    are not public. `robots_override` is the reason for which robots.txt is
    not asked; "" asks it. `full` leaves the validators out. `render` lets a
    browser run the scripts of an HTML page.
    """

    document_id: str
    url: str
    validators: Validators | None = None
    headers: tuple[tuple[str, SecretStr], ...] = ()
    credentials: Credentials | None = None
    allowed_networks: tuple[str, ...] = ()
    ca_file: Path | None = None
    proxy: SecretStr | None = None
    limits: Limits = field(default_factory=Limits)
    robots_override: str = ""
    full: bool = False
    render: bool = False


class AnswerKind(StrEnum):
    """What a check got."""

    BODY = "body"
    NOT_MODIFIED = "not_modified"
    REFUSED = "refused"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Hop:
    """One request of a check: the shown URL, its status and where it pointed."""

    url: str
    status: int
    location: str = ""
    peer: str = ""


@dataclass(frozen=True, slots=True)
class TlsFacts:
    """What TLS proved: version, cipher, and SHA-256 over the certificates in order.

    `chain` is true where the hash covers the whole verified chain in DER, leaf
    first; false where the runtime shows the leaf alone.
    """

    version: str
    cipher: str
    certificates_sha256: str
    chain: bool
    not_after: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one check got; see `kind` first.

    `BODY`: `body` holds the content-decoded bytes, to be judged.
    `NOT_MODIFIED`: the server said so about validators that it was sent.
    `REFUSED`: `verdict` has the reason, message, hint and evidence.
    `DEFERRED`: nothing was asked, `note` says why; come back in `retry_after`
    seconds. `verdict` is None for it and for a body, which is yet to be judged.

    `final_url` may hold secrets in its query; `shown_url` never does and is
    what is stored. `headers` are redacted. `retry_after` is in seconds from
    the answer, capped, None where not said. `duration` in seconds includes
    the wait for the host. `evidence` says how the answer came about where a
    request alone does not: found on another page, rendered by a browser.
    """

    kind: AnswerKind
    verdict: Verdict | None
    final_url: str
    shown_url: str
    note: str = ""
    hops: tuple[Hop, ...] = ()
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    content_type: str = ""
    declared_charset: str = ""
    validators: Validators | None = None
    conditional: bool = False
    peer: str = ""
    tls: TlsFacts | None = None
    server_date: str = ""
    retry_after: float | None = None
    duration: float = 0.0
    raw_bytes: int = 0
    evidence: tuple[Evidence, ...] = ()

    @property
    def refusal(self) -> Refusal | None:
        """The reason where refused, else None."""
        reason = self.verdict.reason if self.verdict else None
        return reason if isinstance(reason, Refusal) else None

    @property
    def gone(self) -> bool:
        """Tell whether the server said that the document is not there (404, 410)."""
        return self.status in (404, 410)


def refused(reason: Refusal, message: str, hint: str, *evidence: tuple[str, object]) -> Verdict:
    """Return the verdict of a refusal; `evidence` is (name, value) pairs."""
    facts = tuple(Evidence(name, str(value)) for name, value in evidence)
    return Verdict(Outcome.REFUSED, reason, message, hint, facts)


class RefusedError(Exception):
    """Ends a check inside this room; it never leaves it."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.message)
        self.verdict = verdict


class DeferredError(Exception):
    """The host is to be left alone for `wait` more seconds; stays in this room."""

    def __init__(self, wait: float, why: str) -> None:
        super().__init__(why)
        self.wait = wait
        self.why = why
