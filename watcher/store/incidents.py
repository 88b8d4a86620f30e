"""Times during which a document could not be seen, each told once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select, update

from watcher.domain.ids import DocumentId
from watcher.store import tables
from watcher.store.codec import Found
from watcher.store.database import Database
from watcher.store.rows import Incident

_incident = tables.incident


class Incidents:
    """The incidents of every document; one is open for each document and reason."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def refused(self, document_id: DocumentId, reason: str, at: datetime) -> Incident:
        """Count one more refusal: in the open incident, or in one that this opens."""
        open_one = select(_incident).where(
            _incident.c.document_id == document_id,
            _incident.c.reason == reason,
            _incident.c.closed_at.is_(None),
        )
        with self._database.write() as connection:
            row = connection.execute(open_one).mappings().first()
            if row is None:
                values = {
                    "document_id": document_id,
                    "reason": reason,
                    "opened_at": at,
                    "last_at": at,
                    "count": 1,
                }
                query = insert(_incident).values(values).returning(_incident)
                return _incident_of(connection.execute(query).mappings().one())
            if row["last_at"] >= at:
                return _incident_of(row)
            grown = (
                update(_incident)
                .where(_incident.c.id == row["id"])
                .values(last_at=at, count=row["count"] + 1)
                .returning(_incident)
            )
            return _incident_of(connection.execute(grown).mappings().one())

    def told(self, number: int, at: datetime) -> None:
        """Record that an incident was told; the first time stays."""
        query = (
            update(_incident)
            .where(
                _incident.c.id == number,
                _incident.c.told_at.is_(None),
                _incident.c.closed_at.is_(None),
            )
            .values(told_at=at)
        )
        with self._database.write() as connection:
            connection.execute(query)

    def close(self, document_id: DocumentId, at: datetime) -> tuple[Incident, ...]:
        """End a document's open incidents, because it was seen; return those."""
        query = (
            update(_incident)
            .where(_incident.c.document_id == document_id, _incident.c.closed_at.is_(None))
            .values(closed_at=at)
            .returning(_incident)
        )
        with self._database.write() as connection:
            return tuple(map(_incident_of, connection.execute(query).mappings()))

    def open(self, document_id: DocumentId | None = None) -> tuple[Incident, ...]:
        """Return the open incidents, of one document or of all, oldest first."""
        query = select(_incident).where(_incident.c.closed_at.is_(None)).order_by(_incident.c.id)
        if document_id is not None:
            query = query.where(_incident.c.document_id == document_id)
        with self._database.read() as connection:
            return tuple(map(_incident_of, connection.execute(query).mappings()))


def _incident_of(row: Found) -> Incident:
    return Incident(
        number=row["id"],
        document_id=row["document_id"],
        reason=row["reason"],
        opened_at=row["opened_at"],
        last_at=row["last_at"],
        count=row["count"],
        told_at=row["told_at"],
        closed_at=row["closed_at"],
    )
