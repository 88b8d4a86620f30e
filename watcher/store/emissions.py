"""The rows of uses, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select

from watcher.domain.anchors import Citation
from watcher.store import tables
from watcher.store.acts import write_act
from watcher.store.codec import Found, Values, pairs, unpairs, wellformed
from watcher.store.errors import EmissionConflictError, UnknownCitationError
from watcher.store.rows import Emission, NewEmission, OperatorAct

_emission = tables.emission
_withdrawal = tables.emission_withdrawal
USES = (
    select(_emission, tables.citation.c.citation_id, _withdrawal.c.at.label("withdrawn_at"))
    .join(tables.citation, tables.citation.c.id == _emission.c.citation_row)
    .join(_withdrawal, _withdrawal.c.emission_row == _emission.c.id, isouter=True)
)
_BY_KEY = USES.where(
    _emission.c.caller == bindparam("caller"),
    _emission.c.answer_id == bindparam("answer_id"),
    _emission.c.ordinal == bindparam("ordinal"),
)


def emission_by_key(
    connection: Connection, caller: str, answer_id: str, ordinal: int
) -> Emission | None:
    """Return the use of that key, None where there is none."""
    key = wellformed({"caller": caller, "answer_id": answer_id, "ordinal": ordinal})
    row = connection.execute(_BY_KEY, key).mappings().first()
    return emission_of(row) if row else None


def emissions_of(connection: Connection, citations: Iterable[int]) -> dict[int, list[Emission]]:
    """Return the uses of citations by their numbers, oldest first."""
    query = USES.where(_emission.c.citation_row.in_(list(citations))).order_by(_emission.c.id)
    found: dict[int, list[Emission]] = {}
    for row in connection.execute(query).mappings():
        found.setdefault(row["citation_row"], []).append(emission_of(row))
    return found


def same_use(known: Emission, citation: Citation, emission: NewEmission) -> Emission:
    """Return the emission that has the key already, if it is of the same thing.

    Raises:
        EmissionConflictError: the key was used for another citation or answer.
    """
    if (known.citation_id, known.answer_sha256) != (citation.citation_id, emission.answer_sha256):
        raise EmissionConflictError(
            f"{emission.caller} used {emission.answer_id}, ordinal {emission.ordinal},"
            f" for {known.citation_id} in another answer or for another citation",
            document_id=citation.document_id,
            hint="give every answer its own answer_id, and every citation in it its own ordinal",
        )
    return known


def write_emission(connection: Connection, citation: int, emission: NewEmission) -> Emission:
    """Write a use of the citation with that number."""
    values: Values = {
        "citation_row": citation,
        "caller": emission.caller,
        "answer_id": emission.answer_id,
        "ordinal": emission.ordinal,
        "emitted_at": emission.at,
        "expires_at": emission.expires_at,
        "answer_sha256": emission.answer_sha256,
        "application": emission.application,
        "model": emission.model,
        "labels": pairs(emission.labels),
    }
    query = insert(_emission).returning(_emission.c.id)
    number = connection.execute(query, wellformed(values)).scalar_one()
    row = connection.execute(USES.where(_emission.c.id == number)).mappings().one()
    return emission_of(row, new=True)


def withdraw_emission(
    connection: Connection, emission: int, *, at: datetime, actor: str, reason: str
) -> None:
    """Let a use count no more; again changes nothing.

    Raises:
        UnknownCitationError: there is no emission of that number.
    """
    row = connection.execute(USES.where(_emission.c.id == emission)).mappings().first()
    if row is None:
        raise UnknownCitationError(
            f"there is no emission {emission}", hint="`watcher citations list` lists them"
        )
    if row["withdrawn_at"] is None:
        connection.execute(
            insert(_withdrawal),
            wellformed({"emission_row": emission, "at": at, "actor": actor, "reason": reason}),
        )
        used = f"{row['caller']} {row['answer_id']} {row['ordinal']}"
        act = OperatorAct(
            at, actor, "withdraw", row["citation_id"], reason=reason, before=used, after="withdrawn"
        )
        write_act(connection, act)


def emission_of(row: Found, *, new: bool = False) -> Emission:
    """Return the use that a row of `USES` holds."""
    return Emission(
        number=row["id"],
        citation_id=row["citation_id"],
        caller=row["caller"],
        answer_id=row["answer_id"],
        ordinal=row["ordinal"],
        at=row["emitted_at"],
        expires_at=row["expires_at"],
        answer_sha256=row["answer_sha256"],
        application=row["application"],
        model=row["model"],
        labels=unpairs(row["labels"]),
        withdrawn_at=row["withdrawn_at"],
        new=new,
    )
