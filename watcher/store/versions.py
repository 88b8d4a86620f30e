"""What a document says now, said at a time, and ever said."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, ScalarSelect, bindparam, exists, func, select

from watcher.domain.chunks import Chunk
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.resolution import HashMismatchError
from watcher.domain.text import CanonicalText
from watcher.store import tables
from watcher.store.blobs import BlobFiles
from watcher.store.codec import Found, Query, rendition_of
from watcher.store.database import Database
from watcher.store.documents import find_document
from watcher.store.evidence import newest_current
from watcher.store.observations import observation_of
from watcher.store.rows import Current, Gap, Observation, Standing, Tombstone, Version, VersionAt
from watcher.store.texts import find_text, find_version, stored_chunks

_became = tables.became_current
_seen = tables.observation
_FAILED_SHOWN = 100


def _standing_query() -> Query:
    """Return the query for the last time a version became current, and what came after.

    `successor` is when another version followed, `since` the time from which
    on no other version was current before the last.
    """
    here = _became.c.document_id == bindparam("document_id")
    same = _became.c.version_row == bindparam("version_row")
    newest, oldest = _became.c.id.desc(), _became.c.id
    last = select(_became.c.id).where(here, same).order_by(newest).limit(1).scalar_subquery()
    other = select(_became.c.id).where(here, ~same).order_by(newest).limit(1).scalar_subquery()
    after_last = select(_became.c.at).where(here, _became.c.id > last)
    after_other = select(_became.c.at).where(here, _became.c.id > func.coalesce(other, 0))
    return select(
        last.label("last"),
        after_last.order_by(oldest).limit(1).scalar_subquery().label("successor"),
        after_other.order_by(oldest).limit(1).scalar_subquery().label("since"),
    )


_STANDING = _standing_query()
_VERSION_AND_RENDITION = (
    select(tables.version.c.version, tables.rendition)
    .join_from(
        tables.version,
        tables.rendition,
        tables.rendition.c.rendition_id == bindparam("rendition_id"),
    )
    .where(tables.version.c.id == bindparam("version_row"))
)


class Versions:
    """The versions of every document."""

    def __init__(self, database: Database, blobs: BlobFiles) -> None:
        self._database = database
        self._blobs = blobs

    def current(self, document_id: DocumentId) -> Current | None:
        """Return a document's current reading, None before the first.

        Raises:
            UnknownDocumentError: there is no such document.
        """
        with self._database.read() as connection:
            find_document(connection, document_id)
            row = newest_current(connection, document_id)
            if row is None:
                return None
            named = {"version_row": row["version_row"], "rendition_id": row["rendition_id"]}
            rendition = connection.execute(_VERSION_AND_RENDITION, named).mappings().one()
            return Current(
                document_id,
                rendition["version"],
                row["reading_id"],
                row["capture_id"],
                rendition_of(rendition),
                _current_since(connection, document_id, row["version_row"]),
            )

    def list(self, document_id: DocumentId) -> tuple[Version, ...]:
        """Return every version of a document, in the order they were first stored.

        Raises:
            UnknownDocumentError: there is no such document.
        """
        version, text = tables.version, tables.stored_text
        query = (
            select(version, text.c.id.label("text_row"), text.c.size, text.c.pages)
            .join(text, text.c.version_row == version.c.id, isouter=True)
            .where(version.c.document_id == document_id)
            .order_by(version.c.id)
        )
        with self._database.read() as connection:
            document = find_document(connection, document_id)
            standings = _standings(connection, document)
            rows = connection.execute(query).mappings()
            return tuple(_version_of(row, standings.get(row["id"])) for row in rows)

    def get(self, document_id: DocumentId, version: VersionId) -> Version:
        """Return one version of a document; a purged one, too.

        Raises:
            UnknownDocumentError, UnknownVersionError: there is none.
        """
        with self._database.read() as connection:
            row = find_version(connection, document_id, version)
            return _version_of(row, standing(connection, row))

    def text(self, document_id: DocumentId, version: VersionId) -> CanonicalText:
        """Return the canonical text of a version, verified against its name.

        Raises:
            UnknownDocumentError, UnknownVersionError: there is none.
            VersionPurgedError: it was purged; the message tells the tombstone.
            HashMismatchError: the stored bytes are damaged.
            UnreadableError: the store cannot tell now.
        """
        with self._database.read() as connection:
            find_text(connection, document_id, version)
        return read_text(self._blobs, document_id, version)

    def chunks(self, document_id: DocumentId, version: VersionId) -> tuple[Chunk, ...]:
        """Return the stored chunks of a version.

        Raises:
            UnknownDocumentError, UnknownVersionError, VersionPurgedError: as `text`.
        """
        with self._database.read() as connection:
            row = find_text(connection, document_id, version)
            return stored_chunks(connection, row["text_row"])

    def tombstones(self, document_id: DocumentId) -> tuple[Tombstone, ...]:
        """Return what was purged of a document, oldest first."""
        table, text = tables.tombstone, tables.stored_text
        query = (
            select(table, text.c.stored_at.label("returned_at"))
            .join(text, text.c.version_row == table.c.version_row, isouter=True)
            .where(table.c.document_id == document_id)
            .order_by(table.c.id)
        )
        with self._database.read() as connection:
            return tuple(map(_tombstone_of, connection.execute(query).mappings()))

    def at(self, document_id: DocumentId, time: datetime) -> VersionAt:
        """Return what the observations say of a document at `time`, and nothing more.

        Raises:
            UnknownDocumentError: there is no such document.
        """
        with self._database.read() as connection:
            find_document(connection, document_id)
            confirmed = _first(
                connection,
                _confirming(document_id)
                .where(_seen.c.first <= time)
                .order_by(_seen.c.first.desc(), _seen.c.id.desc()),
            )
            if confirmed is None:
                after = _first(connection, _next_after(document_id, time))
                before = _gap(connection, document_id, None, after)
                return VersionAt(time, None, None, after, before)
            version_row, version = _read_at(connection, confirmed, time)
            differs = _first(
                connection,
                _next_after(document_id, time).where(
                    _seen.c.capture_id.not_in(_captures_reading(version_row))
                ),
            )
            gap: Gap | None = None
            if time > confirmed.last:
                after = _first(connection, _next_after(document_id, confirmed.last))
                gap = _gap(connection, document_id, confirmed.last, after)
            elif confirmed.count == 2 and confirmed.first < time < confirmed.last:
                gap = Gap(confirmed.first, confirmed.last)
            return VersionAt(time, version, confirmed, differs, gap)


def read_text(blobs: BlobFiles, document_id: DocumentId, version: VersionId) -> CanonicalText:
    """Return the text of a version that is known to be held, verified.

    Raises:
        HashMismatchError: the stored bytes are damaged.
        UnreadableError: the file system does not answer now.
    """
    try:
        return CanonicalText(blobs.get(version.removeprefix("sha256:")))
    except HashMismatchError as error:
        error.document_id = document_id
        raise


def read_recent(blobs: BlobFiles, document_id: DocumentId, version: VersionId) -> CanonicalText:
    """Return what `read_text` does; a text that was verified a moment ago is not hashed again.

    Raises:
        HashMismatchError, UnreadableError: as `read_text`.
    """
    name = version.removeprefix("sha256:")
    stamp = blobs.stamp(name)
    found = blobs.recent.get(name, stamp)
    if found is None:
        found = read_text(blobs, document_id, version)
        if stamp is not None and found.version == version:
            blobs.recent.keep(name, stamp, found)
    return found


def recent_text(blobs: BlobFiles, version: VersionId) -> CanonicalText | None:
    """Return a text that was verified a moment ago and whose file is the same; else None."""
    name = version.removeprefix("sha256:")
    return blobs.recent.get(name, blobs.stamp(name))


def prove_chunks(
    connection: Connection, blobs: BlobFiles, document_id: DocumentId, version: VersionId
) -> None:
    """Read back a version that is being stored, and prove each of its chunks.

    Raises:
        HashMismatchError: what was written is not what was meant.
        UnreadableError: the file system does not answer now.
    """
    text = read_text(blobs, document_id, version)
    row = find_text(connection, document_id, version)
    for part in stored_chunks(connection, row["text_row"]):
        cut = hashlib.sha256(text.data[part.start : part.end]).hexdigest()
        if cut != part.sha256 or text.page_of(part.start) != part.page:
            raise HashMismatchError(
                f"the chunk {part.start}:{part.end} of {version} does not give its hash again",
                document_id=document_id,
                hint="nothing was stored; check the disk, then the document is tried again",
            )


def standing(connection: Connection, version: Found) -> tuple[Standing, datetime] | None:
    """Return how a version (see `find_version`) stands and since when.

    None for one that never was current: it was only held, or imported.
    """
    named = {"document_id": version["document_id"], "version_row": version["id"]}
    row = connection.execute(_STANDING, named).one()
    if row.last is None:
        return None
    if version["state"] == "retired":
        return Standing.RETIRED, version["retired_at"]
    if row.successor is not None:
        return Standing.SUPERSEDED, row.successor
    return Standing.CURRENT, row.since


def _current_since(connection: Connection, document_id: DocumentId, version_row: int) -> datetime:
    """Return when the current version became current, without a break since."""
    named = {"document_id": document_id, "version_row": version_row}
    since: datetime = connection.execute(_STANDING, named).one().since
    return since


def _standings(connection: Connection, document: Found) -> dict[int, tuple[Standing, datetime]]:
    """Return the standing of every version that ever was current, by its row."""
    query = (
        select(_became.c.version_row, _became.c.at)
        .where(_became.c.document_id == document["document_id"])
        .order_by(_became.c.id)
    )
    found: dict[int, tuple[Standing, datetime]] = {}
    before: int | None = None
    for version_row, at in connection.execute(query):
        if version_row == before:
            continue
        if before is not None:
            found[before] = Standing.SUPERSEDED, at
        found[version_row] = Standing.CURRENT, at
        before = version_row
    if document["state"] == "retired":
        return dict.fromkeys(found, (Standing.RETIRED, document["retired_at"]))
    return found


def _version_of(row: Found, stands: tuple[Standing, datetime] | None) -> Version:
    return Version(
        document_id=row["document_id"],
        version=row["version"],
        first_stored=row["first_stored"],
        size=row["size"] or 0,
        pages=row["pages"] or 0,
        standing=stands[0] if stands else None,
        since=stands[1] if stands else None,
        purged=row["text_row"] is None,
    )


def _tombstone_of(row: Found) -> Tombstone:
    """Return the tombstone of a row with `returned_at`."""
    return Tombstone(
        row["document_id"],
        row["version"],
        row["at"],
        row["rule"],
        row["actor"],
        row["reason"],
        row["forced"],
        row["returned_at"],
    )


def _confirming(document_id: DocumentId) -> Query:
    """Return the query of observations that matched a capture which became current."""
    became = (
        select(tables.reading.c.capture_id)
        .join(_became, _became.c.reading_id == tables.reading.c.reading_id)
        .where(_became.c.document_id == document_id)
    )
    return select(_seen).where(_seen.c.document_id == document_id, _seen.c.capture_id.in_(became))


def _next_after(document_id: DocumentId, time: datetime) -> Query:
    return _confirming(document_id).where(_seen.c.first > time).order_by(_seen.c.first, _seen.c.id)


def _captures_reading(version_row: int) -> ScalarSelect[str]:
    """Return the subquery of captures that became current as this version."""
    return (
        select(tables.reading.c.capture_id)
        .join(_became, _became.c.reading_id == tables.reading.c.reading_id)
        .where(_became.c.version_row == version_row)
        .scalar_subquery()
    )


def _read_at(
    connection: Connection, confirmed: Observation, time: datetime
) -> tuple[int, VersionId]:
    """Return the version that the confirmed capture read to, as of `time`.

    A capture may have become current twice, under an older and a newer
    rendition: the one that was in force at `time` counts, else the earliest.
    """
    query = (
        select(_became.c.version_row, tables.version.c.version, _became.c.at)
        .join(tables.reading, tables.reading.c.reading_id == _became.c.reading_id)
        .join(tables.version, tables.version.c.id == _became.c.version_row)
        .where(tables.reading.c.capture_id == confirmed.capture_id)
        .order_by(_became.c.id)
    )
    rows: Sequence[tuple[int, VersionId, datetime]] = [
        (version_row, version, at) for version_row, version, at in connection.execute(query)
    ]
    in_force = [row for row in rows if row[2] <= time] or rows[:1]
    return in_force[-1][0], in_force[-1][1]


def _gap(
    connection: Connection,
    document_id: DocumentId,
    start: datetime | None,
    after: Observation | None,
) -> Gap:
    """Return the time between two confirming observations, with what failed in it."""
    end = after.first if after else None
    query = (
        select(_seen)
        .where(
            _seen.c.document_id == document_id,
            ~exists(
                select(tables.reading.c.reading_id)
                .join(_became, _became.c.reading_id == tables.reading.c.reading_id)
                .where(tables.reading.c.capture_id == _seen.c.capture_id)
            ),
        )
        .order_by(_seen.c.first, _seen.c.id)
        .limit(_FAILED_SHOWN)
    )
    if start is not None:
        query = query.where(_seen.c.last > start)
    if end is not None:
        query = query.where(_seen.c.first < end)
    failed = tuple(map(observation_of, connection.execute(query).mappings()))
    return Gap(start, end, failed)


def _first(connection: Connection, query: Query) -> Observation | None:
    row = connection.execute(query.limit(1)).mappings().first()
    return observation_of(row) if row else None
