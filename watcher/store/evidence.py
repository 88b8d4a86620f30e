"""The rows of a commit, one function for each kind, inside the caller's transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, insert, select

from watcher.domain.annotations import annotations_digest
from watcher.domain.changes import Cause, ChangeKind
from watcher.domain.ids import DocumentId, VersionId, capture_id, change_id, reading_id
from watcher.domain.reading import JOINED, Reading, Rendition
from watcher.store import tables
from watcher.store.codec import Found, Values, detail_values, pairs, rendition_values, wellformed
from watcher.store.documents import set_validators
from watcher.store.errors import DecisionError, RenditionMismatchError
from watcher.store.rows import Decision, NewCapture, NewObservation, StoredValidators
from watcher.store.texts import write_text

_reading = tables.reading
_became = tables.became_current
_NEWEST_CURRENT = (
    select(
        _became.c.id,
        _became.c.at,
        _became.c.version_row,
        _reading.c.reading_id,
        _reading.c.capture_id,
        _reading.c.rendition_id,
        _reading.c.annotations,
        _reading.c.media_type,
    )
    .join(_reading, _reading.c.reading_id == _became.c.reading_id)
    .where(_became.c.document_id == bindparam("document_id"))
    .order_by(_became.c.id.desc())
    .limit(1)
)
_NEW_CAPTURE, _NEW_DECISION = insert(tables.capture), insert(tables.capture_decision)
_NEW_READING, _NEW_DETAIL = insert(_reading), insert(tables.reading_detail)
_NEW_CURRENT, _NEW_CHANGE = insert(_became), insert(tables.change)
_ORDINAL = select(func.max(tables.capture.c.ordinal)).where(
    tables.capture.c.document_id == bindparam("document_id")
)
_READ = (
    select(_reading.c.reading_id, _reading.c.version_row, tables.version.c.version)
    .join(tables.version, tables.version.c.id == _reading.c.version_row, isouter=True)
    .where(_reading.c.capture_id == bindparam("capture_id"))
    .order_by(_reading.c.read_at.desc(), _reading.c.reading_id)
    .limit(1)
)
_READ_UNDER = _READ.where(_reading.c.rendition_id == bindparam("rendition_id"))
_KNOWN_CHANGE = select(tables.change.c.id).where(
    tables.change.c.change_id == bindparam("change_id")
)
_ENGINE = select(tables.rendition.c.engine).where(
    tables.rendition.c.rendition_id == bindparam("rendition_id")
)
_ANNOTATIONS = select(_reading.c.annotations).where(
    _reading.c.reading_id == bindparam("reading_id")
)


@dataclass(frozen=True, slots=True)
class Read:
    """A reading that is in the table. Its version is None where it gave no text."""

    reading_id: str
    version_row: int | None
    version: VersionId | None
    new_version: bool = False


def write_capture(
    connection: Connection, document_id: DocumentId, capture: NewCapture, body: str
) -> str:
    """Write a capture as the document's next one and return its id; `body` is its SHA-256."""
    count = connection.execute(_ORDINAL, {"document_id": document_id}).scalar_one()
    ordinal = (count or 0) + 1
    name = capture_id(document_id, ordinal, body)
    values: Values = {
        "capture_id": name,
        "document_id": document_id,
        "ordinal": ordinal,
        "captured_at": capture.captured_at,
        "origin": capture.origin.value,
        "claimed_at": capture.claimed_at,
        "body_sha256": body,
        "body_size": len(capture.body),
        "content_type": capture.content_type,
        "url": capture.url,
        "final_url": capture.final_url,
        "http_status": capture.http_status,
        "headers": pairs(capture.headers),
        "peer": capture.peer,
        "tls": pairs(capture.tls),
        "server_date": capture.server_date,
    }
    connection.execute(_NEW_CAPTURE, wellformed(values))
    return name


def decide(connection: Connection, name: str, decision: Decision) -> None:
    """Append a decision about the capture `name`."""
    values: Values = {
        "capture_id": name,
        "state": decision.state.value,
        "at": decision.at,
        "actor": decision.actor,
        "reason": decision.reason,
    }
    connection.execute(_NEW_DECISION, wellformed(values))


def write_reading(
    connection: Connection, document_id: DocumentId, name: str, reading: Reading, at: datetime
) -> Read:
    """Write how the capture `name` reads, and the version that it reads to.

    A reading that is there already is returned as it is: a capture has one
    under each rendition.
    """
    rendition = reading.rendition
    known = find_reading(connection, name, rendition.rendition_id)
    if known is not None:
        return known
    if not _has_rendition(connection, rendition):
        connection.execute(insert(tables.rendition), rendition_values(rendition))
    version_row, new_version = None, False
    if reading.usable:
        version_row, new_version = write_text(connection, document_id, reading.text, at)
    number = reading_id(name, rendition.rendition_id)
    values: Values = {
        "reading_id": number,
        "capture_id": name,
        "rendition_id": rendition.rendition_id,
        "version_row": version_row,
        "read_at": at,
        "media_type": reading.media_type.value if reading.media_type else "",
        "verdict": reading.verdict.value,
        "annotations": annotations_digest(reading),
    }
    connection.execute(_NEW_READING, values)
    detail = {"reading_id": number, **detail_values(reading)}
    connection.execute(_NEW_DETAIL, wellformed(detail))
    version = reading.text.version if reading.usable else None
    return Read(number, version_row, version, new_version)


