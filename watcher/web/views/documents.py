"""The documents with their health, and the timeline of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from watcher.domain.changes import Classification
from watcher.domain.ids import DocumentId
from watcher.pipeline.services import Services
from watcher.store import Capture, Change, Document, DocumentState, Version
from watcher.web.deps import CallerDep, DocumentDep, ServicesDep
from watcher.web.paging import Cursor, decode, encode
from watcher.web.views.pages import PageRoute, render

router = APIRouter(route_class=PageRoute)

_ROWS = 200
_EVENTS = 100


@dataclass(frozen=True, slots=True)
class Row:
    """A document and how its watching goes; `level` is `good`, `bad` or empty."""

    document: Document
    said: str
    level: str


@dataclass(frozen=True, slots=True)
class Happened:
    """Something of a document's past: one of change, version and capture."""

    at: datetime
    change: Change | None = None
    judged: Classification | None = None
    version: Version | None = None
    capture: Capture | None = None


def _row(document: Document, held: frozenset[DocumentId]) -> Row:
    if document.state is DocumentState.RETIRED:
        return Row(document, "retired", "")
    if document.fails:
        times = "check" if document.fails == 1 else "checks in a row"
        return Row(document, f"failing: {document.fails} {times}", "bad")
    if document.document_id in held:
        return Row(document, "a capture is held", "")
    if document.last_success is None:
        return Row(document, "not seen yet", "")
    return Row(document, "in order", "good")


def _held(services: Services, document: DocumentId | None = None) -> frozenset[DocumentId]:
    return frozenset(capture.document_id for capture in services.store.captures.held(document))


@router.get("/documents")
def list_documents(
    request: Request, services: ServicesDep, caller: CallerDep, after: Cursor = ""
) -> Response:
    """List the documents that the caller may see."""
    key = decode(after)
    found = [d for d in services.store.documents.list() if d.document_id > key]
    seen = caller.readable(d.document_id for d in found)
    shown = sorted((d for d in found if d.document_id in seen), key=lambda d: d.document_id)
    page = shown[:_ROWS]
    held = _held(services)
    return render(
        request,
        "documents.html",
        rows=[_row(document, held) for document in page],
        next=encode(page[-1].document_id) if len(shown) > _ROWS else "",
    )


@router.get("/documents/{document_id}")
def show_document(
    request: Request,
    services: ServicesDep,
    document_id: DocumentDep,
    show: Annotated[int, Query(ge=1, le=100_000, description="How much of the past.")] = _EVENTS,
) -> Response:
    """Show a document's health and its timeline, newest first."""
    store = services.store
    document = store.documents.get(document_id)
    past = sorted(_past(services, document_id, show), key=lambda e: e.at, reverse=True)
    return render(
        request,
        "document.html",
        row=_row(document, _held(services, document_id)),
        newest=store.observations.newest(document_id),
        events=past[:show],
        older=10 * show if len(past) > show else 0,
    )


def _past(services: Services, document: DocumentId, limit: int) -> Iterator[Happened]:
    store = services.store
    for change in store.changes.list(document, limit=limit):
        judged = store.changes.classification(change.change_id)
        yield Happened(change.at, change=change, judged=judged)
    for version in store.versions.list(document):
        yield Happened(version.first_stored, version=version)
    for capture in store.captures.list(document):
        yield Happened(capture.captured_at, capture=capture)
