"""A change as a reviewer reads it, what persons make of it, and what waits for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, ValidationError

from watcher.domain.changes import ChangeClass, Tier
from watcher.domain.ids import VersionId
from watcher.domain.ranges import Range
from watcher.domain.reviews import ReviewVerdict, fits
from watcher.domain.text import CanonicalText
from watcher.pipeline.judged import Judged, judged_change
from watcher.pipeline.redline import Piece, ShownHunk, places, sides
from watcher.pipeline.services import Services
from watcher.pipeline.touched import touched_citations
from watcher.store import (
    Alert,
    Change,
    Disposition,
    JudgedChange,
    Triage,
    UnknownChangeError,
)
from watcher.web.access import Caller
from watcher.web.api import changes as api
from watcher.web.api.changes import ChangeName, find_change
from watcher.web.deps import CallerDep, ReviewingDep, ServicesDep
from watcher.web.paging import Cursor
from watcher.web.principals import Scope
from watcher.web.problems import ApiError
from watcher.web.views.citations import said_of
from watcher.web.views.pages import FormDep, PageRoute, language, render

router = APIRouter(route_class=PageRoute)

_ROWS = 100
_ALERTS = 5000
_QUEUE = 1000
_TOLD = (Tier.PAGE, Tier.TICKET)
_VERDICTS = {
    ReviewVerdict.RIGHT: "right",
    ReviewVerdict.FALSE_PAGE: "false: less would have done",
    ReviewVerdict.MISSED: "missed: it should have been told louder",
}
_Said = TypeVar("_Said", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class HunkView:
    """A hunk with its links; `first` is the one that the page is about."""

    hunk: ShownHunk
    places: tuple[str, ...]
    before: list[Piece]
    after: list[Piece]
    old_link: str
    new_link: str
    folded: bool
    first: bool


@dataclass(frozen=True, slots=True)
class ListedChange:
    """A change in a list; class and tier are empty before it was judged."""

    change_id: str
    document_id: str
    at: datetime
    change_class: str
    tier: str
    triage: Triage | None


@dataclass(frozen=True, slots=True)
class Part:
    """A list of changes under a title; `empty` is said where there are none."""

    title: str
    rows: Sequence[ListedChange]
    empty: str


@router.get("/changes/{change_id}")
def show_change(
    request: Request,
    services: ServicesDep,
    caller: CallerDep,
    change_id: ChangeName,
    view: Literal["inline", "side"] = "inline",
) -> Response:
    """Show a change: its redline, judgement, touched citations and triage."""
    change = find_change(services, caller, change_id)
    store = services.store
    judged = judged_change(services, change)
    reviewed = _reviewed(services, change)
    history = store.triage.history(change.change_id)
    return render(
        request,
        "change.html",
        change=change,
        document=store.documents.get(change.document_id),
        base=f"/documents/{change.document_id}/versions",
        judged=judged,
        language=language(judged.readings[1].language) if judged.readings else "",
        hunks=_hunks(change, judged),
        view=view,
        touched=touched_citations(services, change),
        said_of=said_of,
        alerts=_alerts(services, change),
        may_review=Scope.REVIEW in caller.principal.scopes,
        verdicts=[v for v in ReviewVerdict if reviewed and fits(v, reviewed.tier)],
        verdict_words=_VERDICTS,
        review=reviewed.review if reviewed else None,
        dispositions=tuple(Disposition),
        history=history,
        stands=history[-1] if history else None,
    )


def _hunks(change: Change, judged: Judged) -> list[HunkView]:
    hunks = judged.hunks()
    highest = max((hunk.change_class.rank for hunk in hunks), default=0)
    first = next((n for n, h in enumerate(hunks) if h.change_class.rank == highest), 0)
    return [
        HunkView(
            hunk,
            places(hunk),
            *sides(hunk.pieces),
            old_link=_link(change, change.from_version, judged.old, hunk.old),
            new_link=_link(change, change.to_version, judged.new, hunk.new),
            folded=hunk.change_class is ChangeClass.COSMETIC and highest > 0,
            first=number == first,
        )
        for number, hunk in enumerate(hunks)
    ]


def _link(change: Change, version: VersionId, text: CanonicalText, place: Range) -> str:
    """Return what opens the first page's part of a range; nothing where it is empty."""
    parts = text.split_at_pages(place.start, place.end)
    if not parts:
        return ""
    base = f"/documents/{change.document_id}/versions/{version}"
    return f"{base}?start={parts[0].start}&end={parts[0].end}#m1"


