"""Who relies on which passage, and the passages themselves: exact bytes or an error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Row,
    bindparam,
    exists,
    func,
    insert,
    or_,
    select,
)

from watcher.domain.anchors import Citation, Segment, resolve_segment
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.statements import PERSON, Statement
from watcher.domain.text import CanonicalText
from watcher.store import tables
from watcher.store.blobs import BlobFiles
from watcher.store.codec import Query, statement_of
from watcher.store.database import Database
from watcher.store.emissions import (
    emission_by_key,
    emissions_of,
    same_use,
    withdraw_emission,
    write_emission,
)
from watcher.store.errors import NotCitableError, UnknownCitationError
from watcher.store.prepared import find_one
from watcher.store.rows import (
    Affected,
    CaptureState,
    Emission,
    NewEmission,
    Resolution,
    Standing,
    StoredCitation,
    StoredStatement,
)
from watcher.store.statements import write_statements
from watcher.store.texts import find_text, find_version
from watcher.store.versions import read_recent, recent_text, standing

_citation = tables.citation
_segment = tables.citation_segment
_emission = tables.emission
_withdrawal = tables.emission_withdrawal
_statement = tables.statement
_ACCEPTED = (
    select(tables.reading.c.reading_id)
    .join(
        tables.capture_decision,
        tables.capture_decision.c.capture_id == tables.reading.c.capture_id,
    )
    .where(
        tables.reading.c.version_row == bindparam("version_row"),
        tables.capture_decision.c.state == CaptureState.ACCEPTED.value,
    )
    .limit(1)
)
PARTS = (_segment.c.page, _segment.c.start, _segment.c.end, _segment.c.sha256)
_BY_ID = (
    select(
        _citation.c.id,
        _citation.c.document_id,
        tables.version.c.version,
        _citation.c.created_at,
        *PARTS,
    )
    .join(tables.version, tables.version.c.id == _citation.c.version_row)
    .join(_segment, _segment.c.citation_row == _citation.c.id)
    .where(_citation.c.citation_id == bindparam("citation_id"))
    .order_by(_segment.c.ordinal)
)


class Citations:
    """The citations of every document, their uses, and what became of them."""

    def __init__(self, database: Database, blobs: BlobFiles) -> None:
        self._database = database
        self._blobs = blobs

    def emit(self, citation: Citation, emission: NewEmission) -> Emission:
        """Record a use of a citation, which is stored with its first use.

        The key (caller, answer_id, ordinal) makes a retry give the emission
        that is there, with `new` False.

        Raises:
            EmissionConflictError: the key was used for something else.
            NotCitableError: the version was only ever held.
            ResolutionError: the citation does not resolve, in any of its ways.
        """
        self.resolve_anchor(citation)
        with self._database.write() as connection:
            known = emission_by_key(
                connection, emission.caller, emission.answer_id, emission.ordinal
            )
            if known is not None:
                return same_use(known, citation, emission)
            number = _write_citation(connection, citation, emission.at)
            return write_emission(connection, number, emission)

    def resolve(self, citation_id: str) -> Resolution:
        """Return the exact bytes of a stored citation, or fail closed.

        Raises:
            UnknownCitationError: none was stored under that id.
            ResolutionError: in any of its ways.
        """
        with self._database.read() as connection:
            citation = find_citation(connection, citation_id).citation
            stands = find_standing(connection, citation)
        return self._resolution(citation, stands)

    def resolve_warm(self, citation_id: str) -> Resolution | None:
        """Return what `resolve` does where it takes one read and no file; else None.

        Raises:
            ResolutionError: in any of its ways.
        """
        found = find_one(self._database, citation_id)
        if found is None:
            return None
        citation, stands, since = found
        text = recent_text(self._blobs, citation.version)
        if text is None:
            return None
        return Resolution(citation, _passages(citation, text), stands, since)

    def resolve_anchor(self, citation: Citation) -> Resolution:
        """Return the exact bytes of any citation, stored or not, or fail closed.

        The order is the contract's: document, version, purge, then the stored
        text, then each segment's range, page and hash.

        Raises:
            NotCitableError: the version was only ever held.
            ResolutionError: in any of its ways.
        """
        with self._database.read() as connection:
            stands = find_standing(connection, citation)
        return self._resolution(citation, stands)

    def _resolution(self, citation: Citation, stands: tuple[Standing, datetime]) -> Resolution:
        """Return the verified bytes; see `resolve_anchor`."""
        text = read_recent(self._blobs, citation.document_id, citation.version)
        return Resolution(citation, _passages(citation, text), *stands)

    def get(self, citation_id: str) -> StoredCitation:
        """Return a stored citation; its text need not be there any more.

        Raises:
            UnknownCitationError: none was stored under that id.
        """
        with self._database.read() as connection:
            return find_citation(connection, citation_id)

    def list(
        self, document_id: DocumentId | None = None, *, after: int = 0, limit: int = 1000
    ) -> tuple[StoredCitation, ...]:
        """Return stored citations in order of their number, from `after` on."""
        where = [_citation.c.id > after]
        if document_id is not None:
            where.append(_citation.c.document_id == document_id)
        with self._database.read() as connection:
            return _load(connection, where, limit)

    def live(
        self, document_id: DocumentId, now: datetime, *, after: int = 0, limit: int = 1000
    ) -> tuple[StoredCitation, ...]:
        """Return a document's live citations in order of their number, from `after` on."""
        named = {"document_id": document_id, "after": after, "now": now, "most": limit}
        with self._database.read() as connection:
            return citations_of(connection.execute(_LIVE, named))

    def count_live(self, now: datetime) -> int:
        """Return how many citations of all documents are live."""
        query = select(func.count()).select_from(_citation).where(_is_live())
        with self._database.read() as connection:
            return connection.execute(query, {"now": now}).scalar_one()

    def unanchored(
        self, change_id: str, now: datetime, *, algorithm: str, after: int = 0, limit: int = 1000
    ) -> tuple[StoredCitation, ...]:
        """Return live citations that have no statement yet for what `change_id` led to.

        Those of the new version itself need none. Asking again after a crash
        gives what is left.
        """
        named = {"after": after, "now": now, "most": limit, "algorithm": algorithm}
        with self._database.read() as connection:
            named |= connection.execute(_TARGET, {"change_id": change_id}).mappings().one()
            return citations_of(connection.execute(_UNANCHORED, named))

    def emissions(self, citation_id: str) -> tuple[Emission, ...]:
        """Return every use of a citation, oldest first.

        Raises:
            UnknownCitationError: none was stored under that id.
        """
        with self._database.read() as connection:
            number = find_citation(connection, citation_id).number
            return tuple(emissions_of(connection, [number]).get(number, []))

    def find_emission(self, caller: str, answer_id: str, ordinal: int) -> Emission | None:
        """Return the use of that key, None where there is none."""
        with self._database.read() as connection:
            return emission_by_key(connection, caller, answer_id, ordinal)

    def withdraw(self, emission: int, *, at: datetime, actor: str, reason: str) -> None:
        """Let the emission with that number count no more; again changes nothing.

        Raises:
            UnknownCitationError: there is no such emission.
        """
        with self._database.write() as connection:
            withdraw_emission(connection, emission, at=at, actor=actor, reason=reason)

    def state(
        self,
        document_id: DocumentId,
        version: VersionId,
        statements: Sequence[tuple[int, Statement]],
        *,
        at: datetime,
    ) -> int:
        """Keep statements (citation number, statement) about any version; return how many are new.

        What is there already, by citation, version and algorithm, stays.

        Raises:
            UnknownVersionError: the document never had that version.
        """
        if not statements:
            return 0
        with self._database.write() as connection:
            row = find_version(connection, document_id, version)
            return write_statements(connection, row["id"], statements, at)

    def statements(self, citation_id: str) -> tuple[StoredStatement, ...]:
        """Return where a citation is in newer versions, oldest statement first.

        What persons stated comes last: of those about one version, the last counts.

        Raises:
            UnknownCitationError: none was stored under that id.
        """
        with self._database.read() as connection:
            number = find_citation(connection, citation_id).number
            query = (
                select(_statement, tables.version.c.version)
                .join(tables.version, tables.version.c.id == _statement.c.version_row)
                .where(_statement.c.citation_row == number)
                .order_by(
                    _statement.c.algorithm.startswith(PERSON),
                    _statement.c.at,
                    _statement.c.version_row,
                    _statement.c.algorithm,
                )
            )
            return tuple(
                StoredStatement(citation_id, row["version"], statement_of(row), row["at"])
                for row in connection.execute(query).mappings()
            )

    def affected(
        self, change_id: str, now: datetime, *, after: int = 0, limit: int = 1000
    ) -> tuple[Affected, ...]:
        """Return the live citations that a change does not carry by itself.

        In order of their number, from `after` on; the newest statement counts.
        """
        named = {"after": after, "now": now, "most": limit}
        with self._database.read() as connection:
            target = connection.execute(_TARGET, {"change_id": change_id}).one()
            named |= {"version_row": target.version_row}
            found = citations_of(connection.execute(_BROKEN, named))
            if not found:
                return ()
            numbers = [citation.number for citation in found]
            about = {"version_row": target.version_row, "numbers": numbers}
            newest = {
                row["citation_row"]: row
                for row in connection.execute(_NEWEST_STATED, about).mappings()
            }
            uses = emissions_of(connection, numbers)
        return tuple(
            Affected(
                citation,
                statement_of(newest[citation.number]),
                tuple(
                    use
                    for use in uses.get(citation.number, [])
                    if use.withdrawn_at is None and use.expires_at > now
                ),
            )
            for citation in found
            if not newest[citation.number]["carries"]
        )


