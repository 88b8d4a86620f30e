"""The transaction that makes a check's result true: capture, reading, version, change.

Blobs are durable before the row that names them. A replay after a crash finds
what was done and doubles nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, select

from watcher.domain.changes import Cause
from watcher.domain.ids import DocumentId
from watcher.domain.reading import Reading
from watcher.domain.resolution import HashMismatchError
from watcher.domain.verdicts import Outcome
from watcher.errors import UsageError
from watcher.store import tables
from watcher.store.acts import SYSTEM, write_act
from watcher.store.blobs import BlobFiles
from watcher.store.captures import find_capture, latest_capture
from watcher.store.codec import Found
from watcher.store.database import Database
from watcher.store.errors import DecisionError, RenditionMismatchError
from watcher.store.evidence import (
    Read,
    check_rendition,
    decide,
    find_reading,
    keep_observed_validators,
    keep_validators,
    make_current,
    newest_current,
    write_capture,
    write_reading,
)
from watcher.store.leases import fence
from watcher.store.observations import write_observation
from watcher.store.rows import (
    CaptureState,
    Commit,
    Decision,
    Lease,
    NewCapture,
    NewObservation,
    OperatorAct,
    Origin,
)
from watcher.store.service import INGEST, count_event
from watcher.store.versions import prove_chunks

_STATES = {Outcome.ACCEPTED: CaptureState.ACCEPTED, Outcome.HELD: CaptureState.HELD}


class Commits:
    """Everything that adds a capture, decides about one, or reads one anew."""

    def __init__(self, database: Database, blobs: BlobFiles) -> None:
        self._database = database
        self._blobs = blobs

    def commit_capture(
        self, lease: Lease, capture: NewCapture, reading: Reading, observation: NewObservation
    ) -> Commit:
        """Store what a check brought, accepted or held as the observation's verdict says.

        Bytes equal to the previous capture's make an observation and nothing
        else; then the result names the earlier capture, without a change.

        Raises:
            StaleLeaseError: another writer has the document.
            RenditionMismatchError: the document is pinned to another rendition:
                re-read its current capture first (`commit_rendition`).
            UsageError: refused outcomes are no captures, and what gave no text
                cannot be accepted.
        """
        document_id = lease.document_id
        state = _STATES.get(observation.verdict.outcome)
        if state is None or capture.origin is Origin.IMPORTED:
            raise UsageError(
                f"an observation `{observation.verdict.outcome}` of something {capture.origin}"
                " is no capture",
                document_id=document_id,
                hint="record it as an observation, or import it",
            )
        if state is CaptureState.ACCEPTED:
            _check_usable(document_id, reading)
        blobs = self._put(capture.body, *_texts(reading))
        body = next(iter(blobs))
        with self._tallied(observation.at), self._database.write() as connection:
            fence(connection, lease)
            previous = latest_capture(connection, document_id)
            if previous is not None and previous["body_sha256"] == body:
                return _seen_again(connection, previous, reading, observation)
            check_rendition(connection, document_id, reading)
            self._put_back(blobs)
            name = write_capture(connection, document_id, capture, body)
            reason = observation.verdict.reason or observation.verdict.outcome
            decide(connection, name, Decision(state, capture.captured_at, SYSTEM, reason.value))
            read = self._write(connection, document_id, name, reading, observation.at)
            write_observation(connection, document_id, replace(observation, capture_id=name))
            change = None
            if state is CaptureState.ACCEPTED:
                at = capture.captured_at
                change = make_current(connection, document_id, read, at, Cause.PUBLISHER)
                keep_validators(connection, document_id, name, observation)
        return _commit(name, read, state, change, new_capture=True)

    def import_capture(self, lease: Lease, capture: NewCapture, reading: Reading) -> Commit:
        """Store bytes of an earlier time that were not observed here.

        They are citable, never current, and change nothing: `claimed_at` is a
        claim. Importing the same bytes with the same claim again adds nothing.

        Raises:
            StaleLeaseError: another writer has the document.
            UsageError: the origin is not `imported`, or there is no text.
        """
        document_id, at = lease.document_id, capture.captured_at
        if capture.origin is not Origin.IMPORTED:
            raise UsageError(
                f"this capture was {capture.origin}, not imported",
                document_id=document_id,
                hint="commit it with its observation",
            )
        _check_usable(document_id, reading)
        blobs = self._put(capture.body, *_texts(reading))
        body = next(iter(blobs))
        with self._tallied(at), self._database.write() as connection:
            fence(connection, lease)
            self._put_back(blobs)
            name = _find_import(connection, document_id, capture, body)
            known = name is not None
            if name is None:
                name = write_capture(connection, document_id, capture, body)
                accepted = Decision(CaptureState.ACCEPTED, at, SYSTEM, capture.origin.value)
                decide(connection, name, accepted)
            read = self._write(connection, document_id, name, reading, at)
        return _commit(name, read, CaptureState.ACCEPTED, None, new_capture=not known)

    def accept(
        self, lease: Lease, held: str, *, at: datetime, reason: str, actor: str = SYSTEM
    ) -> Commit:
        """Accept the held capture `held`: by a person, or because fetches agreed.

        Raises:
            StaleLeaseError: another writer has the document.
            UnknownCaptureError: there is none of that id.
            DecisionError: it is not held, gave no text, or a newer one was
                accepted since.
            RenditionMismatchError: it was not read under the pinned rendition.
        """
        document_id = lease.document_id
        with self._database.write() as connection:
            fence(connection, lease)
            row = _find_held(connection, document_id, held)
            newest = latest_capture(connection, document_id, CaptureState.ACCEPTED)
            if newest is not None and newest["ordinal"] > row["ordinal"]:
                raise DecisionError(
                    f"{held} is older than {newest['capture_id']}, which was accepted since",
                    document_id=document_id,
                    hint="reject it: what it said is history already",
                )
            read = _pinned_reading(connection, document_id, held)
            decide(connection, held, Decision(CaptureState.ACCEPTED, at, actor, reason))
            write_act(connection, _decided(at, actor, "accept", held, document_id, reason))
            change = make_current(connection, document_id, read, at, Cause.PUBLISHER)
            keep_observed_validators(connection, document_id, held)
        return _commit(held, read, CaptureState.ACCEPTED, change, new_capture=False)

    def reject(
        self, lease: Lease, held: str, *, at: datetime, reason: str, actor: str = SYSTEM
    ) -> None:
        """Reject the held capture `held`; it stays stored and is never current.

        Raises:
            StaleLeaseError, UnknownCaptureError, DecisionError: as `accept`.
        """
        document_id = lease.document_id
        with self._database.write() as connection:
            fence(connection, lease)
            _find_held(connection, document_id, held)
            decide(connection, held, Decision(CaptureState.REJECTED, at, actor, reason))
            write_act(connection, _decided(at, actor, "reject", held, document_id, reason))

    def commit_rendition(self, lease: Lease, reading: Reading, *, at: datetime) -> Commit:
        """Store the current capture read anew, and pin that rendition from now on.

        The change that may come of it has the cause `rendition`: it is ours.

        Raises:
            StaleLeaseError: another writer has the document.
            DecisionError: the document has no current capture yet.
            UsageError: the new reading gave no text.
        """
        document_id = lease.document_id
        _check_usable(document_id, reading)
        blobs = self._put(*_texts(reading))
        with self._tallied(at), self._database.write() as connection:
            fence(connection, lease)
            current = newest_current(connection, document_id)
            if current is None:
                raise DecisionError(
                    "there is nothing to read anew: no capture was accepted yet",
                    document_id=document_id,
                    hint="check the document first",
                )
            self._put_back(blobs)
            name = current["capture_id"]
            read = self._write(connection, document_id, name, reading, at)
            change = None
            if read.reading_id != current["reading_id"]:
                change = make_current(connection, document_id, read, at, Cause.RENDITION)
        return _commit(name, read, CaptureState.ACCEPTED, change, new_capture=False)

    def _write(
        self,
        connection: Connection,
        document_id: DocumentId,
        name: str,
        reading: Reading,
        at: datetime,
    ) -> Read:
        """Write a reading; a new version is read back, and must prove each of its chunks."""
        read = write_reading(connection, document_id, name, reading, at)
        if read.new_version and read.version is not None:
            prove_chunks(connection, self._blobs, document_id, read.version)
            count_event(connection, INGEST, "stored", at)
        return read

    @contextmanager
    def _tallied(self, at: datetime) -> Iterator[None]:
        """Count a version that did not give its own hashes again; nothing of it was stored."""
        try:
            yield
        except HashMismatchError:
            with self._database.write() as connection:
                count_event(connection, INGEST, "mismatch", at)
            raise

    def _put(self, *contents: bytes) -> dict[str, bytes]:
        """Make blobs durable; return their contents by name, in the order given."""
        return {self._blobs.put(content): content for content in contents}

    def _put_back(self, blobs: Mapping[str, bytes]) -> None:
        """Put back what a purge removed since `_put` found it there.

        Purges remove blobs inside a write transaction, and this is one: from
        here to its end nothing goes.
        """
        for name, content in blobs.items():
            if not self._blobs.has(name):
                self._blobs.put(content)


def _texts(reading: Reading) -> tuple[bytes, ...]:
    """Return the text that becomes a blob, if there is one."""
    return (reading.text.data,) if reading.usable else ()


def _check_usable(document_id: DocumentId, reading: Reading) -> None:
    if not reading.usable:
        raise UsageError(
            f"a reading with the verdict `{reading.verdict}` and {len(reading.text)} bytes of text"
            " cannot be accepted",
            document_id=document_id,
            hint="record a refusal, or hold it",
        )


def _seen_again(
    connection: Connection, previous: Found, reading: Reading, observation: NewObservation
) -> Commit:
    """Record that the previous capture's bytes came again; a replay records nothing."""
    document_id, name = previous["document_id"], previous["capture_id"]
    state, verdict = CaptureState(previous["state"]), observation.verdict
    seen = tables.observation
    replayed = select(seen.c.id).where(seen.c.capture_id == name, seen.c.first == observation.at)
    if connection.execute(replayed).first() is None:
        if state is CaptureState.ACCEPTED:
            verdict = replace(verdict, outcome=Outcome.SAME_BYTES, reason=None)
        again = replace(observation, capture_id=name, verdict=verdict)
        write_observation(connection, document_id, again)
    read = find_reading(connection, name, reading.rendition.rendition_id) or find_reading(
        connection, name
    )
    assert read is not None, "every capture is committed with a reading"
    return _commit(name, read, state, None, new_capture=False)


