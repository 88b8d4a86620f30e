"""How much there is of everything, for gauges and counters."""

from __future__ import annotations

from sqlalchemy import Connection, Select, Subquery, exists, func, select

from watcher.domain.changes import ChangeClass, Tier
from watcher.domain.statements import Status
from watcher.store import tables
from watcher.store.captures import captures_with_state
from watcher.store.database import Database
from watcher.store.rows import AlertState, CaptureState, Counts


def count(database: Database) -> Counts:
    """Count in one snapshot."""
    document, incident, text = tables.document, tables.incident, tables.stored_text
    # What was only ever put in by hand is never fetched, so it can be neither stale nor failing.
    watched = (document.c.state == "active") & (document.c.config_digest != "")
    failing = exists().where(
        incident.c.document_id == document.c.document_id, incident.c.closed_at.is_(None)
    )
    held = _held_captures()
    last_is_held = select(held.c.document_id).where(
        held.c.ordinal
        == select(func.max(tables.capture.c.ordinal))
        .where(tables.capture.c.document_id == held.c.document_id)
        .scalar_subquery()
    )
    with database.read() as connection:

        def number(query: Select[int]) -> int:
            return connection.execute(query).scalar_one()

        return Counts(
            documents=number(_rows("document")),
            documents_retired=number(_rows("document").where(~watched)),
            documents_failing=number(_rows("document").where(watched, failing)),
            documents_held=number(
                _rows("document").where(watched, document.c.document_id.in_(last_is_held))
            ),
            stalest_success=connection.execute(
                select(func.min(document.c.last_success)).where(watched)
            ).scalar_one(),
            versions=number(_rows("version")),
            version_bytes=number(select(func.coalesce(func.sum(text.c.size), 0))),
            captures=number(_rows("capture")),
            captures_held=number(select(func.count()).select_from(held)),
            observations=number(select(func.coalesce(func.sum(tables.observation.c.count), 0))),
            citations=number(_rows("citation")),
            emissions=number(_rows("emission")),
            changes=_changes(connection),
            changes_pending=number(_rows("change").where(tables.change.c.state != "anchored")),
            statements=_statements(connection),
            deliveries=_deliveries(connection),
            oldest_pending=connection.execute(
                select(func.min(tables.outbox.c.due_at)).where(
                    tables.outbox.c.state == AlertState.PENDING.value
                )
            ).scalar_one(),
            incidents_open=number(_rows("incident").where(incident.c.closed_at.is_(None))),
            database_bytes=database.size(),
            wal_bytes=database.journal_size(),
        )


def _rows(table: str) -> Select[int]:
    return select(func.count()).select_from(tables.METADATA.tables[table])


def _held_captures() -> Subquery:
    states = captures_with_state().subquery()
    return select(states).where(states.c.state == CaptureState.HELD.value).subquery()


def _changes(connection: Connection) -> dict[tuple[ChangeClass, Tier], int]:
    table = tables.classification
    query = select(table.c.change_class, table.c.tier, func.count()).group_by(
        table.c.change_class, table.c.tier
    )
    return {
        (ChangeClass(judged), Tier(tier)): number
        for judged, tier, number in connection.execute(query)
    }


def _statements(connection: Connection) -> dict[Status, int]:
    table = tables.statement_tally
    query = select(table.c.status, table.c.count)
    return {Status(status): number for status, number in connection.execute(query)}


def _deliveries(connection: Connection) -> dict[tuple[str, AlertState], int]:
    table = tables.outbox
    query = select(table.c.channel, table.c.state, func.count()).group_by(
        table.c.channel, table.c.state
    )
    return {
        (channel, AlertState(state)): number for channel, state, number in connection.execute(query)
    }