def _passages(citation: Citation, text: CanonicalText) -> tuple[bytes, ...]:
    return tuple(
        resolve_segment(text, citation.version, segment, citation.document_id)
        for segment in citation.segments
    )


def _is_live() -> ColumnElement[bool]:
    """Return the condition that a citation is live at `now`: in use, pinned, or under a hold."""
    hold, release = tables.hold, tables.hold_release
    used = exists().where(
        _emission.c.citation_row == _citation.c.id,
        _emission.c.expires_at > bindparam("now"),
        ~exists().where(_withdrawal.c.emission_row == _emission.c.id),
    )
    kept = exists().where(
        hold.c.document_id == _citation.c.document_id,
        or_(
            hold.c.citation_row == _citation.c.id,
            hold.c.version_row == _citation.c.version_row,
            hold.c.citation_row.is_(None) & hold.c.version_row.is_(None),
        ),
        ~exists().where(release.c.hold_row == hold.c.id),
    )
    return or_(used, kept)


def find_citation(connection: Connection, citation_id: str) -> StoredCitation:
    """Return a stored citation.

    Raises:
        UnknownCitationError: none was stored under that id.
    """
    found = citations_of(connection.execute(_BY_ID, {"citation_id": citation_id}))
    if not found:
        raise UnknownCitationError(
            f"there is no citation {citation_id[:80]}", hint="`watcher citations list` lists them"
        )
    return found[0]