def _reviewed(services: Services, change: Change) -> JudgedChange | None:
    """Return the change as it may be reviewed; None where nobody is asked about it."""
    try:
        return services.store.reviews.get(change.change_id)
    except UnknownChangeError:
        return None


def _alerts(services: Services, change: Change) -> list[Alert]:
    found = services.store.outbox.list(document_id=change.document_id, limit=_ALERTS)
    return [alert for alert in found if alert.change_id == change.change_id]


def _back(change_id: str) -> Response:
    return RedirectResponse(f"/changes/{change_id}#triage", 303)


def _said(kind: type[_Said], fields: Mapping[str, object]) -> _Said:
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        wrong = ", ".join(".".join(map(str, found["loc"])) for found in error.errors())
        raise ApiError(
            "invalid_request", f"what is in {wrong} has not the form", hint="go back and change it"
        ) from None


@router.post("/changes/{change_id}/ack")
def acknowledge(services: ServicesDep, caller: ReviewingDep, change_id: ChangeName) -> Response:
    """Take on every alert that told of the change."""
    change = find_change(services, caller, change_id)
    for alert in _alerts(services, change):
        if alert.acked_at is None:
            api.ack_alert(services, caller, alert.number)
    return _back(change.change_id)


@router.post("/changes/{change_id}/verdict")
def judge(
    services: ServicesDep, caller: ReviewingDep, change_id: ChangeName, form: FormDep
) -> Response:
    """Record a verdict."""
    api.judge_change(services, caller, change_id, _said(api.VerdictIn, form))
    return _back(change_id)


@router.post("/changes/{change_id}/triage")
def triage(
    services: ServicesDep, caller: ReviewingDep, change_id: ChangeName, form: FormDep
) -> Response:
    """Record how a change stands."""
    fields = {**form, "due": form.get("due") or None}
    api.triage_change(services, caller, change_id, _said(api.TriageIn, fields))
    return _back(change_id)


@router.get("/changes")
def list_changes(
    request: Request, services: ServicesDep, caller: CallerDep, after: Cursor = ""
) -> Response:
    """List changes, newest first, with how they stand."""
    found = api.list_changes(services, caller, None, after, _ROWS)
    stands = services.store.triage.newest([change.change_id for change in found.items])
    rows = [
        ListedChange(
            item.change_id,
            item.document_id,
            item.at,
            item.change_class or "",
            item.tier or "",
            stands.get(item.change_id),
        )
        for item in found.items
    ]
    part = Part("Newest first", rows, "There is no change that you may see.")
    return render(request, "changes.html", heading="Changes", parts=[part], next=found.next)


@router.get("/review")
def review_queue(request: Request, services: ServicesDep, caller: CallerDep) -> Response:
    """List what waits for a verdict, oldest first."""
    reviews = services.store.reviews
    parts = [
        Part(
            "Told, and without a verdict",
            _queue(services, caller, reviews.unreviewed(_TOLD, limit=_QUEUE)),
            "Nothing that was told waits for a verdict.",
        ),
        Part(
            "Drawn from what called nobody",
            _queue(services, caller, reviews.queue(limit=_QUEUE)),
            "Nothing that was drawn waits for a verdict.",
        ),
    ]
    return render(request, "changes.html", heading="Review", parts=parts, next=None)


def _queue(services: Services, caller: Caller, found: Iterable[JudgedChange]) -> list[ListedChange]:
    waiting = list(found)
    seen = caller.readable({change.document_id for change in waiting})
    shown = [change for change in waiting if change.document_id in seen][:_ROWS]
    stands = services.store.triage.newest([change.change_id for change in shown])
    return [
        ListedChange(
            change.change_id,
            change.document_id,
            change.at,
            change.change_class,
            change.tier,
            stands.get(change.change_id),
        )
        for change in shown
    ]
