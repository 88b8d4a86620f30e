"""Many citations at once: resolved over each text once, emitted in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, tuple_

from watcher.domain.anchors import Citation, resolve_segment
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.text import CanonicalText
from watcher.errors import WatcherError
from watcher.store import tables
from watcher.store.blobs import BlobFiles
from watcher.store.citations import find_standing
from watcher.store.codec import pairs, wellformed
from watcher.store.database import Database
from watcher.store.emissions import USES, emission_of, same_use
from watcher.store.errors import UnknownCitationError
from watcher.store.prepared import find_many
from watcher.store.rows import Emission, NewEmission, Resolution, Standing
from watcher.store.texts import find_text
from watcher.store.versions import read_recent

_citation = tables.citation
_segment = tables.citation_segment
_emission = tables.emission
_DOCUMENTS = select(_citation.c.citation_id, _citation.c.document_id).where(
    _citation.c.citation_id.in_(bindparam("ids", expanding=True))
)
_NUMBERS = select(_citation.c.citation_id, _citation.c.id).where(
    _citation.c.citation_id.in_(bindparam("ids", expanding=True))
)
_BY_KEYS = USES.where(
    tuple_(_emission.c.caller, _emission.c.answer_id, _emission.c.ordinal).in_(
        bindparam("keys", expanding=True)
    )
)

_Key = tuple[str, str, int]
_Place = tuple[DocumentId, VersionId]
_Stands = tuple[Standing, datetime]
Use = tuple[Citation, NewEmission]
"""A citation and its use, to be emitted."""


class Bulk:
    """The same answers as `Citations` gives, for up to some thousands at once."""

    def __init__(self, database: Database, blobs: BlobFiles) -> None:
        self._database = database
        self._blobs = blobs

    def documents(self, citation_ids: Iterable[str]) -> dict[str, DocumentId]:
        """Return the document of each citation that there is; nothing else of it is read."""
        with self._database.read() as connection:
            rows = connection.execute(_DOCUMENTS, {"ids": list(citation_ids)})
            return {row[0]: row[1] for row in rows}

    def resolve(self, citation_ids: Sequence[str]) -> list[Resolution | WatcherError]:
        """Return each citation's exact bytes, or why it has none, in the order asked."""
        ids = list(dict.fromkeys(citation_ids))
        stored = find_many(self._database, ids)
        with self._database.read() as connection:
            stands = _standings(connection, stored.values())
        texts = {place: self._text(place, found) for place, found in stands.items()}
        answers: dict[str, Resolution | WatcherError] = {}
        for name, citation in stored.items():
            place = citation.document_id, citation.version
            answers[name] = _resolved(citation, texts[place], stands[place])
        return [answers[n] if n in answers else _unknown(n) for n in citation_ids]

    def _text(self, place: _Place, stands: _Stands | WatcherError) -> CanonicalText | WatcherError:
        if isinstance(stands, WatcherError):
            return stands
        try:
            return read_recent(self._blobs, *place)
        except WatcherError as error:
            return error

    def emit(self, uses: Sequence[Use]) -> list[Emission | WatcherError]:
        """Record uses in one transaction; return what each came to, in order.

        Each citation must have been made from its verified text just now. A key
        that is there, or comes twice, gives the emission of its first use.
        """
        with self._database.write() as connection:
            keys = {_key(use): use for _, use in uses}
            known = _known(connection, keys)
            before = set(known)
            fresh = {
                _key(use): (citation, use)
                for citation, use in reversed(uses)
                if _key(use) not in known
            }
            refused = _uncitable(connection, fresh.values())
            taken = [use for use in fresh.values() if _place(use[0]) not in refused]
            _write(connection, taken)
            known |= _known(connection, {_key(use): use for _, use in taken})
        answers: list[Emission | WatcherError] = []
        for citation, use in uses:
            found = known.get(_key(use))
            if found is None:
                answers.append(refused[_place(citation)])
                continue
            answers.append(_same(found, citation, use, new=_key(use) not in before))
            before.add(_key(use))
        return answers


