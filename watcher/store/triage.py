"""What persons made of changes: append-only, the newest entry counts."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, insert, select

from watcher.store import tables
from watcher.store.codec import Found, Query, Values, wellformed
from watcher.store.database import Database
from watcher.store.errors import UnknownChangeError
from watcher.store.rows.serving import Disposition, Triage

_triage = tables.triage
_change = tables.change


class Triages:
    """The triage of changes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, triage: Triage) -> Triage:
        """Append an entry; return it with its number.

        Raises:
            UnknownChangeError: there is no change of that id.
        """
        with self._database.write() as connection:
            same = select(_change.c.id).where(_change.c.change_id == triage.change_id)
            number = connection.execute(same).scalar_one_or_none()
            if number is None:
                raise UnknownChangeError(
                    f"there is no change {triage.change_id[:80]}",
                    hint="`watcher changes` lists them",
                )
            values: Values = {
                "change_row": number,
                "at": triage.at,
                "actor": triage.actor,
                "assignee": triage.assignee,
                "disposition": triage.disposition.value,
                "due": triage.due,
                "ticket": triage.ticket,
                "note": triage.note,
            }
            added = connection.execute(
                insert(_triage).returning(_triage.c.id), wellformed(values)
            ).scalar_one()
            found = connection.execute(_entries().where(_triage.c.id == added)).mappings().one()
            return _triage_of(found)

    def history(self, change_id: str) -> tuple[Triage, ...]:
        """Return every entry about a change, oldest first."""
        query = _entries().where(_change.c.change_id == change_id).order_by(_triage.c.id)
        return self._select(query)

    def newest(self, change_ids: Sequence[str]) -> dict[str, Triage]:
        """Return how each of `change_ids` stands; those without an entry are left out."""
        last = select(func.max(_triage.c.id)).group_by(_triage.c.change_row)
        query = _entries().where(_change.c.change_id.in_(change_ids), _triage.c.id.in_(last))
        return {entry.change_id: entry for entry in self._select(query)}

    def list(self, *, after: int = 0, limit: int = 1000) -> tuple[Triage, ...]:
        """Return entries in order of their number, from `after` on: the export."""
        query = _entries().where(_triage.c.id > after).order_by(_triage.c.id).limit(limit)
        return self._select(query)

    def _select(self, query: Query) -> tuple[Triage, ...]:
        with self._database.read() as connection:
            return tuple(map(_triage_of, connection.execute(query).mappings()))


def _entries() -> Query:
    return select(_triage, _change.c.change_id, _change.c.document_id).join(
        _change, _change.c.id == _triage.c.change_row
    )


def _triage_of(row: Found) -> Triage:
    return Triage(
        row["change_id"],
        row["document_id"],
        row["at"],
        row["actor"],
        row["assignee"],
        Disposition(row["disposition"]),
        row["due"],
        row["ticket"],
        row["note"],
        row["id"],
    )
