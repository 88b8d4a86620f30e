"""What is to be told, until it was told, or could not be.

A row is born with what it is about, in the transaction that found it out. Its
key is (event_id, channel): the same event tells a channel once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, insert, select, update

from watcher.domain.changes import Severity
from watcher.domain.ids import DocumentId
from watcher.store import tables
from watcher.store.acts import write_act
from watcher.store.codec import Found, Query, Values, wellformed
from watcher.store.database import Database
from watcher.store.errors import UnknownAlertError
from watcher.store.rows import Alert, AlertKind, AlertState, NewAlert, OperatorAct

_outbox, _silenced = tables.outbox, tables.silenced
_HELD, _PENDING, _DEAD, _DIGEST = (
    AlertState.HELD.value,
    AlertState.PENDING.value,
    AlertState.DEAD.value,
    AlertState.DIGEST.value,
)


class Outbox:
    """The alerts of every document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, alerts: Iterable[NewAlert]) -> tuple[Alert, ...]:
        """Put in alerts about what is no change; return those that are new."""
        with self._database.write() as connection:
            return write_alerts(connection, alerts)

    def claim_due(self, now: datetime, *, limit: int, lease_seconds: float) -> tuple[Alert, ...]:
        """Return alerts to send now, counting the attempt, the longest due first.

        Each is put off by `lease_seconds`, after which it is due again unless
        it was delivered, retried or given up: a sender that dies loses none.
        What was held and not confirmed in time goes out marked unconfirmed.
        """
        with self._database.write() as connection:
            connection.execute(
                update(_outbox)
                .where(_outbox.c.state == _HELD, _outbox.c.not_before <= now)
                .values(state=_PENDING, unconfirmed=True)
            )
            due = (
                select(_outbox.c.id)
                .where(_outbox.c.state == _PENDING, _outbox.c.not_before <= now)
                .order_by(_outbox.c.not_before, _outbox.c.id)
                .limit(limit)
            )
            numbers = list(connection.execute(due).scalars())
            connection.execute(
                update(_outbox)
                .where(_outbox.c.id.in_(numbers))
                .values(
                    attempts=_outbox.c.attempts + 1,
                    not_before=now + timedelta(seconds=lease_seconds),
                    claimed=True,
                )
            )
            return _load(connection, _alerts().where(_outbox.c.id.in_(numbers)))

    def delivered(self, number: int, *, at: datetime, receipt: str = "") -> None:
        """Record that an alert arrived, be it after it was given up.

        Raises:
            UnknownAlertError: there is none of that number.
        """
        ended: Values = {
            "state": AlertState.DELIVERED.value,
            "finished_at": at,
            "last_error": "",
            "claimed": False,
        }
        self._move(number, (_PENDING, _DIGEST, _DEAD), {**ended, "receipt": receipt})

    def retry(self, number: int, *, not_before: datetime, error: str) -> None:
        """Record that an attempt failed, and when the next is due; no news of a finished one.

        Raises:
            UnknownAlertError: there is none of that number.
        """
        later = {"not_before": not_before, "last_error": error, "claimed": False}
        self._move(number, (_PENDING,), later)

    def postpone(self, number: int, *, until: datetime, reason: str) -> None:
        """Let an alert be due at `until` instead: nobody tried, so nothing is late.

        Raises:
            UnknownAlertError: there is none of that number.
        """
        due = {"not_before": until, "due_at": until, "last_error": reason}
        self._move(number, (_PENDING,), due)

    def dead(self, number: int, *, at: datetime, error: str) -> None:
        """Record that an alert was given up; no news of a finished one.

        Raises:
            UnknownAlertError: there is none of that number.
        """
        ended = {"state": _DEAD, "finished_at": at, "last_error": error, "claimed": False}
        self._move(number, (_PENDING, _DIGEST), ended)

    def revive(self, number: int, *, at: datetime) -> None:
        """Let an alert that was given up be sent again, from `at` on; others stay.

        Raises:
            UnknownAlertError: there is none of that number.
        """
        again = {"state": _PENDING, "not_before": at, "due_at": at, "finished_at": None}
        self._move(number, (_DEAD,), again)

    def void_claims(self) -> int:
        """Make what a dead sender had claimed due again; return how many alerts.

        For whoever has just become the only sender on the directory.
        """
        query = (
            update(_outbox)
            .where(_outbox.c.state == _PENDING, _outbox.c.claimed.is_(True))
            .values(claimed=False, not_before=_outbox.c.due_at)
        )
        with self._database.write() as connection:
            return connection.execute(query).rowcount

    def confirm(self, event_id: str, *, at: datetime) -> int:
        """Let what was held for a confirming fetch go out; return how many alerts."""
        return self._end_hold(event_id, state=_PENDING, not_before=at, due_at=at)

    def cancel(self, event_id: str) -> int:
        """Turn what was held into digest entries, marked as reverted; return how many."""
        return self._end_hold(event_id, state=_DIGEST, reverted=True)

    def digest(self, channel: str, *, limit: int = 1000) -> tuple[Alert, ...]:
        """Return what waits for a channel's next digest, oldest first."""
        query = (
            _alerts()
            .where(_outbox.c.state == _DIGEST, _outbox.c.channel == channel)
            .order_by(_outbox.c.id)
            .limit(limit)
        )
        with self._database.read() as connection:
            return _load(connection, query)

    def digested(self, numbers: Iterable[int], *, at: datetime, receipt: str = "") -> None:
        """Record that a digest with these alerts arrived."""
        query = (
            update(_outbox)
            .where(_outbox.c.id.in_(list(numbers)), _outbox.c.state == _DIGEST)
            .values(state=AlertState.DELIVERED.value, finished_at=at, receipt=receipt)
        )
        with self._database.write() as connection:
            connection.execute(query)

    def ack(self, number: int, *, at: datetime, actor: str) -> None:
        """Record that a person has taken notice; the first one stays.

        An alert that was not sent yet is cancelled: somebody knows already.

        Raises:
            UnknownAlertError: there is none of that number.
        """
        with self._database.write() as connection:
            alert = _find(connection, number)
            if alert.acked_at is None:
                connection.execute(
                    update(_outbox)
                    .where(_outbox.c.id == number)
                    .values(wellformed({"acked_at": at, "acked_by": actor}))
                )
                _cancel_unsent(connection, [number], at)
                write_act(connection, OperatorAct(at, actor, "ack", str(number), alert.document_id))

    def resolve(self, event_id: str, *, at: datetime, by: str) -> tuple[Alert, ...]:
        """Record that what an event told is over; return its alerts that were open till now.

        An alert that was not sent yet is cancelled: there is nothing to tell.
        """
        query = (
            update(_outbox)
            .where(_outbox.c.event_id == event_id, _outbox.c.resolved_at.is_(None))
            .values(wellformed({"resolved_at": at, "resolved_by": by}))
            .returning(_outbox.c.id)
        )
        with self._database.write() as connection:
            numbers = list(connection.execute(query).scalars())
            _cancel_unsent(connection, numbers, at)
            found = _load(connection, _alerts().where(_outbox.c.id.in_(numbers)))
            if found:
                write_act(
                    connection, OperatorAct(at, by, "resolve", event_id, found[0].document_id)
                )
            return found

    def silence(self, number: int, silence: int, *, at: datetime) -> None:
        """Let an alert wait for the digest for the sake of a silence: it calls nobody.

        Raises:
            UnknownAlertError: there is none of that number.
        """
        with self._database.write() as connection:
            alert = _find(connection, number)
            if alert.state is not AlertState.PENDING:
                return
            calm = {"state": _DIGEST, "claimed": False}
            connection.execute(update(_outbox).where(_outbox.c.id == number).values(calm))
            if alert.silence is None:
                row = {"outbox_row": number, "silence_row": silence, "at": at}
                connection.execute(insert(_silenced), row)

    def find(self, event_id: str, channel: str) -> Alert:
        """Return the alert of an event on a channel.

        Raises:
            UnknownAlertError: there is none.
        """
        query = _alerts().where(_outbox.c.event_id == event_id, _outbox.c.channel == channel)
        with self._database.read() as connection:
            found = _load(connection, query)
        if not found:
            raise UnknownAlertError(f"{channel} was never told of {event_id[:12]}")
        return found[0]

    def get(self, number: int) -> Alert:
        """Return an alert.

        Raises:
            UnknownAlertError: there is none of that number.
        """
        with self._database.read() as connection:
            return _find(connection, number)

    def list(
        self,
        state: AlertState | None = None,
        *,
        document_id: DocumentId | None = None,
        channel: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[Alert, ...]:
        """Return the newest alerts, newest first; `before`: whose number is smaller."""
        query = _alerts().order_by(_outbox.c.id.desc()).limit(limit)
        if state is not None:
            query = query.where(_outbox.c.state == state.value)
        if document_id is not None:
            query = query.where(_outbox.c.document_id == document_id)
        if channel is not None:
            query = query.where(_outbox.c.channel == channel)
        if before is not None:
            query = query.where(_outbox.c.id < before)
        with self._database.read() as connection:
            return _load(connection, query)

    def held(self, document_id: DocumentId) -> tuple[Alert, ...]:
        """Return the alerts of a document that wait for a confirming fetch."""
        with self._database.read() as connection:
            found = connection.execute(_HELD_FOR, {"document_id": document_id}).mappings()
            return tuple(map(_alert_of, found))

    def _move(self, number: int, states: tuple[str, ...], values: Values) -> None:
        """Change an alert that is in one of `states`; another stays as it is."""
        with self._database.write() as connection:
            if _find(connection, number).state.value in states:
                connection.execute(
                    update(_outbox).where(_outbox.c.id == number).values(wellformed(values))
                )

    def _end_hold(self, event_id: str, **values: object) -> int:
        query = (
            update(_outbox)
            .where(_outbox.c.event_id == event_id, _outbox.c.state == _HELD)
            .values(values)
        )
        with self._database.write() as connection:
            return connection.execute(query).rowcount


def _cancel_unsent(connection: Connection, numbers: Iterable[int], at: datetime) -> None:
    """Cancel those that wait; one that is being sent goes its way."""
    connection.execute(
        update(_outbox)
        .where(
            _outbox.c.id.in_(list(numbers)),
            _outbox.c.state.in_((_HELD, _PENDING)),
            _outbox.c.claimed.is_(False),
        )
        .values(state=AlertState.CANCELLED.value, finished_at=at)
    )


def write_alerts(connection: Connection, alerts: Iterable[NewAlert]) -> tuple[Alert, ...]:
    """Write alerts whose key is not there yet; return those."""
    written = []
    for alert in alerts:
        taken = select(_outbox.c.id).where(
            _outbox.c.event_id == alert.event_id, _outbox.c.channel == alert.channel
        )
        if connection.execute(taken).first() is not None:
            continue
        change = select(tables.change.c.id).where(tables.change.c.change_id == alert.change_id)
        values = {
            "event_id": alert.event_id,
            "channel": alert.channel,
            "kind": alert.kind.value,
            "document_id": alert.document_id,
            "change_row": connection.execute(change).scalar_one() if alert.change_id else None,
            "severity": alert.severity.value,
            "reason": alert.reason,
            "created_at": alert.at,
            "state": alert.state.value,
            "unconfirmed": False,
            "reverted": False,
            "claimed": False,
            "attempts": 0,
            "not_before": alert.not_before,
            "due_at": alert.not_before,
            "last_error": "",
            "receipt": "",
            "acked_by": "",
            "resolved_by": "",
        }
        query = insert(_outbox).returning(_outbox.c.id)
        written.append(connection.execute(query, wellformed(values)).scalar_one())
    if not written:
        return ()
    return _load(connection, _alerts().where(_outbox.c.id.in_(written)).order_by(_outbox.c.id))


def _alerts() -> Query:
    return (
        select(_outbox, tables.change.c.change_id, _silenced.c.silence_row)
        .join(tables.change, tables.change.c.id == _outbox.c.change_row, isouter=True)
        .join(_silenced, _silenced.c.outbox_row == _outbox.c.id, isouter=True)
    )


_HELD_FOR = (
    _alerts()
    .where(_outbox.c.document_id == bindparam("document_id"), _outbox.c.state == _HELD)
    .order_by(_outbox.c.id.desc())
)


def _load(connection: Connection, query: Query) -> tuple[Alert, ...]:
    return tuple(map(_alert_of, connection.execute(query).mappings()))


def _find(connection: Connection, number: int) -> Alert:
    found = _load(connection, _alerts().where(_outbox.c.id == number))
    if not found:
        raise _unknown(number)
    return found[0]


def _unknown(number: int) -> UnknownAlertError:
    return UnknownAlertError(
        f"there is no such alert {number}", hint="`watcher alerts list` lists them"
    )


def _alert_of(row: Found) -> Alert:
    return Alert(
        number=row["id"],
        event_id=row["event_id"],
        channel=row["channel"],
        kind=AlertKind(row["kind"]),
        document_id=row["document_id"],
        change_id=row["change_id"],
        severity=Severity(row["severity"]),
        reason=row["reason"],
        created_at=row["created_at"],
        state=AlertState(row["state"]),
        unconfirmed=row["unconfirmed"],
        reverted=row["reverted"],
        attempts=row["attempts"],
        not_before=row["not_before"],
        due_at=row["due_at"],
        last_error=row["last_error"],
        finished_at=row["finished_at"],
        receipt=row["receipt"],
        acked_at=row["acked_at"],
        acked_by=row["acked_by"],
        resolved_at=row["resolved_at"],
        resolved_by=row["resolved_by"],
        silence=row["silence_row"],
    )
