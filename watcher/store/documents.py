"""Which documents are watched, when each is due, and who may write about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, func, insert, select, update

from watcher.domain.ids import DocumentId
from watcher.store import tables
from watcher.store.codec import Found, Values, wellformed
from watcher.store.database import Database
from watcher.store.errors import DocumentBusyError
from watcher.store.leases import fence, find_due, released, take, unknown_document
from watcher.store.rows import (
    DeclaredDocument,
    Document,
    DocumentState,
    Lease,
    LeasedDocument,
    Release,
    StoredValidators,
)

_document = tables.document
_BY_ID = select(_document).where(_document.c.document_id == bindparam("document_id"))
_CONFIGURED = (_document.c.state == "active") & (_document.c.config_digest != "")
_INSERT = insert(_document)
_SET = update(_document).where(_document.c.document_id == bindparam("this"))
"""Sets whatever columns it is executed with."""


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a new set of declarations did to the documents, by id."""

    added: tuple[DocumentId, ...] = ()
    changed: tuple[DocumentId, ...] = ()
    revived: tuple[DocumentId, ...] = ()
    retired: tuple[DocumentId, ...] = ()


class Documents:
    """The table of documents, which is also the schedule."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def sync(self, declared: Iterable[DeclaredDocument], at: datetime) -> SyncResult:
        """Make the documents those that are declared, in one transaction.

        A new one is due at once. One that was declared and is not any more is
        retired: its versions and citations still resolve. A document that was
        only ever put in by hand (no digest) stays as it is.
        """
        wanted = {entry.document_id: entry for entry in declared}
        with self._database.write() as connection:
            known = {row["document_id"]: row for row in _all(connection)}
            done: dict[str, list[DocumentId]] = {"changed": [], "revived": []}
            added = [_new(entry, at) for name, entry in wanted.items() if name not in known]
            if added:
                connection.execute(_INSERT, added)
            for name, row in known.items():
                outcome = _update(connection, row, wanted[name], at) if name in wanted else None
                if outcome:
                    done[outcome].append(name)
            gone = [
                DocumentId(name)
                for name, row in known.items()
                if name not in wanted and row["config_digest"] and row["state"] == "active"
            ]
            for name in gone:
                _set(connection, name, state="retired", retired_at=at, next_check=None)
        return SyncResult(
            added=tuple(name for name in wanted if name not in known),
            changed=tuple(done["changed"]),
            revived=tuple(done["revived"]),
            retired=tuple(gone),
        )

    def put(self, declared: DeclaredDocument, at: datetime) -> Document:
        """Add or update one document and return it; the others stay as they are."""
        with self._database.write() as connection:
            row = _find(connection, declared.document_id)
            if row is None:
                connection.execute(_INSERT, _new(declared, at))
            else:
                _update(connection, row, declared, at)
            return _document_of(find_document(connection, declared.document_id))

    def get(self, document_id: DocumentId) -> Document:
        """Return a document.

        Raises:
            UnknownDocumentError: there is none of that id.
        """
        with self._database.read() as connection:
            return _document_of(find_document(connection, document_id))

    def list(self) -> tuple[Document, ...]:
        """Return every document, by id."""
        with self._database.read() as connection:
            return tuple(map(_document_of, _all(connection)))

    def count_seen(self, *, since: datetime) -> int:
        """Count the configured documents that were last seen at or after `since`."""
        query = (
            select(func.count())
            .select_from(_document)
            .where(_CONFIGURED, _document.c.last_success >= since)
        )
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()

    def seen_before(self, moment: datetime) -> dict[DocumentId, datetime]:
        """Return when the configured documents that were last seen before `moment` were."""
        query = select(_document.c.document_id, _document.c.last_success).where(
            _CONFIGURED, _document.c.last_success < moment
        )
        with self._database.read() as connection:
            return {DocumentId(name): seen for name, seen in connection.execute(query)}

    def claim_due(
        self,
        now: datetime,
        *,
        limit: int,
        lease_seconds: float,
        owner: str,
        admit: Callable[[DocumentId], bool] = lambda _: True,
    ) -> tuple[LeasedDocument, ...]:
        """Lease up to `limit` active documents that are due, the longest due first.

        `admit` is asked in that order about each; those that it refuses stay
        due and take nobody's place.
        """
        with self._database.write() as connection:
            names = find_due(connection, now, limit, admit)
            found = take(connection, names, now, lease_seconds, owner)
        rows = (LeasedDocument(_document_of(row), lease) for row, lease in found)
        return tuple(sorted(rows, key=lambda leased: leased.document.next_check or now))

    def claim(
        self, document_id: DocumentId, now: datetime, *, lease_seconds: float, owner: str
    ) -> LeasedDocument:
        """Lease one document, due or not, retired or not.

        Raises:
            UnknownDocumentError: there is none of that id.
            DocumentBusyError: it is leased to somebody.
        """
        with self._database.write() as connection:
            row = find_document(connection, document_id)
            if row["lease_until"] is not None and row["lease_until"] > now:
                until = f"{row['lease_until']:%H:%M:%S} UTC"
                raise DocumentBusyError(
                    f"{row['lease_owner']} is working on it, until {until} at the latest",
                    document_id=document_id,
                    hint="wait for that check to end, then try again",
                )
            ((row, lease),) = take(connection, [document_id], now, lease_seconds, owner)
            return LeasedDocument(_document_of(row), lease)

    def renew(self, lease: Lease, now: datetime, lease_seconds: float) -> Lease:
        """Return the same lease, valid for `lease_seconds` from `now`.

        Raises:
            StaleLeaseError: another writer has the document.
        """
        until = now + timedelta(seconds=lease_seconds)
        with self._database.write() as connection:
            fence(connection, lease)
            _set(connection, lease.document_id, lease_until=until)
        return Lease(lease.document_id, lease.owner, lease.token, until)

    def release(self, lease: Lease, *, next_check: datetime | None, fails: int) -> None:
        """Give a document back, with the time of its next check.

        Raises:
            StaleLeaseError: another writer has the document.
        """
        with self._database.write() as connection:
            fence(connection, lease)
            _set(connection, lease.document_id, **released(Release(next_check, fails)))

    def schedule(self, document_id: DocumentId, next_check: datetime) -> None:
        """Set the time of a document's next check; a running one will set its own.

        Raises:
            UnknownDocumentError: there is none of that id.
        """
        with self._database.write() as connection:
            find_document(connection, document_id)
            _set(connection, document_id, next_check=next_check)

    def schedule_all(self, moments: Mapping[DocumentId, datetime]) -> None:
        """Plan many next checks in one transaction; unknown documents are passed over."""
        if not moments:
            return
        query = (
            update(_document)
            .where(_document.c.document_id == bindparam("name"))
            .values(next_check=bindparam("moment"))
        )
        rows = [{"name": name, "moment": moment} for name, moment in moments.items()]
        with self._database.write() as connection:
            connection.execute(query, rows)

    def void_leases(self) -> int:
        """End every lease, fencing its holder, and return how many there were.

        For whoever has just become the only process on the directory: the
        holders are dead, and what they had begun is due at once.
        """
        query = (
            update(_document)
            .where(_document.c.lease_owner.is_not(None))
            .values(lease_owner=None, lease_until=None, lease_token=_document.c.lease_token + 1)
        )
        with self._database.write() as connection:
            return connection.execute(query).rowcount


def find_document(connection: Connection, document_id: DocumentId) -> Found:
    """Return a document's row.

    Raises:
        UnknownDocumentError: there is none of that id.
    """
    row = _find(connection, document_id)
    if row is None:
        raise unknown_document(document_id)
    return row


def set_validators(
    connection: Connection, document_id: DocumentId, found: StoredValidators
) -> None:
    """Keep the validators that came with an accepted capture."""
    _set(
        connection,
        document_id,
        validator_url=found.final_url,
        validator_etag=found.etag,
        validator_last_modified=found.last_modified,
        validator_capture=found.capture_id,
    )


def set_seen(
    connection: Connection,
    document_id: DocumentId,
    seen: datetime | None,
    release: Release | None = None,
) -> None:
    """Keep when a document's text was seen last (None: not now), and give it back if told to."""
    values = {} if seen is None else {"last_success": seen}
    if release is not None:
        values |= released(release)
    if values:
        _set(connection, document_id, **values)


