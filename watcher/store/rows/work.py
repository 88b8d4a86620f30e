"""Changes, alerts, incidents and counts as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from watcher.domain.changes import Cause, ChangeClass, ChangeKind, Severity, Tier
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.statements import Status


class ChangeState(StrEnum):
    """How far the work on a change is; it only goes forward."""

    STORED = "stored"
    CLASSIFIED = "classified"
    ANCHORED = "anchored"


class AlertKind(StrEnum):
    """What an alert is about."""

    CHANGE = "change"
    WITHDRAWN = "withdrawn"
    HELD = "held"
    REFUSED = "refused"
    RECOVERED = "recovered"
    RULE_EXPIRES = "rule_expires"
    DATE_DUE = "date_due"
    SERVICE = "service"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"

    @property
    def follows_up(self) -> bool:
        """Tell whether it says what became of another alert, whose event is its `reason`."""
        return self in {AlertKind.ACKNOWLEDGED, AlertKind.RESOLVED}


class AlertState(StrEnum):
    """Where an alert is; delivered, dead and cancelled are ends.

    Cancelled: a person took notice, or its reason was over, before it was sent.
    """

    HELD = "held"
    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"
    CANCELLED = "cancelled"
    DIGEST = "digest"


@dataclass(frozen=True, slots=True)
class Change:
    """Two consecutive readings of a document that differ."""

    number: int
    change_id: str
    document_id: DocumentId
    kind: ChangeKind
    cause: Cause
    from_reading: str
    to_reading: str
    from_version: VersionId
    to_version: VersionId
    at: datetime
    state: ChangeState


@dataclass(frozen=True, slots=True)
class NewAlert:
    """Something to be told on one channel; its key is (event_id, channel).

    For a change, `event_id` is the change_id. `held` waits for a confirming
    fetch until `not_before`, then goes out marked unconfirmed.
    """

    event_id: str
    channel: str
    kind: AlertKind
    document_id: DocumentId
    severity: Severity
    at: datetime
    not_before: datetime
    state: AlertState = AlertState.PENDING
    change_id: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """A row of the outbox. `due_at` is when it was to be sent, `not_before` when next.

    `unconfirmed`: it was held for a fetch that did not come in time.
    `reverted`: what it tells was taken back before it went out. `silence`: the
    number of the silence for whose sake it waits for the digest.
    """

    number: int
    event_id: str
    channel: str
    kind: AlertKind
    document_id: DocumentId
    change_id: str | None
    severity: Severity
    reason: str
    created_at: datetime
    state: AlertState
    unconfirmed: bool
    reverted: bool
    attempts: int
    not_before: datetime
    due_at: datetime
    last_error: str
    finished_at: datetime | None
    receipt: str
    acked_at: datetime | None
    acked_by: str
    resolved_at: datetime | None
    resolved_by: str
    silence: int | None


@dataclass(frozen=True, slots=True)
class Incident:
    """A time during which a document could not be seen for one reason."""

    number: int
    document_id: DocumentId
    reason: str
    opened_at: datetime
    last_at: datetime
    count: int
    told_at: datetime | None
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class OperatorAct:
    """What a person did that can hide or reveal something.

    `before` and `after` say what it changed, in words or digests; never text of
    a document, never a secret. `number` is 0 until it is stored.
    """

    at: datetime
    actor: str
    act: str
    subject: str
    document_id: DocumentId | None = None
    reason: str = ""
    before: str = ""
    after: str = ""
    number: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Counts:
    """What the store holds, for gauges and counters; a missing key counts as 0.

    `documents` are all, of which `documents_retired` are not watched any more;
    of the others, `documents_failing` have an open incident and
    `documents_held` a held capture as their last. `stalest_success` is the
    oldest last success of a watched document, `oldest_pending` when the
    longest waiting alert was due. `changes`, `statements` and the ended
    `deliveries` never shrink.
    """

    documents: int
    documents_retired: int
    documents_failing: int
    documents_held: int
    stalest_success: datetime | None
    versions: int
    version_bytes: int
    captures: int
    captures_held: int
    observations: int
    citations: int
    emissions: int
    changes: Mapping[tuple[ChangeClass, Tier], int]
    changes_pending: int
    statements: Mapping[Status, int]
    deliveries: Mapping[tuple[str, AlertState], int]
    oldest_pending: datetime | None
    incidents_open: int
    database_bytes: int
    wal_bytes: int
