"""How much there is of everything, for gauges."""

from __future__ import annotations

from sqlalchemy import Select, func, select

from watcher.store import tables
from watcher.store.captures import captures_with_state
from watcher.store.database import Database
from watcher.store.rows import AlertState, CaptureState, Counts


def count(database: Database) -> Counts:
    """Count in one snapshot."""
    with database.read() as connection:

        def number(query: Select[int]) -> int:
            return connection.execute(query).scalar_one()

        def rows(table: str) -> Select[int]:
            return select(func.count()).select_from(tables.METADATA.tables[table])

        states = captures_with_state().subquery()
        outbox, document = tables.outbox, tables.document
        grouped = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        by_state = {state: number for state, number in connection.execute(grouped)}
        return Counts(
            documents=number(rows("document").where(document.c.state == "active")),
            documents_retired=number(rows("document").where(document.c.state == "retired")),
            versions=number(rows("version")),
            captures=number(rows("capture")),
            captures_held=number(
                select(func.count())
                .select_from(states)
                .where(states.c.state == CaptureState.HELD.value)
            ),
            observations=number(select(func.coalesce(func.sum(tables.observation.c.count), 0))),
            citations=number(rows("citation")),
            emissions=number(rows("emission")),
            statements=number(rows("statement")),
            changes_pending=number(rows("change").where(tables.change.c.state != "anchored")),
            incidents_open=number(rows("incident").where(tables.incident.c.closed_at.is_(None))),
            outbox={state: by_state.get(state.value, 0) for state in AlertState},
            oldest_pending=connection.execute(
                select(func.min(outbox.c.not_before)).where(
                    outbox.c.state.in_([AlertState.PENDING.value, AlertState.HELD.value])
                )
            ).scalar_one(),
        )