def find_reading(connection: Connection, name: str, rendition_id: str | None = None) -> Read | None:
    """Return the reading of the capture `name` under a rendition, or its newest of all."""
    named = {"capture_id": name}
    if rendition_id is None:
        row = connection.execute(_READ, named).first()
    else:
        row = connection.execute(_READ_UNDER, named | {"rendition_id": rendition_id}).first()
    return Read(*row) if row else None


def newest_current(connection: Connection, document_id: DocumentId) -> Found | None:
    """Return the newest row of what became current, with its reading's columns."""
    return connection.execute(_NEWEST_CURRENT, {"document_id": document_id}).mappings().first()


def make_current(
    connection: Connection, document_id: DocumentId, read: Read, at: datetime, cause: Cause
) -> str | None:
    """Make a reading the current one; return the id of the change that this is, if any.

    Raises:
        DecisionError: the reading gave no text.
    """
    if read.version_row is None:
        raise DecisionError(
            "its text could not be read, so it cannot become current",
            document_id=document_id,
            hint="reject it, or read it again with another engine",
        )
    before = newest_current(connection, document_id)
    values: Values = {
        "document_id": document_id,
        "at": at,
        "reading_id": read.reading_id,
        "version_row": read.version_row,
    }
    connection.execute(_NEW_CURRENT, values)
    if before is None:
        return None
    if before["version_row"] != read.version_row:
        kind = ChangeKind.TEXT
    elif before["annotations"] != _annotations(connection, read.reading_id):
        kind = ChangeKind.ANNOTATION
    else:
        return None
    name = change_id(document_id, before["reading_id"], read.reading_id)
    if connection.execute(_KNOWN_CHANGE, {"change_id": name}).first() is None:
        values = {
            "change_id": name,
            "document_id": document_id,
            "kind": kind.value,
            "cause": cause.value,
            "from_reading": before["reading_id"],
            "to_reading": read.reading_id,
            "from_version": before["version_row"],
            "to_version": read.version_row,
            "at": at,
            "state": "stored",
        }
        connection.execute(_NEW_CHANGE, values)
    return name


def check_rendition(connection: Connection, document_id: DocumentId, reading: Reading) -> None:
    """Check that the reading's rendition is the pinned one, or that none is pinned yet.

    A document that its publisher moved to another format has none pinned for
    that: no recipe reads both, and what the move changes is the publisher's.
    The same holds where one of several sources changed its format, or came.

    Raises:
        RenditionMismatchError: the document is pinned to another.
    """
    current = newest_current(connection, document_id)
    rendition = reading.rendition
    if current is None or current["media_type"] != (reading.media_type or ""):
        return
    if current["rendition_id"] != rendition.rendition_id:
        if JOINED in (rendition.engine, _engine_of(connection, current["rendition_id"])):
            return
        raise RenditionMismatchError(
            f"it is pinned to the rendition {current['rendition_id']},"
            f" this reading has {rendition.rendition_id}",
            document_id=document_id,
            hint="read the current capture under the new rendition first, so that the change"
            " that our engine makes is told apart from the publisher's",
        )


def keep_validators(
    connection: Connection, document_id: DocumentId, name: str, observation: NewObservation
) -> None:
    """Keep the validators that came with the accepted capture `name` (none: forget the old)."""
    found = StoredValidators(
        observation.final_url, observation.etag, observation.last_modified, name
    )
    set_validators(connection, document_id, found)


def keep_observed_validators(connection: Connection, document_id: DocumentId, name: str) -> None:
    """Keep the validators of the last observation of a capture that is accepted only now."""
    seen = tables.observation
    query = (
        select(seen.c.final_url, seen.c.etag, seen.c.last_modified)
        .where(seen.c.capture_id == name)
        .order_by(seen.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    if row is not None:
        set_validators(connection, document_id, StoredValidators(*row, name))


def _has_rendition(connection: Connection, rendition: Rendition) -> bool:
    return _engine_of(connection, rendition.rendition_id) is not None


def _engine_of(connection: Connection, rendition_id: str) -> str | None:
    return connection.execute(_ENGINE, {"rendition_id": rendition_id}).scalar_one_or_none()


def _annotations(connection: Connection, name: str) -> str:
    return str(connection.execute(_ANNOTATIONS, {"reading_id": name}).scalar_one())
