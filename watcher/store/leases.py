"""Who may write about a document: leases, taken, checked and given back in a transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import islice

from sqlalchemy import Connection, bindparam, or_, select, update

from watcher.domain.ids import DocumentId
from watcher.domain.resolution import UnknownDocumentError
from watcher.store import tables
from watcher.store.codec import Found, Values
from watcher.store.errors import StaleLeaseError
from watcher.store.rows import Lease, Release

_document = tables.document
_HOLDER = select(_document.c.lease_token, _document.c.lease_owner).where(
    _document.c.document_id == bindparam("document_id")
)
_DUE = (
    select(_document.c.document_id)
    .where(
        _document.c.state == "active",
        _document.c.next_check <= bindparam("now"),
        or_(_document.c.lease_until.is_(None), _document.c.lease_until <= bindparam("now")),
    )
    .order_by(_document.c.next_check)
)
_LEASE = (
    update(_document)
    .where(_document.c.document_id.in_(bindparam("names", expanding=True)))
    .values(
        lease_owner=bindparam("owner"),
        lease_until=bindparam("until"),
        lease_token=_document.c.lease_token + 1,
    )
    .returning(_document)
)


def find_due(
    connection: Connection, now: datetime, limit: int, admit: Callable[[DocumentId], bool]
) -> list[DocumentId]:
    """Return up to `limit` documents that are due and that `admit` takes, the longest due first."""
    found = connection.execute(_DUE, {"now": now}).scalars()
    names = list(islice(filter(admit, found), limit))
    found.close()
    return names


def take(
    connection: Connection,
    names: Sequence[DocumentId],
    now: datetime,
    lease_seconds: float,
    owner: str,
) -> list[tuple[Found, Lease]]:
    """Lease documents; return the row of each, and its lease."""
    until = now + timedelta(seconds=lease_seconds)
    wanted = {"names": names, "owner": owner, "until": until}
    rows = connection.execute(_LEASE, wanted).mappings() if names else ()
    return [(row, Lease(row["document_id"], owner, row["lease_token"], until)) for row in rows]


def fence(connection: Connection, lease: Lease) -> None:
    """Check that `lease` is still the document's.

    Raises:
        StaleLeaseError: it was given back, or another writer has the document.
    """
    row = connection.execute(_HOLDER, {"document_id": lease.document_id}).first()
    if row is None:
        raise unknown_document(lease.document_id)
    if row.lease_token != lease.token or row.lease_owner != lease.owner:
        raise StaleLeaseError(
            f"the lease {lease.token} was overtaken by {row.lease_token}",
            document_id=lease.document_id,
            hint="nothing was written; the check that took over will write its own result",
        )


def released(release: Release) -> Values:
    """Return the columns of a document that is given back."""
    return {
        "next_check": release.next_check,
        "fails": release.fails,
        "lease_owner": None,
        "lease_until": None,
    }


def unknown_document(document_id: DocumentId) -> UnknownDocumentError:
    """Return the error for a document that there is not."""
    return UnknownDocumentError(
        "there is no such document",
        document_id=document_id,
        hint="`watcher documents` lists them",
    )
