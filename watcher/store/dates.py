"""Days from which versions apply: found in their texts, decided by persons."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from sqlalchemy import Connection, func, insert, select

from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.resolution import UnknownVersionError
from watcher.domain.reviews import DateStatus
from watcher.store import tables
from watcher.store.acts import write_act
from watcher.store.codec import Found, Query, wellformed
from watcher.store.database import Database
from watcher.store.errors import UnknownDateError
from watcher.store.rows import CaptureState, EffectiveDate, OperatorAct

_date = tables.effective_date
_decision = tables.date_decision
_scan = tables.date_scan
_version = tables.version


class Dates:
    """The dates of effect of every version. Found ones never change; decisions are added."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def unscanned(
        self, document_id: DocumentId | None = None, *, limit: int = 100
    ) -> tuple[tuple[DocumentId, VersionId], ...]:
        """Return accepted versions, imported ones too, that are stored and not searched yet."""
        reading, decision = tables.reading, tables.capture_decision
        accepted = (
            select(reading.c.version_row)
            .join(decision, decision.c.capture_id == reading.c.capture_id)
            .where(decision.c.state == CaptureState.ACCEPTED.value)
        )
        query = (
            select(_version.c.document_id, _version.c.version)
            .join(tables.stored_text, tables.stored_text.c.version_row == _version.c.id)
            .where(
                _version.c.id.in_(accepted),
                _version.c.id.not_in(select(_scan.c.version_row)),
            )
            .order_by(_version.c.id)
            .limit(limit)
        )
        if document_id is not None:
            query = query.where(_version.c.document_id == document_id)
        with self._database.read() as connection:
            return tuple((row.document_id, row.version) for row in connection.execute(query))

    def scanned(
        self,
        document_id: DocumentId,
        version: VersionId,
        found: Iterable[tuple[date, Range]],
        *,
        at: datetime,
        method: str,
    ) -> None:
        """Record what a search of a version found, once; a second search changes nothing.

        Raises:
            UnknownVersionError: the document has no such version.
        """
        with self._database.write() as connection:
            number = _version_row(connection, document_id, version)
            done = select(_scan.c.version_row).where(_scan.c.version_row == number)
            if connection.execute(done).first() is not None:
                return
            scan = {"version_row": number, "at": at, "method": method}
            connection.execute(insert(_scan), wellformed(scan))
            for day, place in dict.fromkeys(found):
                _write(connection, number, day, place, at)

    def state(
        self, document_id: DocumentId, version: VersionId, day: date, *, at: datetime
    ) -> EffectiveDate:
        """Return the date of that day, putting in one without a range where there is none.

        Raises:
            UnknownVersionError: the document has no such version.
        """
        with self._database.write() as connection:
            number = _version_row(connection, document_id, version)
            same = (_date.c.version_row == number, _date.c.day == day.isoformat())
            known = connection.execute(_dates().where(*same).order_by(_date.c.id)).mappings()
            row = known.first()
            if row is not None:
                return _date_of(row)
            written = _write(connection, number, day, Range(0, 0), at)
            return _find(connection, written)

    def decide(
        self, number: int, decision: DateStatus, *, at: datetime, actor: str
    ) -> EffectiveDate:
        """Append a person's decision: `confirmed` or `rejected`; return the date with it.

        Raises:
            UnknownDateError: there is none of that number.
        """
        with self._database.write() as connection:
            row = {"date_row": number, "at": at, "actor": actor, "decision": decision.value}
            before = _find(connection, number)
            connection.execute(insert(_decision), wellformed(row))
            act = OperatorAct(
                at,
                actor,
                "date",
                str(number),
                before.document_id,
                before=before.status.value,
                after=decision.value,
            )
            write_act(connection, act)
            return _find(connection, number)

    def get(self, number: int) -> EffectiveDate:
        """Return a date of effect.

        Raises:
            UnknownDateError: there is none of that number.
        """
        with self._database.read() as connection:
            return _find(connection, number)

    def list(self, document_id: DocumentId | None = None) -> tuple[EffectiveDate, ...]:
        """Return the dates of one document or of all, the earliest day first."""
        query = _dates().order_by(_date.c.day, _date.c.version_row, _date.c.id)
        if document_id is not None:
            query = query.where(_version.c.document_id == document_id)
        with self._database.read() as connection:
            return tuple(map(_date_of, connection.execute(query).mappings()))


def _version_row(connection: Connection, document_id: DocumentId, version: VersionId) -> int:
    query = select(_version.c.id).where(
        _version.c.document_id == document_id, _version.c.version == version
    )
    number = connection.execute(query).scalar_one_or_none()
    if number is None:
        raise UnknownVersionError(
            f"there is no version {version[:19]}",
            document_id=document_id,
            hint=f"`watcher versions {document_id}` lists them",
        )
    return int(number)


def _write(connection: Connection, number: int, day: date, place: Range, at: datetime) -> int:
    values = {
        "version_row": number,
        "day": day.isoformat(),
        "start": place.start,
        "end": place.end,
        "at": at,
    }
    query = insert(_date).values(values).returning(_date.c.id)
    return int(connection.execute(query).scalar_one())


def _dates() -> Query:
    latest = (
        select(func.max(_decision.c.id))
        .where(_decision.c.date_row == _date.c.id)
        .correlate(_date)
        .scalar_subquery()
    )
    return (
        select(
            _date.c.id,
            _date.c.day,
            _date.c.start,
            _date.c.end,
            _date.c.at,
            _version.c.document_id,
            _version.c.version,
            _decision.c.decision,
            _decision.c.at.label("decided_at"),
            _decision.c.actor,
        )
        .join(_version, _version.c.id == _date.c.version_row)
        .join(_decision, _decision.c.id == latest, isouter=True)
    )


def _find(connection: Connection, number: int) -> EffectiveDate:
    row = connection.execute(_dates().where(_date.c.id == number)).mappings().first()
    if row is None:
        raise UnknownDateError(
            f"there is no such date {number}", hint="`watcher dates list` lists them"
        )
    return _date_of(row)


def _date_of(row: Found) -> EffectiveDate:
    return EffectiveDate(
        number=row["id"],
        document_id=row["document_id"],
        version=row["version"],
        day=date.fromisoformat(row["day"]),
        range=Range(row["start"], row["end"]) if row["end"] > row["start"] else None,
        at=row["at"],
        status=DateStatus(row["decision"] or "extracted"),
        decided_at=row["decided_at"],
        actor=row["actor"] or "",
    )
