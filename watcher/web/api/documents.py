"""Documents."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel

from watcher.store import Document, DocumentState
from watcher.web.deps import CallerDep, DocumentDep, ServicesDep
from watcher.web.paging import Cursor, Limit, decode, encode

router = APIRouter(tags=["documents"])


class DocumentOut(BaseModel):
    """A watched document."""

    document_id: str
    title: str
    state: DocumentState
    urls: list[str]
    created_at: datetime
    retired_at: datetime | None
    last_success: datetime | None
    """When its text was seen last, the same or another."""
    next_check: datetime | None
    failures: int
    """Checks that failed in a row."""


class DocumentPage(BaseModel):
    """Documents in the order of their ids."""

    items: list[DocumentOut]
    next: str | None


def document_out(document: Document) -> DocumentOut:
    """Return a document as the API shows it."""
    return DocumentOut(
        document_id=document.document_id,
        title=document.title,
        state=document.state,
        urls=list(document.urls),
        created_at=document.created_at,
        retired_at=document.retired_at,
        last_success=document.last_success,
        next_check=document.next_check,
        failures=document.fails,
    )


@router.get("/documents", operation_id="listDocuments")
def list_documents(
    services: ServicesDep, caller: CallerDep, after: Cursor = "", limit: Limit = 100
) -> DocumentPage:
    """List the documents that the caller may see."""
    key = decode(after)
    found = [d for d in services.store.documents.list() if d.document_id > key]
    seen = caller.readable(d.document_id for d in found)
    shown = sorted((d for d in found if d.document_id in seen), key=lambda d: d.document_id)
    page = shown[:limit]
    more = encode(page[-1].document_id) if len(shown) > limit else None
    return DocumentPage(items=[document_out(d) for d in page], next=more)


@router.get("/documents/{document_id}", operation_id="getDocument")
def get_document(services: ServicesDep, document_id: DocumentDep) -> DocumentOut:
    """Show one document."""
    return document_out(services.store.documents.get(document_id))
