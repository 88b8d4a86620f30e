"""What came in: captures, the decisions about them, and their readings."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, ScalarSelect, bindparam, func, select

from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.reading import Reading
from watcher.domain.text import CanonicalText
from watcher.store import tables
from watcher.store.blobs import BlobFiles
from watcher.store.codec import Found, Query, reading_of, rendition_of, unpairs
from watcher.store.database import Database
from watcher.store.errors import UnknownCaptureError
from watcher.store.rows import Agreement, Capture, CaptureState, Decision, Origin
from watcher.store.texts import find_text

_capture = tables.capture
_decision = tables.capture_decision


def _newest_state() -> ScalarSelect[str]:
    return (
        select(_decision.c.state)
        .where(_decision.c.capture_id == _capture.c.capture_id)
        .order_by(_decision.c.id.desc())
        .limit(1)
        .correlate(_capture)
        .scalar_subquery()
    )


def captures_with_state() -> Query:
    """Return the query of captures, each with its `state`."""
    return select(_capture, _newest_state().label("state"))


class Captures:
    """The captures of every document."""

    def __init__(self, database: Database, blobs: BlobFiles) -> None:
        self._database = database
        self._blobs = blobs

    def latest(self, document_id: DocumentId) -> Capture | None:
        """Return the last capture that was observed, whatever was decided about it.

        Bytes equal to these are no new capture.
        """
        with self._database.read() as connection:
            row = latest_capture(connection, document_id)
            return capture_of(row) if row else None

    def get(self, capture_id: str) -> Capture:
        """Return a capture.

        Raises:
            UnknownCaptureError: there is none of that id.
        """
        with self._database.read() as connection:
            return capture_of(find_capture(connection, capture_id))

    def list(self, document_id: DocumentId) -> tuple[Capture, ...]:
        """Return a document's captures in order."""
        query = (
            captures_with_state()
            .where(_capture.c.document_id == document_id)
            .order_by(_capture.c.ordinal)
        )
        with self._database.read() as connection:
            return tuple(map(capture_of, connection.execute(query).mappings()))

    def held(self, document_id: DocumentId | None = None) -> tuple[Capture, ...]:
        """Return the captures that wait for agreement or for a person, oldest first."""
        query = captures_with_state().where(_newest_state() == CaptureState.HELD.value)
        if document_id is not None:
            query = query.where(_capture.c.document_id == document_id)
        query = query.order_by(_capture.c.captured_at, _capture.c.capture_id)
        with self._database.read() as connection:
            return tuple(map(capture_of, connection.execute(query).mappings()))

    def decisions(self, capture_id: str) -> tuple[Decision, ...]:
        """Return what was decided about a capture, in order."""
        query = (
            select(_decision).where(_decision.c.capture_id == capture_id).order_by(_decision.c.id)
        )
        with self._database.read() as connection:
            return tuple(
                Decision(CaptureState(row["state"]), row["at"], row["actor"], row["reason"])
                for row in connection.execute(query).mappings()
            )

    def agreement(self, capture_id: str) -> Agreement | None:
        """Return how often, and from when to when, the bytes of a capture were observed.

        None where they never were: they were imported.
        """
        seen = tables.observation
        query = select(func.sum(seen.c.count), func.min(seen.c.first), func.max(seen.c.last)).where(
            seen.c.capture_id == capture_id
        )
        with self._database.read() as connection:
            count, first, last = connection.execute(query).one()
        return Agreement(count, first, last) if count else None

    def claims(self, document_id: DocumentId) -> dict[VersionId, tuple[datetime, datetime]]:
        """Return the versions that were imported, each with its first and last claimed time."""
        reading, version = tables.reading, tables.version
        query = (
            select(
                version.c.version, func.min(_capture.c.claimed_at), func.max(_capture.c.claimed_at)
            )
            .join(reading, reading.c.version_row == version.c.id)
            .join(_capture, _capture.c.capture_id == reading.c.capture_id)
            .where(
                _capture.c.document_id == document_id,
                _capture.c.origin == Origin.IMPORTED.value,
                _capture.c.claimed_at.is_not(None),
            )
            .group_by(version.c.version)
        )
        with self._database.read() as connection:
            return {name: (first, last) for name, first, last in connection.execute(query)}

    def body(self, capture_id: str) -> bytes:
        """Return the bytes of a capture, verified.

        Raises:
            UnknownCaptureError: there is none of that id.
            HashMismatchError, UnreadableError: see `BlobFiles.get`; a capture
                whose every text was purged has no bytes any more.
        """
        return self._blobs.get(self.get(capture_id).body_sha256)

    def reading_id(self, capture_id: str, rendition_id: str) -> str | None:
        """Return the id of a capture's reading under a rendition, None for none."""
        reading = tables.reading
        query = select(reading.c.reading_id).where(
            reading.c.capture_id == capture_id, reading.c.rendition_id == rendition_id
        )
        with self._database.read() as connection:
            return connection.execute(query).scalar_one_or_none()

    def source_of(self, document_id: DocumentId, version: VersionId) -> str | None:
        """Return the id of the newest reading that gave a version, None where there is none."""
        named = {"document_id": document_id, "version": version}
        with self._database.read() as connection:
            return connection.execute(_SOURCE_OF, named).scalar_one_or_none()

    def capture_of(self, reading_id: str) -> Capture:
        """Return the capture that a reading was made of.

        Raises:
            UnknownCaptureError: there is no such reading.
        """
        reading = tables.reading
        query = select(reading.c.capture_id).where(reading.c.reading_id == reading_id)
        with self._database.read() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return self.get(found or reading_id)

    def reading(self, reading_id: str) -> Reading:
        """Return a reading: its text, verified, and everything beside it.

        Raises:
            UnknownCaptureError: there is none of that id.
            VersionPurgedError, HashMismatchError, UnreadableError: its text
                cannot be had.
        """
        with self._database.read() as connection:
            row = connection.execute(_READING, {"reading_id": reading_id}).mappings().first()
            if row is None:
                raise UnknownCaptureError(
                    f"there is no reading {reading_id[:80]}", hint="`watcher versions` lists them"
                )
            if row["version"] is not None:
                find_text(connection, row["document_id"], row["version"])
        text = CanonicalText(b"")
        if row["version"] is not None:
            text = CanonicalText(self._blobs.get(row["version"].removeprefix("sha256:")))
        return reading_of(row, text, rendition_of(row))


