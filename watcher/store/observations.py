"""What checks saw, as runs of equal observations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, bindparam, insert, select, update

from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome
from watcher.store import tables
from watcher.store.codec import Found, Values, verdict_of, verdict_values, wellformed
from watcher.store.database import Database
from watcher.store.documents import fence, set_last_success
from watcher.store.rows import Lease, NewObservation, Observation

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


class Observations:
    """The observations of every document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, lease: Lease, observation: NewObservation) -> Observation:
        """Record one observation and return the run that it is part of.

        The same observation at the same time again is a replay and changes
        nothing.

        Raises:
            StaleLeaseError: another writer has the document.
        """
        with self._database.write() as connection:
            fence(connection, lease)
            return write_observation(connection, lease.document_id, observation)

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
    connection: Connection, document_id: DocumentId, observation: NewObservation
) -> Observation:
    """Extend the document's newest run by `observation`, or begin a new one.

    A clock that went back begins a new run: an interval never shrinks.
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
    if observation.verdict.outcome in _SUCCESSES:
        set_last_success(connection, document_id, at)
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
    query = (
        update(tables.observation)
        .where(tables.observation.c.id == newest["id"])
        .values(last=at, count=newest["count"] + 1, longest_gap=max(gap, newest["longest_gap"]))
        .returning(tables.observation)
    )
    return connection.execute(query).mappings().one()


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
