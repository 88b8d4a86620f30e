"""What became of documents, each kind in the order in which it was committed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select

from watcher.domain.ids import DocumentId, VersionId
from watcher.store import tables
from watcher.store.database import Database

_became = tables.became_current
_version = tables.version
_earlier = tables.became_current.alias()
_before = tables.version.alias()
_BECAME = (
    select(_became.c.id, _became.c.document_id, _version.c.version, _became.c.at)
    .add_columns(
        select(_before.c.version)
        .join(_earlier, _earlier.c.version_row == _before.c.id)
        .where(_earlier.c.document_id == _became.c.document_id, _earlier.c.id < _became.c.id)
        .order_by(_earlier.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    .join(_version, _version.c.id == _became.c.version_row)
    .where(_became.c.id > bindparam("after"))
    .order_by(_became.c.id)
)
_ANCHORED = (
    select(tables.anchored.c.id, tables.change.c.change_id, tables.change.c.at)
    .join(tables.change, tables.change.c.id == tables.anchored.c.change_row)
    .where(tables.anchored.c.id > bindparam("after"))
    .order_by(tables.anchored.c.id)
)
_PURGED = (
    select(
        tables.tombstone.c.id,
        tables.tombstone.c.document_id,
        tables.tombstone.c.version,
        tables.tombstone.c.at,
    )
    .where(tables.tombstone.c.id > bindparam("after"))
    .order_by(tables.tombstone.c.id)
)


@dataclass(frozen=True, slots=True)
class BecameCurrent:
    """That a version became current after `previous`; None: it is the first."""

    number: int
    document_id: DocumentId
    version: VersionId
    at: datetime
    previous: VersionId | None


@dataclass(frozen=True, slots=True)
class Finished:
    """That the work on a change ended."""

    number: int
    change_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Purged:
    """That the text of a version was purged."""

    number: int
    document_id: DocumentId
    version: VersionId
    at: datetime


class Feed:
    """Three orders of numbers that only grow; asking again from a number gives the same again."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def became(self, after: int, limit: int) -> tuple[BecameCurrent, ...]:
        """Return what became current, from `after` on."""
        with self._database.read() as connection:
            rows = connection.execute(_BECAME.limit(limit), {"after": after})
            return tuple(BecameCurrent(*row) for row in rows)

    def finished(self, after: int, limit: int) -> tuple[Finished, ...]:
        """Return the changes that were finished, from `after` on."""
        with self._database.read() as connection:
            rows = connection.execute(_ANCHORED.limit(limit), {"after": after})
            return tuple(Finished(*row) for row in rows)

    def purged(self, after: int, limit: int) -> tuple[Purged, ...]:
        """Return what was purged, from `after` on."""
        with self._database.read() as connection:
            rows = connection.execute(_PURGED.limit(limit), {"after": after})
            return tuple(Purged(*row) for row in rows)
