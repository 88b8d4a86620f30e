"""Events for others: a cursor feed, the same as a stream, and Atom for each document."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any, Literal
from xml.etree import ElementTree as ET

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from watcher.pipeline.feed import FeedCursor, FeedEvent, read_feed
from watcher.pipeline.messages import link_of
from watcher.pipeline.services import Services
from watcher.web.access import Caller
from watcher.web.deps import CallerDep, DocumentDep, ServicesDep, state_of
from watcher.web.encode import moment
from watcher.web.paging import Limit

router = APIRouter(tags=["events"])

_POLL_SECONDS = 1.0
_STREAM_SECONDS = 300.0
"""How long a stream lasts: then its reader comes again, and proves again who it is."""
_BEAT_SECONDS = 15.0
_ATOM = "http://www.w3.org/2005/Atom"
_ENTRIES = 50
After = Annotated[str, Query(max_length=100, description="`next` as answered; empty: all.")]


class EventOut(BaseModel):
    """An event; what `data` holds depends on its kind, see docs/api.md."""

    kind: Literal["version", "change", "citation", "purged"]
    document_id: str
    at: datetime
    cursor: str
    data: dict[str, Any]


class EventPage(BaseModel):
    """Events in order. Ask again after `next`, at once where `more` is true."""

    items: list[EventOut]
    next: str
    more: bool


@router.get("/events", operation_id="listEvents")
def list_events(
    services: ServicesDep, caller: CallerDep, after: After = "", limit: Limit = 100
) -> EventPage:
    """List what happened after a cursor; at least once, and again whenever asked again."""
    cursor = FeedCursor.parse(after)
    found = read_feed(services, cursor, limit)
    last = found[-1].cursor if found else cursor
    items = [
        EventOut(
            kind=event.kind,  # type: ignore[arg-type]
            document_id=event.document_id,
            at=event.at,
            cursor=str(event.cursor),
            data=event.data,
        )
        for event in _seen(caller, found)
    ]
    return EventPage(items=items, next=str(last), more=len(found) == limit)


@router.get(
    "/events/stream",
    operation_id="streamEvents",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def stream_events(
    request: Request,
    caller: CallerDep,
    after: After = "",
    last_event_id: Annotated[str, Header(max_length=100)] = "",
) -> StreamingResponse:
    """Give the same events as they happen (text/event-stream); the id of each is its cursor."""
    cursor = FeedCursor.parse(last_event_id or after)
    return StreamingResponse(_stream(request, caller, cursor), media_type="text/event-stream")


async def _stream(request: Request, caller: Caller, cursor: FeedCursor) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    ends, beat = loop.time() + _STREAM_SECONDS, loop.time()
    yield b": events\n\n"
    while loop.time() < ends and not await request.is_disconnected():
        services = state_of(request).services()
        found = await run_in_threadpool(read_feed, services, cursor, 100)
        for event in await run_in_threadpool(_seen, caller, found):
            yield _as_sent(event)
            beat = loop.time()
        if found:
            cursor = found[-1].cursor
            continue
        if loop.time() - beat > _BEAT_SECONDS:
            yield b": still here\n\n"
            beat = loop.time()
        await asyncio.sleep(_POLL_SECONDS)


def _as_sent(event: FeedEvent) -> bytes:
    row = {
        "kind": event.kind,
        "document_id": event.document_id,
        "at": moment(event.at),
        "cursor": str(event.cursor),
        "data": event.data,
    }
    body = json.dumps(row, ensure_ascii=False)
    return f"id: {event.cursor}\nevent: {event.kind}\ndata: {body}\n\n".encode()


def _seen(caller: Caller, found: tuple[FeedEvent, ...]) -> list[FeedEvent]:
    allowed = caller.readable({event.document_id for event in found})
    return [event for event in found if event.document_id in allowed]


@router.get(
    "/documents/{document_id}/atom",
    operation_id="getAtom",
    response_class=Response,
    responses={200: {"content": {"application/atom+xml": {"schema": {"type": "string"}}}}},
)
def atom(services: ServicesDep, document_id: DocumentDep) -> Response:
    """Give the newest changes of a document as an Atom feed; no text is in it."""
    return Response(_atom(services, document_id), media_type="application/atom+xml")


def _atom(services: Services, document_id: DocumentDep) -> bytes:
    document = services.store.documents.get(document_id)
    changes = services.store.changes.list(document_id, limit=_ENTRIES)
    ET.register_namespace("", _ATOM)
    feed = ET.Element(f"{{{_ATOM}}}feed")
    updated = changes[0].at if changes else document.created_at
    _child(feed, "id", f"urn:watcher:document:{document_id}")
    _child(feed, "title", document.title or document_id)
    _child(feed, "updated", moment(updated))
    _child(_child(feed, "author", ""), "name", "policy-watcher")
    for change in changes:
        judged = services.store.changes.classification(change.change_id)
        word = judged.change_class.value if judged else change.state.value
        entry = _child(feed, "entry", "")
        _child(entry, "id", f"urn:watcher:change:{change.change_id}")
        _child(entry, "title", f"{word} change in {document_id}")
        _child(entry, "updated", moment(change.at))
        _child(entry, "summary", f"{change.from_version} -> {change.to_version}")
        link = link_of(services, change)
        if link.startswith("http"):
            ET.SubElement(entry, f"{{{_ATOM}}}link", {"href": link})
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True))


def _child(parent: ET.Element, name: str, text: str) -> ET.Element:
    child = ET.SubElement(parent, f"{{{_ATOM}}}{name}")
    child.text = "".join(c for c in text if c >= " " or c in "\t\n")
    return child
