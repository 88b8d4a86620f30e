"""What checks saw, as runs of equal observations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, bindparam, exists, insert, select, update

from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome
from watcher.store import tables
from watcher.store.captures import latest_accepted
from watcher.store.codec import Found, Query, Values, verdict_of, verdict_values, wellformed
from watcher.store.database import Database
from watcher.store.documents import set_seen
from watcher.store.leases import fence
from watcher.store.rows import (
    AlertState,
    Before,
    Lease,
    NewObservation,
    Observation,
    Release,
)

_MICROSECOND = timedelta(microseconds=1)
_SAME = (
    "outcome", "reason", "flags", "url", "final_url", "http_status", "etag", "last_modified",
    "capture_id",
)  # fmt: skip
"""What two observations must have in common to be one run."""

_SUCCESSES = (Outcome.ACCEPTED, Outcome.NOT_MODIFIED, Outcome.SAME_BYTES)

_NEW_RUN = insert(tables.observation).returning(tables.observation)
_NEWEST = (
    select(tables.observation)
    .where(tables.observation.c.document_id == bindparam("document_id"))
    .order_by(tables.observation.c.id.desc())
    .limit(1)
)
_EXTEND = (
    update(tables.observation)
    .where(tables.observation.c.id == bindparam("this"))
    .returning(tables.observation)
)
"""Sets whatever columns it is executed with."""


def _before_query() -> Query:
    """Return the query of `Before` without its observation."""
    outbox, capture = tables.outbox, tables.capture
    waiting = exists().where(
        outbox.c.document_id == bindparam("document_id"),
        outbox.c.state == AlertState.HELD.value,
    )
    return select(
        waiting, latest_accepted(capture.c.capture_id), latest_accepted(capture.c.body_sha256)
    )


_BEFORE = _before_query()


class Observations:
    """The observations of every document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(
        self, lease: Lease, observation: NewObservation, release: Release | None = None
    ) -> Observation:
        """Record one observation and return the run that it is part of.

        The same observation at the same time again is a replay and changes
        nothing. With `release` the lease is given back in the same transaction.

        Raises:
            StaleLeaseError: another writer has the document.
        """
        with self._database.write() as connection:
            fence(connection, lease)
            return write_observation(connection, lease.document_id, observation, release)

    def before(self, document_id: DocumentId) -> Before:
        """Return what is known of a document before it is checked, in one snapshot."""
        named = {"document_id": document_id}
        with self._database.read() as connection:
            row = _newest(connection, document_id)
            confirming, accepted, body = connection.execute(_BEFORE, named).one()
        return Before(observation_of(row) if row else None, bool(confirming), accepted, body)

    def newest(self, document_id: DocumentId) -> Observation | None:
        """Return the newest run of a document."""
        with self._database.read() as connection:
            row = _newest(connection, document_id)
            return observation_of(row) if row else None

    def list(self, document_id: DocumentId, *, limit: int = 100) -> tuple[Observation, ...]:
        """Return the newest runs of a document, newest first."""
        query = (
            select(tables.observation)
            .where(tables.observation.c.document_id == document_id)
            .order_by(tables.observation.c.id.desc())
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(map(observation_of, connection.execute(query).mappings()))


def write_observation(
    connection: Connection,
    document_id: DocumentId,
    observation: NewObservation,
    release: Release | None = None,
) -> Observation:
    """Extend the document's newest run by `observation`, or begin a new one.

    A clock that went back begins a new run: an interval never shrinks. With
    `release` the document is given back.
    """
    at = observation.at.astimezone(UTC)
    raw: Values = {
        "url": observation.url,
        "final_url": observation.final_url,
        "http_status": observation.http_status,
        "etag": observation.etag,
        "last_modified": observation.last_modified,
        "capture_id": observation.capture_id,
        **verdict_values(observation.verdict),
    }
    values = wellformed(raw)
    seen = at if observation.verdict.outcome in _SUCCESSES else None
    set_seen(connection, document_id, seen, release)
    newest = _newest(connection, document_id)
    if newest and all(newest[name] == values[name] for name in _SAME):
        if newest["last"] == at:
            return observation_of(newest)
        if newest["last"] < at:
            return observation_of(_extend(connection, newest, at))
    values |= {"document_id": document_id, "first": at, "last": at, "count": 1, "longest_gap": 0}
    return observation_of(connection.execute(_NEW_RUN, values).mappings().one())


def _extend(connection: Connection, newest: Found, at: datetime) -> Found:
    gap = (at - newest["last"]) // _MICROSECOND
    values = {
        "this": newest["id"],
        "last": at,
        "count": newest["count"] + 1,
        "longest_gap": max(gap, newest["longest_gap"]),
    }
    return connection.execute(_EXTEND, values).mappings().one()


def _newest(connection: Connection, document_id: DocumentId) -> Found | None:
    return connection.execute(_NEWEST, {"document_id": document_id}).mappings().first()


def observation_of(row: Found) -> Observation:
    """Return the observation of a row."""
    return Observation(
        number=row["id"],
        document_id=DocumentId(row["document_id"]),
        first=row["first"],
        last=row["last"],
        count=row["count"],
        longest_gap=row["longest_gap"] * _MICROSECOND,
        url=row["url"],
        final_url=row["final_url"],
        http_status=row["http_status"],
        etag=row["etag"],
        last_modified=row["last_modified"],
        verdict=verdict_of(row),
        capture_id=row["capture_id"],
    )
