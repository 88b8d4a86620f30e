"""Documents, observations, captures and versions as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.reading import Rendition
from watcher.domain.verdicts import Verdict


class DocumentState(StrEnum):
    """Whether a document is still watched."""

    ACTIVE = "active"
    RETIRED = "retired"


class Origin(StrEnum):
    """How bytes came in. Only what was fetched or pushed was observed."""

    FETCHED = "fetched"
    PUSHED = "pushed"
    IMPORTED = "imported"


class CaptureState(StrEnum):
    """What was decided about a capture last."""

    ACCEPTED = "accepted"
    HELD = "held"
    REJECTED = "rejected"


class Standing(StrEnum):
    """How a version stands to its document now."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class DeclaredDocument:
    """A document as the configuration declares it; `digest` is over all of its entry."""

    document_id: DocumentId
    title: str
    urls: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class StoredValidators:
    """A server's validators, the URL that sent them, the accepted capture they confirm."""

    final_url: str
    etag: str
    last_modified: str
    capture_id: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document and its schedule.

    `next_check` is None where none is planned, `last_success` is the last time
    that its text was seen, the same or another.
    """

    document_id: DocumentId
    state: DocumentState
    title: str
    urls: tuple[str, ...]
    digest: str
    created_at: datetime
    retired_at: datetime | None
    next_check: datetime | None
    fails: int
    last_success: datetime | None
    validators: StoredValidators | None


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write about one document, until `until` or until it is taken over.

    `token` fences: a write under an older token than the table's is refused.
    """

    document_id: DocumentId
    owner: str
    token: int
    until: datetime


@dataclass(frozen=True, slots=True)
class Release:
    """How a document is given back: when it is looked at next, and its failures in a row."""

    next_check: datetime | None
    fails: int


@dataclass(frozen=True, slots=True)
class LeasedDocument:
    """A document that is due, and the lease to check it under."""

    document: Document
    lease: Lease


@dataclass(frozen=True, slots=True)
class NewObservation:
    """What one check saw. `capture_id`: the capture it matched, None for nothing.

    `url` and `final_url` hold no secrets. Where a capture is committed with it,
    its id need not be given.
    """

    at: datetime
    url: str
    verdict: Verdict
    final_url: str = ""
    http_status: int | None = None
    etag: str = ""
    last_modified: str = ""
    capture_id: str | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """A run of equal observations: `count` of them from `first` to `last`.

    Between two of them nothing is claimed; none were further apart than
    `longest_gap`. Message and evidence are those of the first.
    """

    number: int
    document_id: DocumentId
    first: datetime
    last: datetime
    count: int
    longest_gap: timedelta
    url: str
    final_url: str
    http_status: int | None
    etag: str
    last_modified: str
    verdict: Verdict
    capture_id: str | None


@dataclass(frozen=True, slots=True)
class Before:
    """What is known of a document before it is checked.

    `confirming`: alerts wait for a second fetch to agree. `accepted` is the id
    of the last accepted capture that was observed, `accepted_sha256` its bytes'.
    """

    newest: Observation | None
    confirming: bool
    accepted: str | None
    accepted_sha256: str | None


@dataclass(frozen=True, slots=True)
class NewCapture:
    """Source bytes as they came. Headers hold no credentials and no cookies."""

    body: bytes
    url: str
    captured_at: datetime
    origin: Origin = Origin.FETCHED
    content_type: str = ""
    final_url: str = ""
    http_status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    peer: str = ""
    tls: tuple[tuple[str, str], ...] = ()
    server_date: str = ""
    claimed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Capture:
    """A stored capture; its bytes are `store.captures.body(capture_id)`."""

    capture_id: str
    document_id: DocumentId
    ordinal: int
    state: CaptureState
    captured_at: datetime
    origin: Origin
    claimed_at: datetime | None
    body_sha256: str
    body_size: int
    content_type: str
    url: str
    final_url: str
    http_status: int | None
    headers: tuple[tuple[str, str], ...]
    peer: str
    tls: tuple[tuple[str, str], ...]
    server_date: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision about a capture: what, when, by whom, why."""

    state: CaptureState
    at: datetime
    actor: str
    reason: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often, and from when to when, a capture's bytes were seen."""

    count: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Current:
    """The current reading of a document; its text has been current since `since`."""

    document_id: DocumentId
    version: VersionId
    reading_id: str
    capture_id: str
    rendition: Rendition
    since: datetime


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit did.

    `new_capture` is False where the bytes were those of the previous capture;
    `change_id` is None where nothing changed. `version` is None where the
    reading gave no text.
    """

    capture_id: str
    reading_id: str
    version: VersionId | None
    state: CaptureState
    new_capture: bool
    new_version: bool
    change_id: str | None


@dataclass(frozen=True, slots=True)
class Version:
    """A distinct text of a document: when first stored, how it stands now, since when.

    `size` in bytes, `pages` and `purged` describe the text; a purged one has
    size and pages of zero. `since` is None for a version that never was current.
    """

    document_id: DocumentId
    version: VersionId
    first_stored: datetime
    size: int
    pages: int
    standing: Standing | None
    since: datetime | None
    purged: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """A time without an observation that confirms or denies, and what failed in it.

    `start` is the last observation before, `end` the first after; None where
    there is none.
    """

    start: datetime | None
    end: datetime | None
    failed: tuple[Observation, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionAt:
    """What is known of a document at one time.

    `confirmed` is the last run of observations at or before that time that
    matched `version`, `differs` the first after it that matched another text.
    `gap` is the time around it of which nothing is claimed: None only where a
    run of observations covers it.
    """

    at: datetime
    version: VersionId | None
    confirmed: Observation | None
    differs: Observation | None
    gap: Gap | None


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That a text was purged. `returned_at`: when the same text was stored anew."""

    document_id: DocumentId
    version: VersionId
    at: datetime
    rule: str
    actor: str
    reason: str
    forced: str
    returned_at: datetime | None