def _load(
    connection: Connection, where: Iterable[ColumnElement[bool]], limit: int
) -> tuple[StoredCitation, ...]:
    """Return the first `limit` citations that satisfy `where`, with their segments."""
    return citations_of(connection.execute(_first_of(where), {"most": limit}))


def _first_of(where: Iterable[ColumnElement[bool]]) -> Query:
    """Return the query of the first `most` citations that satisfy `where`, a row each segment."""
    most = bindparam("most", type_=Integer)
    chosen = select(_citation).where(*where).order_by(_citation.c.id).limit(most).subquery()
    return (
        select(
            chosen.c.id,
            chosen.c.document_id,
            tables.version.c.version,
            chosen.c.created_at,
            *PARTS,
        )
        .join(tables.version, tables.version.c.id == chosen.c.version_row)
        .join(_segment, _segment.c.citation_row == chosen.c.id)
        .order_by(chosen.c.id, _segment.c.ordinal)
    )


_AFTER = _citation.c.id > bindparam("after")
_HERE = _citation.c.document_id == bindparam("document_id")
_LIVE = _first_of([_HERE, _AFTER, _is_live()])
_TARGET = select(
    tables.change.c.document_id, tables.change.c.to_version.label("version_row")
).where(tables.change.c.change_id == bindparam("change_id"))
_STATED = exists().where(
    _statement.c.citation_row == _citation.c.id,
    _statement.c.version_row == bindparam("version_row"),
    _statement.c.algorithm == bindparam("algorithm"),
)
_OLDER = _citation.c.version_row != bindparam("version_row")
_UNANCHORED = _first_of([_HERE, _OLDER, _AFTER, _is_live(), ~_STATED])
_BROKEN = _first_of(
    [
        _AFTER,
        _is_live(),
        # From the statements' index: only a few of all citations have one that is broken.
        _citation.c.id.in_(
            select(_statement.c.citation_row).where(
                _statement.c.version_row == bindparam("version_row"),
                _statement.c.carries.is_(False),
            )
        ),
    ]
)
_NEWEST_STATED = (
    select(_statement)
    .where(
        _statement.c.version_row == bindparam("version_row"),
        _statement.c.citation_row.in_(bindparam("numbers", expanding=True)),
    )
    .order_by(_statement.c.algorithm.startswith(PERSON), _statement.c.at)
)


