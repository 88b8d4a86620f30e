"""Verdicts of persons on judgements, and the sample that was drawn for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, insert, select

from watcher.domain.changes import Cause, ChangeClass, Tier
from watcher.domain.ids import DocumentId
from watcher.domain.reviews import ReviewVerdict, fits
from watcher.store import tables
from watcher.store.acts import write_act
from watcher.store.codec import Found, Query, wellformed
from watcher.store.database import Database
from watcher.store.errors import ReviewError, UnknownChangeError
from watcher.store.rows import JudgedChange, OperatorAct, Review

_change = tables.change
_judged = tables.classification
_sample = tables.review_sample
_review = tables.review


class Reviews:
    """The review loop's memory. A later verdict on the same change outranks an earlier one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(
        self, change_id: str, verdict: ReviewVerdict, *, at: datetime, actor: str, note: str = ""
    ) -> JudgedChange:
        """Append a verdict; return the change with it.

        Raises:
            UnknownChangeError: no classified change of a publisher has that id.
            ReviewError: the verdict cannot be said of a judgement of its tier.
        """
        with self._database.write() as connection:
            found = connection.execute(_changes().where(_change.c.change_id == change_id))
            row = found.mappings().first()
            if row is None:
                raise _unknown(change_id)
            if not fits(verdict, Tier(row["tier"])):
                raise ReviewError(
                    f"a change of tier {row['tier']} cannot be {verdict.value}",
                    document_id=row["document_id"],
                    hint="silent and digest: right or missed; page: right or false-page;"
                    " ticket: any of the three",
                )
            values = {"at": at, "actor": actor, "verdict": verdict.value, "note": note}
            new = wellformed({"change_row": row["id"], **values})
            connection.execute(insert(_review), new)
            act = OperatorAct(
                at,
                actor,
                "verdict",
                change_id,
                row["document_id"],
                note,
                before=row["verdict"] or "",
                after=verdict.value,
            )
            write_act(connection, act)
        return self.get(change_id)

    def get(self, change_id: str) -> JudgedChange:
        """Return a classified change with its latest verdict.

        Raises:
            UnknownChangeError: no classified change of a publisher has that id.
        """
        found = self._select(_changes().where(_change.c.change_id == change_id))
        if not found:
            raise _unknown(change_id)
        return found[0]

    def queue(self, *, limit: int = 100) -> tuple[JudgedChange, ...]:
        """Return the drawn changes that nobody has reviewed, oldest first."""
        query = _changes().where(_sample.c.change_row.is_not(None), _review.c.id.is_(None))
        return self._select(query.order_by(_change.c.id).limit(limit))

    def unreviewed(self, tiers: Sequence[Tier], *, limit: int = 100) -> tuple[JudgedChange, ...]:
        """Return changes of `tiers` that nobody has reviewed, oldest first, drawn or not."""
        wanted = [tier.value for tier in tiers]
        query = _changes().where(_judged.c.tier.in_(wanted), _review.c.id.is_(None))
        return self._select(query.order_by(_change.c.id).limit(limit))

    def reviewed(self) -> tuple[JudgedChange, ...]:
        """Return every change that has a verdict, in the order in which they came."""
        known = _change.c.id.in_(select(_review.c.change_row))
        return self._select(_changes().where(known).order_by(_change.c.id))

    def waiting(self) -> int:
        """Return how many drawn changes nobody has reviewed."""
        query = (
            select(func.count())
            .select_from(_sample)
            .where(_sample.c.change_row.not_in(select(_review.c.change_row)))
        )
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()

    def scores(self) -> tuple[JudgedChange, ...]:
        """Return every classified change that bears policy, reviewed or not."""
        bears = _judged.c.change_class == ChangeClass.POLICY_BEARING.value
        return self._select(_changes().where(bears).order_by(_change.c.id))

    def _select(self, query: Query) -> tuple[JudgedChange, ...]:
        with self._database.read() as connection:
            return tuple(map(_judged_of, connection.execute(query).mappings()))


def _changes() -> Query:
    """Return the query for classified changes, each with its sample and latest verdict."""
    latest = (
        select(func.max(_review.c.id).label("id"))
        .where(_review.c.change_row == _change.c.id)
        .correlate(_change)
        .scalar_subquery()
    )
    return (
        select(
            _change.c.id,
            _change.c.change_id,
            _change.c.document_id,
            _change.c.at,
            _judged.c.change_class,
            _judged.c.tier,
            _judged.c.score,
            _judged.c.rules,
            _sample.c.chance,
            _review.c.verdict,
            _review.c.at.label("reviewed_at"),
            _review.c.actor,
            _review.c.note,
        )
        .join(_judged, _judged.c.change_row == _change.c.id)
        .join(_sample, _sample.c.change_row == _change.c.id, isouter=True)
        .join(_review, _review.c.id == latest, isouter=True)
        .where(_change.c.cause == Cause.PUBLISHER.value)
    )


def _judged_of(row: Found) -> JudgedChange:
    review = None
    if row["verdict"] is not None:
        verdict = ReviewVerdict(row["verdict"])
        review = Review(verdict, row["reviewed_at"], row["actor"], row["note"])
    return JudgedChange(
        change_id=row["change_id"],
        document_id=DocumentId(row["document_id"]),
        at=row["at"],
        change_class=ChangeClass(row["change_class"]),
        tier=Tier(row["tier"]),
        score=row["score"],
        rules=row["rules"],
        chance=row["chance"],
        review=review,
    )


def _unknown(change_id: str) -> UnknownChangeError:
    return UnknownChangeError(
        f"there is no classified change {change_id[:80]}", hint="`watcher changes` lists them"
    )
