"""What changed, and how far the work on each change is.

A change is stored with its readings, then classified, then anchored; each step
is one transaction and may be repeated after a crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from watcher.align.model import TextMap
from watcher.domain.changes import Cause, ChangeKind, Classification
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.statements import Statement
from watcher.store import tables
from watcher.store.codec import (
    Found,
    Query,
    classification_of,
    classification_values,
    hunk_values,
    map_of,
    map_values,
)
from watcher.store.database import Database
from watcher.store.errors import ChangeStateError, UnknownChangeError
from watcher.store.outbox import write_alerts
from watcher.store.rows import Alert, Change, ChangeState, NewAlert
from watcher.store.statements import write_statements

_change = tables.change
_from = tables.version.alias("from_name")
_to = tables.version.alias("to_name")
_CLASSIFICATION = select(tables.classification).where(
    tables.classification.c.change_row == bindparam("change_row")
)
_HUNKS = (
    select(tables.hunk)
    .where(tables.hunk.c.change_row == bindparam("change_row"))
    .order_by(tables.hunk.c.ordinal)
)
_TEXT_MAP = select(tables.text_map).where(tables.text_map.c.change_row == bindparam("change_row"))
_MAP_BETWEEN = (
    select(tables.text_map)
    .join(_change, _change.c.id == tables.text_map.c.change_row)
    .join(_from, _from.c.id == _change.c.from_version)
    .join(_to, _to.c.id == _change.c.to_version)
    .where(
        _change.c.document_id == bindparam("document_id"),
        _from.c.version == bindparam("old"),
        _to.c.version == bindparam("new"),
        tables.text_map.c.algorithm == bindparam("algorithm"),
    )
    .order_by(_change.c.id.desc())
    .limit(1)
)
_NEW_CLASSIFICATION, _NEW_HUNKS = insert(tables.classification), insert(tables.hunk)
_NEW_MAP, _NEW_ANCHORED = insert(tables.text_map), insert(tables.anchored)
_SET_STATE = update(_change).where(_change.c.id == bindparam("this"))


class Changes:
    """The changes of every document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pending(self, *, limit: int = 100) -> tuple[Change, ...]:
        """Return changes on which work is left, oldest first."""
        query = _PENDING.limit(limit)
        with self._database.read() as connection:
            return tuple(map(_change_of, connection.execute(query).mappings()))

    def get(self, change_id: str) -> Change:
        """Return a change.

        Raises:
            UnknownChangeError: there is none of that id.
        """
        with self._database.read() as connection:
            return _change_of(_find(connection, change_id))

    def list(
        self,
        document_id: DocumentId | None = None,
        *,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[Change, ...]:
        """Return the newest changes, of one document or of all, newest first.

        `before`: only those whose number is smaller.
        """
        query = _changes().order_by(_change.c.id.desc()).limit(limit)
        if document_id is not None:
            query = query.where(_change.c.document_id == document_id)
        if before is not None:
            query = query.where(_change.c.id < before)
        with self._database.read() as connection:
            return tuple(map(_change_of, connection.execute(query).mappings()))

    def judged_under(self, change_id: str) -> str:
        """Return the digest of the settings that a change was judged under, if any is kept.

        Raises:
            UnknownChangeError: there is none of that id.
        """
        table = tables.classification
        with self._database.read() as connection:
            row = _find(connection, change_id)
            query = select(table.c.config).where(table.c.change_row == row["id"])
            return connection.execute(query).scalar_one_or_none() or ""

    def save_classification(
        self,
        change_id: str,
        classification: Classification,
        text_map: TextMap | None = None,
        *,
        at: datetime,
        chance: float | None = None,
        config: str = "",
        statements: Sequence[tuple[int, Statement]] = (),
    ) -> None:
        """Keep the judgement and the map that it rests on; the change is classified.

        `config` is the digest of the settings that were in force. `statements`
        (see `save_statements`) are kept in the same transaction.

        `chance` is the probability with which it was drawn for review, None
        where it was not drawn.

        Sentences (headline, explanation, an atom's `why`) are not kept: they
        quote the text, and classifying the same map again gives the same ones.
        A change that is classified already stays as it is.

        Raises:
            UnknownChangeError: there is none of that id.
        """
        with self._database.write() as connection:
            row = _find(connection, change_id)
            if row["state"] != ChangeState.STORED.value:
                return
            values = classification_values(classification)
            head = {"change_row": row["id"], "at": at, "config": config, **values}
            connection.execute(_NEW_CLASSIFICATION, head)
            hunks = [
                {"change_row": row["id"], "ordinal": ordinal, **hunk_values(hunk)}
                for ordinal, hunk in enumerate(classification.hunks)
            ]
            if hunks:
                connection.execute(_NEW_HUNKS, hunks)
            if text_map is not None:
                packed = {"change_row": row["id"], **map_values(text_map)}
                connection.execute(_NEW_MAP, packed)
            if chance is not None:
                drawn = {"change_row": row["id"], "at": at, "chance": chance}
                connection.execute(insert(tables.review_sample), drawn)
            if statements:
                write_statements(connection, row["to_version_row"], statements, at)
            _advance(connection, row["id"], ChangeState.CLASSIFIED)

    def classification(self, change_id: str) -> Classification | None:
        """Return the judgement on a change, without its sentences; None if not made yet.

        Raises:
            UnknownChangeError: there is none of that id.
        """
        with self._database.read() as connection:
            named = {"change_row": _find(connection, change_id)["id"]}
            head = connection.execute(_CLASSIFICATION, named).mappings().first()
            if head is None:
                return None
            return classification_of(head, connection.execute(_HUNKS, named).mappings())

    def text_map(self, change_id: str) -> TextMap | None:
        """Return the map of a change, None if none was kept.

        Raises:
            UnknownChangeError: there is none of that id.
            HashMismatchError: the stored map is damaged.
        """
        with self._database.read() as connection:
            named = {"change_row": _find(connection, change_id)["id"]}
            row = connection.execute(_TEXT_MAP, named).mappings().first()
        return map_of(row) if row else None

    def map_between(
        self, document_id: DocumentId, old: VersionId, new: VersionId, *, algorithm: str
    ) -> TextMap | None:
        """Return the newest map that was kept with a change from `old` to `new`, None for none.

        Raises:
            HashMismatchError: the stored map is damaged.
        """
        named = {"document_id": document_id, "old": old, "new": new, "algorithm": algorithm}
        with self._database.read() as connection:
            row = connection.execute(_MAP_BETWEEN, named).mappings().first()
        return map_of(row) if row else None

    def save_statements(
        self, change_id: str, statements: Sequence[tuple[int, Statement]], *, at: datetime
    ) -> int:
        """Keep a batch of statements (citation number, statement); return how many are new.

        One transaction for each batch. What is there already, by citation,
        version and algorithm, stays.

        Raises:
            UnknownChangeError: there is none of that id.
        """
        if not statements:
            return 0
        with self._database.write() as connection:
            version_row = _find(connection, change_id)["to_version_row"]
            return write_statements(connection, version_row, statements, at)

    def finish(self, change_id: str, alerts: Iterable[NewAlert] = ()) -> tuple[Alert, ...]:
        """Mark a change anchored and put its alerts into the outbox, in one transaction.

        A change that is anchored already gets no more alerts.

        Raises:
            UnknownChangeError: there is none of that id.
            ChangeStateError: it is not classified yet.
        """
        with self._database.write() as connection:
            row = _find(connection, change_id)
            if row["state"] == ChangeState.ANCHORED.value:
                return ()
            if row["state"] == ChangeState.STORED.value:
                raise ChangeStateError(
                    f"the change {change_id} is not classified yet",
                    document_id=row["document_id"],
                    hint="save its classification first",
                )
            _advance(connection, row["id"], ChangeState.ANCHORED)
            connection.execute(_NEW_ANCHORED, {"change_row": row["id"]})
            return write_alerts(connection, alerts)


def _changes() -> Query:
    return (
        select(
            _change.c.id,
            _change.c.change_id,
            _change.c.document_id,
            _change.c.kind,
            _change.c.cause,
            _change.c.from_reading,
            _change.c.to_reading,
            _change.c.at,
            _change.c.state,
            _change.c.to_version.label("to_version_row"),
            _from.c.version.label("from_version"),
            _to.c.version.label("to_version"),
        )
        .join(_from, _from.c.id == _change.c.from_version)
        .join(_to, _to.c.id == _change.c.to_version)
    )


_BY_ID = _changes().where(_change.c.change_id == bindparam("change_id"))
_PENDING = _changes().where(_change.c.state != ChangeState.ANCHORED.value).order_by(_change.c.id)


def _find(connection: Connection, change_id: str) -> Found:
    row = connection.execute(_BY_ID, {"change_id": change_id}).mappings().first()
    if row is None:
        raise UnknownChangeError(
            f"there is no change {change_id[:80]}", hint="`watcher changes` lists them"
        )
    return row


def _advance(connection: Connection, number: int, state: ChangeState) -> None:
    connection.execute(_SET_STATE, {"this": number, "state": state.value})


def _change_of(row: Found) -> Change:
    return Change(
        number=row["id"],
        change_id=row["change_id"],
        document_id=row["document_id"],
        kind=ChangeKind(row["kind"]),
        cause=Cause(row["cause"]),
        from_reading=row["from_reading"],
        to_reading=row["to_reading"],
        from_version=row["from_version"],
        to_version=row["to_version"],
        at=row["at"],
        state=ChangeState(row["state"]),
    )
