"""Changes with their hunks, what persons said of them, and the alerts that told of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field, StrictStr

from watcher.domain.changes import Cause, ChangeClass, ChangeKind, HunkKind, Severity, Tier
from watcher.domain.reviews import ReviewVerdict
from watcher.domain.statements import Status
from watcher.pipeline.answering import acknowledge
from watcher.pipeline.explain import explain
from watcher.pipeline.redline import Mark, redline
from watcher.pipeline.services import Services
from watcher.pipeline.touched import touched_citations
from watcher.store import (
    Alert,
    AlertKind,
    AlertState,
    Change,
    ChangeState,
    Disposition,
    Triage,
    UnknownAlertError,
    UnknownChangeError,
)
from watcher.web.access import Caller
from watcher.web.deps import CallerDep, ReviewingDep, ServicesDep
from watcher.web.paging import Cursor, Limit, newest

router = APIRouter(tags=["changes"])

ChangeName = Annotated[str, Path(description="64 hex digits.")]
Word = Annotated[StrictStr, Field(max_length=1000)]


class ChangeOut(BaseModel):
    """Two consecutive readings that differ; class and tier are None before it was judged."""

    change_id: str
    document_id: str
    at: datetime
    kind: ChangeKind
    cause: Cause
    state: ChangeState
    from_version: str
    to_version: str
    change_class: ChangeClass | None
    tier: Tier | None
    score: float | None


class ChangePage(BaseModel):
    """Changes, newest first."""

    items: list[ChangeOut]
    next: str | None


class PieceOut(BaseModel):
    """A run of a redline."""

    mark: Mark
    text: str


class HunkOut(BaseModel):
    """A changed block: where it is on both sides, in UTF-8 bytes, and its redline."""

    kind: HunkKind
    change_class: ChangeClass
    old_start: int
    old_end: int
    new_start: int
    new_end: int
    old_page: int
    new_page: int
    reasons: list[str]
    pieces: list[PieceOut]


class TouchedOut(BaseModel):
    """A live citation that does not carry over the change, with the answers that use it."""

    citation_id: str
    status: Status
    material: bool | None
    context_changed: bool
    answers: list[str]


class ChangeDetail(ChangeOut):
    """A change with its words, hunks and touched citations."""

    headline: str
    explanation: list[str]
    facets: list[str]
    hunks: list[HunkOut]
    touched: list[TouchedOut]


class VerdictIn(BaseModel):
    """What a person says of the judgement on a change."""

    model_config = ConfigDict(extra="forbid")

    verdict: ReviewVerdict
    note: Word = ""


class VerdictOut(BaseModel):
    """A recorded verdict."""

    change_id: str
    verdict: ReviewVerdict
    at: datetime
    actor: str
    note: str


class TriageIn(BaseModel):
    """How a change is to stand from now on, whole."""

    model_config = ConfigDict(extra="forbid")

    assignee: Word = ""
    disposition: Disposition = Disposition.OPEN
    due: date | None = None
    ticket: Annotated[StrictStr, Field(max_length=1000, pattern=r"^(https?://[^\s]+)?$")] = ""
    note: Annotated[StrictStr, Field(max_length=10_000)] = ""


class TriageOut(BaseModel):
    """An entry of the triage of a change."""

    change_id: str
    at: datetime
    actor: str
    assignee: str
    disposition: Disposition
    due: str
    ticket: str
    note: str


class AlertOut(BaseModel):
    """Something that was told, or is to be, on one channel."""

    number: int
    kind: AlertKind
    document_id: str
    change_id: str | None
    severity: Severity
    channel: str
    state: AlertState
    created_at: datetime
    unconfirmed: bool
    acked_at: datetime | None
    acked_by: str


class AlertPage(BaseModel):
    """Alerts, newest first."""

    items: list[AlertOut]
    next: str | None


def _change_fields(services: Services, change: Change) -> dict[str, object]:
    judged = services.store.changes.classification(change.change_id)
    return {
        "change_id": change.change_id,
        "document_id": change.document_id,
        "at": change.at,
        "kind": change.kind,
        "cause": change.cause,
        "state": change.state,
        "from_version": change.from_version,
        "to_version": change.to_version,
        "change_class": judged.change_class if judged else None,
        "tier": judged.tier if judged else None,
        "score": judged.score if judged else None,
    }


def find_change(services: Services, caller: Caller, change_id: str) -> Change:
    """Return a change of a document that the caller may see.

    Raises:
        ForbiddenError: they may not, be there such a change or not.
        UnknownChangeError: there is none, told to who may see everything.
    """
    try:
        change = services.store.changes.get(change_id)
    except UnknownChangeError as error:
        raise caller.unseen(error) from None
    caller.check(change.document_id)
    return change


@router.get("/changes", operation_id="listChanges")
def list_changes(
    services: ServicesDep,
    caller: CallerDep,
    document_id: Annotated[str | None, Query(description="Of this document only.")] = None,
    after: Cursor = "",
    limit: Limit = 100,
) -> ChangePage:
    """List changes, newest first."""
    name = caller.check(document_id) if document_id is not None else None

    def read(before: int | None, most: int) -> Sequence[Change]:
        return services.store.changes.list(name, before=before, limit=most)

    def seen(found: Sequence[Change]) -> Sequence[Change]:
        allowed = caller.readable({change.document_id for change in found})
        return [change for change in found if change.document_id in allowed]

    page, more = newest(read, seen, after, limit)
    items = [ChangeOut.model_validate(_change_fields(services, change)) for change in page]
    return ChangePage(items=items, next=more)


@router.get("/changes/{change_id}", operation_id="getChange")
def get_change(services: ServicesDep, caller: CallerDep, change_id: ChangeName) -> ChangeDetail:
    """Show a change: class, headline, reasons, hunks with their redline, touched citations."""
    change = find_change(services, caller, change_id)
    judged, (old, new) = explain(services, change)
    hunks = [
        HunkOut(
            kind=shown.kind,
            change_class=shown.change_class,
            old_start=shown.old.start,
            old_end=shown.old.end,
            new_start=shown.new.start,
            new_end=shown.new.end,
            old_page=shown.old_page,
            new_page=shown.new_page,
            reasons=list(shown.reasons),
            pieces=[PieceOut(mark=piece.mark, text=piece.text) for piece in shown.pieces],
        )
        for shown in redline(old, new, judged.hunks, None)
    ]
    touched = [
        TouchedOut(
            citation_id=item.citation.citation.citation_id,
            status=item.statement.status,
            material=item.statement.material,
            context_changed=item.statement.context_changed,
            answers=[f"{e.caller}/{e.answer_id}#{e.ordinal}" for e in item.emissions],
        )
        for item in touched_citations(services, change)
    ]
    return ChangeDetail.model_validate(
        {
            **_change_fields(services, change),
            "headline": judged.headline,
            "explanation": judged.explanation,
            "facets": judged.facets,
            "hunks": hunks,
            "touched": touched,
        }
    )


@router.post("/changes/{change_id}/verdict", operation_id="judgeChange")
def judge_change(
    services: ServicesDep, caller: ReviewingDep, change_id: ChangeName, said: VerdictIn
) -> VerdictOut:
    """Say whether a change was judged rightly; the latest verdict counts, all are kept."""
    change = find_change(services, caller, change_id)
    now = services.clock.now()
    services.store.reviews.record(
        change.change_id, said.verdict, at=now, actor=caller.name, note=said.note
    )
    return VerdictOut(
        change_id=change.change_id,
        verdict=said.verdict,
        at=now,
        actor=caller.name,
        note=said.note,
    )


@router.get("/changes/{change_id}/triage", operation_id="listTriage")
def list_triage(services: ServicesDep, caller: CallerDep, change_id: ChangeName) -> list[TriageOut]:
    """List what persons made of a change, oldest first; the last entry is how it stands."""
    change = find_change(services, caller, change_id)
    return list(map(_triage_out, services.store.triage.history(change.change_id)))


@router.post("/changes/{change_id}/triage", operation_id="triageChange", status_code=201)
def triage_change(
    services: ServicesDep, caller: ReviewingDep, change_id: ChangeName, said: TriageIn
) -> TriageOut:
    """Record how a change stands; entries are only added."""
    change = find_change(services, caller, change_id)
    entry = Triage(
        change.change_id,
        change.document_id,
        services.clock.now(),
        caller.name,
        said.assignee,
        said.disposition,
        said.due.isoformat() if said.due else "",
        said.ticket,
        said.note,
    )
    return _triage_out(services.store.triage.record(entry))


def _triage_out(entry: Triage) -> TriageOut:
    return TriageOut(
        change_id=entry.change_id,
        at=entry.at,
        actor=entry.actor,
        assignee=entry.assignee,
        disposition=entry.disposition,
        due=entry.due,
        ticket=entry.ticket,
        note=entry.note,
    )


@router.get("/alerts", operation_id="listAlerts", tags=["alerts"])
def list_alerts(
    services: ServicesDep,
    caller: CallerDep,
    state: Annotated[AlertState | None, Query()] = None,
    after: Cursor = "",
    limit: Limit = 100,
) -> AlertPage:
    """List alerts, newest first."""

    def read(before: int | None, most: int) -> Sequence[Alert]:
        return services.store.outbox.list(state=state, before=before, limit=most)

    def seen(found: Sequence[Alert]) -> Sequence[Alert]:
        allowed = caller.readable({alert.document_id for alert in found})
        return [alert for alert in found if alert.document_id in allowed]

    page, more = newest(read, seen, after, limit)
    return AlertPage(items=list(map(_alert_out, page)), next=more)


@router.get("/alerts/{number}", operation_id="getAlert", tags=["alerts"])
def get_alert(
    services: ServicesDep, caller: CallerDep, number: Annotated[int, Path(ge=0, lt=2**63)]
) -> AlertOut:
    """Show one alert."""
    return _alert_out(_find_alert(services, caller, number))


@router.post("/alerts/{number}/ack", operation_id="ackAlert", tags=["alerts"])
def ack_alert(
    services: ServicesDep, caller: ReviewingDep, number: Annotated[int, Path(ge=0, lt=2**63)]
) -> AlertOut:
    """Take an alert on; the first who does is kept."""
    alert = _find_alert(services, caller, number)
    acknowledge(services, alert.number, caller.name)
    return _alert_out(services.store.outbox.get(alert.number))


def _find_alert(services: Services, caller: Caller, number: int) -> Alert:
    try:
        alert = services.store.outbox.get(number)
    except UnknownAlertError as error:
        raise caller.unseen(error) from None
    caller.check(alert.document_id)
    return alert


def _alert_out(alert: Alert) -> AlertOut:
    return AlertOut(
        number=alert.number,
        kind=alert.kind,
        document_id=alert.document_id,
        change_id=alert.change_id,
        severity=alert.severity,
        channel=alert.channel,
        state=alert.state,
        created_at=alert.created_at,
        unconfirmed=alert.unconfirmed,
        acked_at=alert.acked_at,
        acked_by=alert.acked_by,
    )