_READING = (
    select(
        tables.reading,
        tables.reading_detail,
        tables.version.c.document_id,
        tables.version.c.version,
        *(column for column in tables.rendition.columns),
    )
    .join(tables.rendition, tables.rendition.c.rendition_id == tables.reading.c.rendition_id)
    .join(
        tables.reading_detail,
        tables.reading_detail.c.reading_id == tables.reading.c.reading_id,
        isouter=True,
    )
    .join(tables.version, tables.version.c.id == tables.reading.c.version_row, isouter=True)
    .where(tables.reading.c.reading_id == bindparam("reading_id"))
)
_SOURCE_OF = (
    select(tables.reading.c.reading_id)
    .join(tables.version, tables.version.c.id == tables.reading.c.version_row)
    .where(
        tables.version.c.document_id == bindparam("document_id"),
        tables.version.c.version == bindparam("version"),
    )
    .order_by(tables.reading.c.read_at.desc())
    .limit(1)
)
_BY_ID = captures_with_state().where(_capture.c.capture_id == bindparam("capture_id"))
_LATEST = (
    captures_with_state()
    .where(
        _capture.c.document_id == bindparam("document_id"),
        _capture.c.origin != Origin.IMPORTED.value,
    )
    .order_by(_capture.c.ordinal.desc())
    .limit(1)
)
_LATEST_IN_STATE = _LATEST.where(_newest_state() == bindparam("wanted"))


def latest_accepted(column: ColumnElement[str]) -> ScalarSelect[str]:
    """Return the subquery for a column of a document's last accepted capture that was observed.

    The document is the parameter `document_id`.
    """
    return (
        select(column)
        .where(
            _capture.c.document_id == bindparam("document_id"),
            _capture.c.origin != Origin.IMPORTED.value,
            _newest_state() == CaptureState.ACCEPTED.value,
        )
        .order_by(_capture.c.ordinal.desc())
        .limit(1)
        .scalar_subquery()
    )


def latest_capture(
    connection: Connection, document_id: DocumentId, state: CaptureState | None = None
) -> Found | None:
    """Return the row of the last observed capture of a document, in `state` if given."""
    named = {"document_id": document_id}
    if state is None:
        return connection.execute(_LATEST, named).mappings().first()
    return connection.execute(_LATEST_IN_STATE, named | {"wanted": state.value}).mappings().first()


def find_capture(connection: Connection, capture_id: str) -> Found:
    """Return the row of a capture.

    Raises:
        UnknownCaptureError: there is none of that id.
    """
    row = connection.execute(_BY_ID, {"capture_id": capture_id}).mappings().first()
    if row is None:
        raise UnknownCaptureError(
            f"there is no capture {capture_id[:80]}", hint="`watcher versions` lists them"
        )
    return row


def capture_of(row: Found) -> Capture:
    """Return the capture of a row with its state."""
    return Capture(
        capture_id=row["capture_id"],
        document_id=row["document_id"],
        ordinal=row["ordinal"],
        state=CaptureState(row["state"]),
        captured_at=row["captured_at"],
        origin=Origin(row["origin"]),
        claimed_at=row["claimed_at"],
        body_sha256=row["body_sha256"],
        body_size=row["body_size"],
        content_type=row["content_type"],
        url=row["url"],
        final_url=row["final_url"],
        http_status=row["http_status"],
        headers=unpairs(row["headers"]),
        peer=row["peer"],
        tls=unpairs(row["tls"]),
        server_date=row["server_date"],
    )
