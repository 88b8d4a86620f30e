"""What persons did, append-only."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from watcher.store import tables
from watcher.store.codec import Values, wellformed
from watcher.store.database import Database
from watcher.store.rows import OperatorAct

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
        table = tables.operator_act
        query = select(table).order_by(table.c.id.desc()).limit(limit)
        with self._database.read() as connection:
            return tuple(
                OperatorAct(
                    row["at"],
                    row["actor"],
                    row["act"],
                    row["subject"],
                    row["document_id"],
                    row["reason"],
                )
                for row in connection.execute(query).mappings()
            )


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
    }
    connection.execute(insert(tables.operator_act), wellformed(values))
