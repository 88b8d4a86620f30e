"""Version names, the texts held under them, and the tombstones of those that are not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select

from watcher.domain.chunks import Chunk, chunks
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.resolution import UnknownVersionError, VersionPurgedError
from watcher.domain.text import CanonicalText
from watcher.store import tables
from watcher.store.codec import Found
from watcher.store.documents import find_document

_version = tables.version
_text = tables.stored_text
_BY_NAME = (
    select(
        _version,
        _text.c.id.label("text_row"),
        _text.c.size,
        _text.c.pages,
        tables.document.c.state,
        tables.document.c.retired_at,
    )
    .join(tables.document, tables.document.c.document_id == _version.c.document_id)
    .join(_text, _text.c.version_row == _version.c.id, isouter=True)
    .where(
        _version.c.document_id == bindparam("document_id"),
        _version.c.version == bindparam("version"),
    )
)

_NEW_VERSION = insert(_version).returning(_version.c.id)
_NEW_TEXT = insert(_text).returning(_text.c.id)
_CHUNKS = (
    select(tables.chunk)
    .where(tables.chunk.c.text_row == bindparam("text_row"))
    .order_by(tables.chunk.c.ordinal)
)
_NEW_PAGES, _NEW_CHUNKS = insert(tables.page), insert(tables.chunk)


def find_version(connection: Connection, document_id: DocumentId, version: VersionId) -> Found:
    """Return the row of a version, its text's and its document's columns.

    `text_row`, `size` and `pages` are null where the text was purged; `state`
    and `retired_at` are the document's.

    Raises:
        UnknownDocumentError: there is no such document.
        UnknownVersionError: the document never had that version.
    """
    named = {"document_id": document_id, "version": version}
    row = connection.execute(_BY_NAME, named).mappings().first()
    if row is None:
        find_document(connection, document_id)
        raise UnknownVersionError(
            f"the document never had the version {version[:80]}",
            document_id=document_id,
            hint="`watcher versions` lists those it had",
        )
    return row


def find_text(connection: Connection, document_id: DocumentId, version: VersionId) -> Found:
    """Return what `find_version` does, for a version whose text is held.

    Raises:
        UnknownDocumentError, UnknownVersionError: as `find_version`.
        VersionPurgedError: the text was purged.
    """
    row = find_version(connection, document_id, version)
    if row["text_row"] is None:
        raise _purged(connection, row)
    return row


def stored_chunks(connection: Connection, text_row: int) -> tuple[Chunk, ...]:
    """Return the chunks that are stored with a text, in order."""
    return tuple(
        Chunk(row.ordinal, row.page, row.start, row.end, row.xxh3.hex(), row.sha256.hex())
        for row in connection.execute(_CHUNKS, {"text_row": text_row})
    )


def write_text(
    connection: Connection, document_id: DocumentId, text: CanonicalText, at: datetime
) -> tuple[int, bool]:
    """Write a version with its pages and chunks; return its row and whether it is new.

    A version whose text was purged gets it back. Its blob must be there.
    """
    named = {"document_id": document_id, "version": text.version}
    row = connection.execute(_BY_NAME, named).mappings().first()
    if row is not None and row["text_row"] is not None:
        return row["id"], False
    if row is not None:
        number = row["id"]
    else:
        number = connection.execute(_NEW_VERSION, {**named, "first_stored": at}).scalar_one()
    parts = tuple(chunks(text))
    stored = {
        "version_row": number,
        "stored_at": at,
        "size": len(text),
        "pages": len(text.pages),
        "chunks": len(parts),
    }
    _write_parts(connection, connection.execute(_NEW_TEXT, stored).scalar_one(), text, parts)
    return number, row is None


def _write_parts(
    connection: Connection, text_row: int, text: CanonicalText, parts: Sequence[Chunk]
) -> None:
    pages = [
        {"text_row": text_row, "page": page, "start": range_.start, "end": range_.end}
        for page, range_ in enumerate(text.pages, start=1)
    ]
    connection.execute(_NEW_PAGES, pages)
    rows = [
        {
            "text_row": text_row,
            "ordinal": part.ordinal,
            "page": part.page,
            "start": part.start,
            "end": part.end,
            "xxh3": bytes.fromhex(part.xxh3),
            "sha256": bytes.fromhex(part.sha256),
        }
        for part in parts
    ]
    if rows:
        connection.execute(_NEW_CHUNKS, rows)


def _purged(connection: Connection, version: Found) -> VersionPurgedError:
    query = (
        select(tables.tombstone)
        .where(tables.tombstone.c.version_row == version["id"])
        .order_by(tables.tombstone.c.id.desc())
        .limit(1)
    )
    found = connection.execute(query).mappings().one()
    return VersionPurgedError(
        f"{version['version']} was purged on {found['at']:%Y-%m-%d %H:%M} UTC"
        f" by {found['actor']} under {found['rule']}",
        document_id=version["document_id"],
        hint="the tombstone says why; the text is gone for good",
    )
