"""The rows of statements, in batches, inside the caller's transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from watcher.domain.statements import Statement
from watcher.store import tables
from watcher.store.codec import statement_values

_statement = tables.statement
_tally = tables.statement_tally
_NEW, _NEW_TALLY = insert(_statement), insert(_tally)
_STATED = select(_statement.c.citation_row, _statement.c.algorithm).where(
    _statement.c.version_row == bindparam("version_row"),
    _statement.c.citation_row.between(bindparam("lowest"), bindparam("highest")),
)
_GROW = (
    update(_tally)
    .where(_tally.c.status == bindparam("this"))
    .values(count=_tally.c.count + bindparam("more"))
)


def write_statements(
    connection: Connection,
    version_row: int,
    statements: Sequence[tuple[int, Statement]],
    at: datetime,
) -> int:
    """Write statements about a version (citation number, statement); return how many are new."""
    known = _stated(connection, version_row, [number for number, _ in statements])
    rows = [
        {
            "citation_row": number,
            "version_row": version_row,
            "at": at,
            **statement_values(statement),
        }
        for number, statement in statements
        if (number, statement.algorithm) not in known
    ]
    if rows:
        connection.execute(_NEW, rows)
        _count(connection, Counter(str(row["status"]) for row in rows))
    return len(rows)


def _stated(
    connection: Connection, version_row: int, numbers: Sequence[int]
) -> set[tuple[int, str]]:
    """Return which of a batch have statements; its numbers lie close, so a range does."""
    named = {"version_row": version_row, "lowest": min(numbers), "highest": max(numbers)}
    return {(number, algorithm) for number, algorithm in connection.execute(_STATED, named)}


def _count(connection: Connection, added: Counter[str]) -> None:
    for status, count in added.items():
        if not connection.execute(_GROW, {"this": status, "more": count}).rowcount:
            connection.execute(_NEW_TALLY, {"status": status, "count": count})
