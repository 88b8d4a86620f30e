"""Silences: which alerts wait for the digest, until when, and at whose word."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import Connection, insert, select, update

from watcher.store import tables
from watcher.store.acts import write_act
from watcher.store.codec import Found, wellformed
from watcher.store.database import Database
from watcher.store.errors import SilenceError, UnknownSilenceError
from watcher.store.rows.operating import NewSilence, Silence
from watcher.store.rows.work import AlertKind, OperatorAct

_silence = tables.silence
LONGEST = timedelta(days=31)
"""What is to be silent for longer is a rule, and belongs into the document's entry."""


class Silences:
    """Every silence there was."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, said: NewSilence) -> Silence:
        """Store a silence and, in the same transaction, that a person asked for it.

        Raises:
            SilenceError: it says not why, by whom, for which alerts or how long.
        """
        _check(said)
        values = {
            "at": said.at,
            "actor": said.actor,
            "reason": said.reason,
            "ends_at": said.ends_at,
            "document_id": said.document_id,
            "kind": said.kind.value if said.kind else "",
            "key": said.key,
            "ended_by": "",
            "remote": {},
        }
        query = insert(_silence).returning(_silence.c.id)
        with self._database.write() as connection:
            number = connection.execute(query, wellformed(values)).scalar_one()
            act = OperatorAct(
                said.at,
                said.actor,
                "silence",
                str(number),
                said.document_id,
                said.reason,
                after=f"{describe(said)} until {said.ends_at.isoformat()}",
            )
            write_act(connection, act)
            return _find(connection, number)

    def end(self, number: int, *, at: datetime, actor: str, reason: str) -> Silence:
        """End a silence before its time; one that is over stays as it ended.

        Raises:
            UnknownSilenceError: there is none of that number.
        """
        with self._database.write() as connection:
            found = _find(connection, number)
            if not found.holds(at):
                return found
            connection.execute(
                update(_silence)
                .where(_silence.c.id == number)
                .values(wellformed({"ended_at": at, "ended_by": actor}))
            )
            act = OperatorAct(
                at,
                actor,
                "unsilence",
                str(number),
                found.said.document_id,
                reason,
                before=f"{describe(found.said)} until {found.said.ends_at.isoformat()}",
            )
            write_act(connection, act)
            return _find(connection, number)

    def known_elsewhere(self, number: int, remote: Mapping[str, str]) -> None:
        """Record what the silence is called at other programs, by channel."""
        query = update(_silence).where(_silence.c.id == number).values(remote=dict(remote))
        with self._database.write() as connection:
            connection.execute(query)

    def get(self, number: int) -> Silence:
        """Return a silence.

        Raises:
            UnknownSilenceError: there is none of that number.
        """
        with self._database.read() as connection:
            return _find(connection, number)

    def active(self, now: datetime) -> tuple[Silence, ...]:
        """Return those that hold at `now`, oldest first."""
        query = (
            select(_silence)
            .where(_silence.c.ended_at.is_(None), _silence.c.at <= now, _silence.c.ends_at > now)
            .order_by(_silence.c.id)
        )
        with self._database.read() as connection:
            return tuple(map(_silence_of, connection.execute(query).mappings()))

    def list(self, *, limit: int = 100) -> tuple[Silence, ...]:
        """Return the newest silences, over or not, newest first."""
        query = select(_silence).order_by(_silence.c.id.desc()).limit(limit)
        with self._database.read() as connection:
            return tuple(map(_silence_of, connection.execute(query).mappings()))


def describe(said: NewSilence) -> str:
    """Return which alerts are meant, in words."""
    wanted = {
        "document": said.document_id,
        "kind": said.kind.value if said.kind else "",
        "key": said.key,
    }
    return " ".join(f"{name}={value}" for name, value in wanted.items() if value)


def _check(said: NewSilence) -> None:
    mistakes = [
        (not said.actor.strip(), "says not who silences"),
        (not said.reason.strip(), "gives no reason"),
        (said.ends_at <= said.at, "is over before it begins"),
        (said.ends_at - said.at > LONGEST, f"lasts longer than {LONGEST.days} days"),
        (not describe(said), "names no document, kind or key: it would silence everything"),
    ]
    for wrong, sentence in mistakes:
        if wrong:
            raise SilenceError(
                f"this silence {sentence}",
                hint="give a time, a reason, a name, and what is to be silent",
            )


def _find(connection: Connection, number: int) -> Silence:
    query = select(_silence).where(_silence.c.id == number)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise UnknownSilenceError(
            f"there is no silence {number}", hint="`watcher alerts silences` lists them"
        )
    return _silence_of(row)


def _silence_of(row: Found) -> Silence:
    said = NewSilence(
        at=row["at"],
        ends_at=row["ends_at"],
        actor=row["actor"],
        reason=row["reason"],
        document_id=row["document_id"],
        kind=AlertKind(row["kind"]) if row["kind"] else None,
        key=row["key"],
    )
    return Silence(row["id"], said, row["ended_at"], row["ended_by"], row["remote"])
