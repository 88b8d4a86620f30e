"""Pins and holds: what must stay live, and what must not be purged."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select

from watcher.domain.ids import DocumentId, VersionId
from watcher.store import tables
from watcher.store.acts import write_act
from watcher.store.citations import find_citation
from watcher.store.codec import Found, Query, wellformed
from watcher.store.database import Database
from watcher.store.documents import find_document
from watcher.store.errors import UnknownHoldError
from watcher.store.rows import Hold, HoldKind, OperatorAct
from watcher.store.texts import find_version

_hold = tables.hold
_release = tables.hold_release


class Holds:
    """The pins and holds on citations, versions and documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pin(self, citation_id: str, *, at: datetime, actor: str, reason: str) -> Hold:
        """Keep a citation live whatever becomes of its emissions.

        Raises:
            UnknownCitationError: none was stored under that id.
        """
        with self._database.read() as connection:
            citation = find_citation(connection, citation_id)
        return self._place(
            HoldKind.PIN,
            citation.citation.document_id,
            OperatorAct(at, actor, "pin", citation_id, citation.citation.document_id, reason),
            citation_row=citation.number,
        )

    def hold(
        self,
        document_id: DocumentId,
        version: VersionId | None = None,
        *,
        at: datetime,
        actor: str,
        reason: str,
    ) -> Hold:
        """Keep a version, or everything of a document, from being purged.

        Raises:
            UnknownDocumentError, UnknownVersionError: there is none.
        """
        with self._database.read() as connection:
            find_document(connection, document_id)
            row = find_version(connection, document_id, version) if version else None
        return self._place(
            HoldKind.HOLD,
            document_id,
            OperatorAct(at, actor, "hold", version or document_id, document_id, reason),
            version_row=row["id"] if row else None,
        )

    def release(self, number: int, *, at: datetime, actor: str, reason: str) -> None:
        """End a pin or a hold; again changes nothing.

        Raises:
            UnknownHoldError: there is none of that number.
        """
        with self._database.write() as connection:
            row = connection.execute(_holds().where(_hold.c.id == number)).mappings().first()
            if row is None:
                raise UnknownHoldError(
                    f"there is no hold {number}", hint="`watcher citations list` shows pins"
                )
            if row["released_at"] is None:
                values = {"hold_row": number, "at": at, "actor": actor, "reason": reason}
                connection.execute(insert(_release), wellformed(values))
                act = OperatorAct(at, actor, "release", str(number), row["document_id"], reason)
                write_act(connection, act)

    def list(self, document_id: DocumentId) -> tuple[Hold, ...]:
        """Return a document's pins and holds, released ones too, oldest first."""
        query = _holds().where(_hold.c.document_id == document_id).order_by(_hold.c.id)
        with self._database.read() as connection:
            return tuple(map(_hold_of, connection.execute(query).mappings()))

    def _place(
        self,
        kind: HoldKind,
        document_id: DocumentId,
        act: OperatorAct,
        *,
        version_row: int | None = None,
        citation_row: int | None = None,
    ) -> Hold:
        values = {
            "kind": kind.value,
            "document_id": document_id,
            "version_row": version_row,
            "citation_row": citation_row,
            "at": act.at,
            "actor": act.actor,
            "reason": act.reason,
        }
        with self._database.write() as connection:
            query = insert(_hold).returning(_hold.c.id)
            number = connection.execute(query, wellformed(values)).scalar_one()
            write_act(connection, act)
            row = connection.execute(_holds().where(_hold.c.id == number)).mappings().one()
            return _hold_of(row)


def _holds() -> Query:
    return (
        select(
            _hold,
            tables.version.c.version,
            tables.citation.c.citation_id,
            _release.c.at.label("released_at"),
        )
        .join(tables.version, tables.version.c.id == _hold.c.version_row, isouter=True)
        .join(tables.citation, tables.citation.c.id == _hold.c.citation_row, isouter=True)
        .join(_release, _release.c.hold_row == _hold.c.id, isouter=True)
    )


def _hold_of(row: Found) -> Hold:
    return Hold(
        number=row["id"],
        kind=HoldKind(row["kind"]),
        document_id=row["document_id"],
        version=row["version"],
        citation_id=row["citation_id"],
        at=row["at"],
        actor=row["actor"],
        reason=row["reason"],
        released_at=row["released_at"],
    )