def _find_held(connection: Connection, document_id: DocumentId, held: str) -> Found:
    row = find_capture(connection, held)
    if row["document_id"] != document_id or row["state"] != CaptureState.HELD.value:
        raise DecisionError(
            f"{held} is a capture of {row['document_id']} and {row['state']}, not held here",
            document_id=document_id,
            hint="only what is held waits for a decision",
        )
    return row


def _pinned_reading(connection: Connection, document_id: DocumentId, held: str) -> Read:
    """Return how a held capture reads under the document's rendition."""
    pinned = newest_current(connection, document_id)
    read = find_reading(connection, held, pinned["rendition_id"] if pinned else None)
    if read is None:
        raise RenditionMismatchError(
            f"{held} was held before the document's rendition changed",
            document_id=document_id,
            hint="reject it and check the document again",
        )
    return read


def _find_import(
    connection: Connection, document_id: DocumentId, capture: NewCapture, body: str
) -> str | None:
    table = tables.capture
    query = select(table.c.capture_id).where(
        table.c.document_id == document_id,
        table.c.body_sha256 == body,
        table.c.origin == Origin.IMPORTED.value,
        table.c.claimed_at.is_not_distinct_from(capture.claimed_at),
    )
    return connection.execute(query).scalars().first()


def _commit(
    name: str, read: Read, state: CaptureState, change: str | None, *, new_capture: bool
) -> Commit:
    return Commit(
        capture_id=name,
        reading_id=read.reading_id,
        version=read.version,
        state=state,
        new_capture=new_capture,
        new_version=read.new_version,
        change_id=change,
    )


def _decided(
    at: datetime, actor: str, act: str, held: str, document_id: DocumentId, reason: str
) -> OperatorAct:
    return OperatorAct(at, actor, act, held, document_id, reason, before="held", after=f"{act}ed")