def citations_of(rows: Iterable[Row[*tuple[Any, ...]]]) -> tuple[StoredCitation, ...]:
    """Return the citations of rows (number, document, version, time, then a segment)."""
    found = []
    for number, group in groupby(rows, key=itemgetter(0)):
        parts = tuple(group)
        _, document_id, version, created_at = parts[0][:4]
        segments = tuple(Segment(*part[4:]) for part in parts)
        found.append(StoredCitation(number, Citation(document_id, version, segments), created_at))
    return tuple(found)


def find_standing(connection: Connection, citation: Citation) -> tuple[Standing, datetime]:
    """Return how the version of `citation` stands, if its text is held and citable."""
    version = find_text(connection, citation.document_id, citation.version)
    stands = standing(connection, version)
    if stands is not None:
        return stands
    if connection.execute(_ACCEPTED, {"version_row": version["id"]}).first() is None:
        raise NotCitableError(
            f"{version['version']} was held and never accepted",
            document_id=citation.document_id,
            hint="`watcher accept` or `reject` the held capture first",
        )
    return Standing.SUPERSEDED, version["first_stored"]


def _write_citation(connection: Connection, citation: Citation, at: datetime) -> int:
    """Write a citation unless it is there; return its number."""
    same = select(_citation.c.id).where(_citation.c.citation_id == citation.citation_id)
    known = connection.execute(same).scalar_one_or_none()
    if known is not None:
        return int(known)
    version = find_text(connection, citation.document_id, citation.version)
    values = {
        "citation_id": citation.citation_id,
        "document_id": citation.document_id,
        "version_row": version["id"],
        "segments": len(citation.segments),
        "created_at": at,
    }
    query = insert(_citation).returning(_citation.c.id)
    number: int = connection.execute(query, values).scalar_one()
    connection.execute(
        insert(_segment),
        [
            {
                "citation_row": number,
                "ordinal": ordinal,
                "page": segment.page,
                "start": segment.start,
                "end": segment.end,
                "sha256": segment.sha256,
            }
            for ordinal, segment in enumerate(citation.segments)
        ],
    )
    return number
