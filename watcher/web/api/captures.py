"""Captures: what came, and its original bytes."""

from __future__ import annotations

import re
from datetime import datetime

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel

from watcher.domain.ids import DocumentId
from watcher.pipeline.services import Services
from watcher.store import Capture, CaptureState, Origin, UnknownCaptureError
from watcher.web.deps import DocumentDep, ServicesDep
from watcher.web.paging import Cursor, Limit, decode_number, encode
from watcher.web.ranged import answer_bytes

router = APIRouter(tags=["captures"])

_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,100}")
ORIGINAL_HEADERS = {
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
}
"""With every original: it is somebody else's, and runs nothing here."""


class CaptureOut(BaseModel):
    """Source bytes that differed from the ones before."""

    capture_id: str
    ordinal: int
    state: CaptureState
    origin: Origin
    captured_at: datetime
    claimed_at: datetime | None
    """What the source of an import claims; nobody here observed it."""
    body_sha256: str
    body_size: int
    content_type: str
    url: str
    final_url: str
    http_status: int | None
    server_date: str


class CapturePage(BaseModel):
    """Captures, oldest first."""

    items: list[CaptureOut]
    next: str | None


def capture_out(capture: Capture) -> CaptureOut:
    """Return a capture as the API shows it."""
    return CaptureOut(
        capture_id=capture.capture_id,
        ordinal=capture.ordinal,
        state=capture.state,
        origin=capture.origin,
        captured_at=capture.captured_at,
        claimed_at=capture.claimed_at,
        body_sha256=capture.body_sha256,
        body_size=capture.body_size,
        content_type=capture.content_type,
        url=capture.url,
        final_url=capture.final_url,
        http_status=capture.http_status,
        server_date=capture.server_date,
    )


def find_capture(services: Services, document: DocumentId, capture_id: str) -> Capture:
    """Return a capture of that document.

    Raises:
        UnknownCaptureError: the document has none of that id.
    """
    capture = services.store.captures.get(capture_id)
    if capture.document_id != document:
        raise UnknownCaptureError(f"there is no capture {capture_id[:80]}", document_id=document)
    return capture


@router.get("/documents/{document_id}/captures", operation_id="listCaptures")
def list_captures(
    services: ServicesDep, document_id: DocumentDep, after: Cursor = "", limit: Limit = 100
) -> CapturePage:
    """List the captures of a document, oldest first."""
    last = decode_number(after)
    captures = sorted(services.store.captures.list(document_id), key=lambda c: c.ordinal)
    found = [capture for capture in captures if capture.ordinal > last]
    page = found[:limit]
    more = encode(str(page[-1].ordinal)) if len(found) > limit else None
    return CapturePage(items=list(map(capture_out, page)), next=more)


@router.get("/documents/{document_id}/captures/{capture_id}", operation_id="getCapture")
def get_capture(services: ServicesDep, document_id: DocumentDep, capture_id: str) -> CaptureOut:
    """Show one capture."""
    return capture_out(find_capture(services, document_id, capture_id))


@router.get(
    "/documents/{document_id}/captures/{capture_id}/original",
    operation_id="getOriginal",
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}},
        206: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}},
        304: {"description": "Not modified"},
    },
)
@router.head("/documents/{document_id}/captures/{capture_id}/original", include_in_schema=False)
def get_original(
    request: Request, services: ServicesDep, document_id: DocumentDep, capture_id: str
) -> Response:
    """Give the original bytes, to be saved: a browser is told to show and run nothing of them."""
    capture = find_capture(services, document_id, capture_id)
    body = services.store.captures.body(capture.capture_id)
    essence = capture.content_type.partition(";")[0].strip().lower()
    media_type = essence if _MEDIA_TYPE.fullmatch(essence) else "application/octet-stream"
    name = f"{document_id}-{capture.ordinal}"
    headers = {**ORIGINAL_HEADERS, "content-disposition": f'attachment; filename="{name}"'}
    return answer_bytes(request, body, f"sha256:{capture.body_sha256}", media_type, headers)