def _standings(
    connection: Connection, citations: Iterable[Citation]
) -> dict[_Place, _Stands | WatcherError]:
    found: dict[_Place, _Stands | WatcherError] = {}
    for one in citations:
        place = _place(one)
        if place not in found:
            found[place] = _standing(connection, one)
    return found


def _standing(connection: Connection, citation: Citation) -> _Stands | WatcherError:
    try:
        return find_standing(connection, citation)
    except WatcherError as error:
        return error


def _resolved(
    citation: Citation, text: CanonicalText | WatcherError, stands: _Stands | WatcherError
) -> Resolution | WatcherError:
    if isinstance(stands, WatcherError):
        return stands
    if isinstance(text, WatcherError):
        return text
    try:
        passages = tuple(
            resolve_segment(text, citation.version, segment, citation.document_id)
            for segment in citation.segments
        )
    except WatcherError as error:
        return error
    return Resolution(citation, passages, *stands)


def _unknown(citation_id: str) -> UnknownCitationError:
    return UnknownCitationError(
        f"there is no citation {citation_id[:80]}", hint="`watcher citations list` lists them"
    )


def _uncitable(connection: Connection, uses: Iterable[Use]) -> dict[_Place, WatcherError]:
    """Return the versions that cannot be cited now, with the reason."""
    found: dict[_Place, _Stands | WatcherError] = {}
    for citation, _ in uses:
        if _place(citation) not in found:
            found[_place(citation)] = _standing(connection, citation)
    return {place: error for place, error in found.items() if isinstance(error, WatcherError)}


def _write(connection: Connection, uses: Sequence[Use]) -> None:
    """Write citations that are not there, and every use."""
    if not uses:
        return
    citations = {citation.citation_id: (citation, use.at) for citation, use in uses}
    numbers = _numbers(connection, citations)
    new = {name: made for name, made in citations.items() if name not in numbers}
    if new:
        rows = {
            place: find_text(connection, *place)["id"]
            for place in {_place(citation) for citation, _ in new.values()}
        }
        values = [
            {
                "citation_id": name,
                "document_id": citation.document_id,
                "version_row": rows[_place(citation)],
                "segments": len(citation.segments),
                "created_at": at,
            }
            for name, (citation, at) in new.items()
        ]
        connection.execute(insert(_citation), values)
        numbers |= _numbers(connection, new)
        connection.execute(
            insert(_segment),
            [
                {
                    "citation_row": numbers[name],
                    "ordinal": ordinal,
                    "page": segment.page,
                    "start": segment.start,
                    "end": segment.end,
                    "sha256": segment.sha256,
                }
                for name, (citation, _) in new.items()
                for ordinal, segment in enumerate(citation.segments)
            ],
        )
    connection.execute(
        insert(_emission),
        [
            wellformed(
                {
                    "citation_row": numbers[citation.citation_id],
                    "caller": use.caller,
                    "answer_id": use.answer_id,
                    "ordinal": use.ordinal,
                    "emitted_at": use.at,
                    "expires_at": use.expires_at,
                    "answer_sha256": use.answer_sha256,
                    "application": use.application,
                    "model": use.model,
                    "labels": pairs(use.labels),
                }
            )
            for citation, use in uses
        ],
    )


def _numbers(connection: Connection, citation_ids: Iterable[str]) -> dict[str, int]:
    rows = connection.execute(_NUMBERS, {"ids": list(citation_ids)})
    return {row[0]: row[1] for row in rows}


def _known(connection: Connection, keys: Mapping[_Key, NewEmission]) -> dict[_Key, Emission]:
    if not keys:
        return {}
    rows = connection.execute(_BY_KEYS, {"keys": list(keys)}).mappings()
    found = (emission_of(row) for row in rows)
    return {(use.caller, use.answer_id, use.ordinal): use for use in found}


def _same(
    found: Emission, citation: Citation, use: NewEmission, *, new: bool
) -> Emission | WatcherError:
    try:
        same_use(found, citation, use)
    except WatcherError as error:
        return error
    return replace(found, new=new)


def _key(use: NewEmission) -> _Key:
    return use.caller, use.answer_id, use.ordinal


def _place(citation: Citation) -> _Place:
    return citation.document_id, citation.version
