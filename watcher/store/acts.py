"""What persons did, append-only."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from watcher.store import tables
from watcher.store.codec import Found, Values, wellformed
from watcher.store.database import Database
from watcher.store.rows import OperatorAct

_act = tables.operator_act
SYSTEM = "watcher"
"""The actor of what was decided by rule."""


class Acts:
    """The record of operators' acts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, act: OperatorAct) -> None:
        """Append an act."""
        with self._database.write() as connection:
            write_act(connection, act)

    def list(self, *, limit: int = 100) -> tuple[OperatorAct, ...]:
        """Return the newest acts, newest first."""
        query = select(_act).order_by(_act.c.id.desc()).limit(limit)
        with self._database.read() as connection:
            return tuple(map(_act_of, connection.execute(query).mappings()))

    def since(self, number: int, *, limit: int = 1000) -> tuple[OperatorAct, ...]:
        """Return the acts after the one of that number, oldest first."""
        query = select(_act).where(_act.c.id > number).order_by(_act.c.id).limit(limit)
        with self._database.read() as connection:
            return tuple(map(_act_of, connection.execute(query).mappings()))

    def newest(self, act: str, subject: str) -> OperatorAct | None:
        """Return the newest act of that kind on that subject."""
        query = (
            select(_act)
            .where(_act.c.act == act, _act.c.subject == subject)
            .order_by(_act.c.id.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            row = connection.execute(query).mappings().first()
        return _act_of(row) if row is not None else None


def write_act(connection: Connection, act: OperatorAct) -> None:
    """Append an act inside a transaction; what was decided by rule is no act."""
    if act.actor == SYSTEM:
        return
    values: Values = {
        "at": act.at,
        "actor": act.actor,
        "act": act.act,
        "document_id": act.document_id,
        "subject": act.subject,
        "reason": act.reason,
        "before": act.before,
        "after": act.after,
    }
    connection.execute(insert(_act), wellformed(values))


def _act_of(row: Found) -> OperatorAct:
    return OperatorAct(
        row["at"],
        row["actor"],
        row["act"],
        row["subject"],
        row["document_id"],
        row["reason"],
        row["before"],
        row["after"],
        row["id"],
    )