def _declared(entry: DeclaredDocument) -> Values:
    return wellformed(
        {"title": entry.title, "urls": list(entry.urls), "config_digest": entry.digest}
    )


def _new(entry: DeclaredDocument, at: datetime) -> Values:
    """Return the row of a new document: due at once, if it has a URL."""
    return {
        "document_id": entry.document_id,
        "state": "active",
        "created_at": at,
        "next_check": at if entry.urls else None,
        "fails": 0,
        "lease_token": 0,
        "validator_url": "",
        "validator_etag": "",
        "validator_last_modified": "",
        **_declared(entry),
    }


def _update(
    connection: Connection, row: Found, entry: DeclaredDocument, at: datetime
) -> str | None:
    """Write a declaration of a known document; return `revived`, `changed` or None."""
    declared = _declared(entry)
    due = at if entry.urls else None
    if row["state"] == "retired":
        again: Values = {"state": "active", "retired_at": None, "next_check": due, "fails": 0}
        _set(connection, entry.document_id, **again, **declared)
        return "revived"
    if any(row[name] != value for name, value in declared.items()):
        _set(connection, entry.document_id, next_check=due, **declared)
        return "changed"
    return None


def _set(connection: Connection, document_id: DocumentId, **values: object) -> None:
    connection.execute(_SET, {"this": document_id, **wellformed(values)})


def _find(connection: Connection, document_id: DocumentId) -> Found | None:
    return connection.execute(_BY_ID, {"document_id": document_id}).mappings().first()


def _all(connection: Connection) -> list[Found]:
    query = select(_document).order_by(_document.c.document_id)
    return list(connection.execute(query).mappings())


def _document_of(row: Found) -> Document:
    validators = None
    if row["validator_capture"] is not None:
        validators = StoredValidators(
            row["validator_url"],
            row["validator_etag"],
            row["validator_last_modified"],
            row["validator_capture"],
        )
    return Document(
        document_id=row["document_id"],
        state=DocumentState(row["state"]),
        title=row["title"],
        urls=tuple(row["urls"]),
        digest=row["config_digest"],
        created_at=row["created_at"],
        retired_at=row["retired_at"],
        next_check=row["next_check"],
        fails=row["fails"],
        last_success=row["last_success"],
        validators=validators,
    )
