"""Versions: their texts, pages and chunks."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel

from watcher.domain.ids import DocumentId, VersionId, version_id
from watcher.domain.resolution import UnknownVersionError
from watcher.domain.text import Unit
from watcher.pipeline.services import Services
from watcher.store import Standing, Version
from watcher.web.deps import DocumentDep, ServicesDep
from watcher.web.paging import Cursor, Limit, decode, decode_number, encode
from watcher.web.ranged import answer_bytes

router = APIRouter(tags=["versions"])

VersionName = Annotated[
    str,
    Path(
        pattern=r"^(sha256:[0-9a-f]{64}|current)$",
        description="`sha256:` and 64 hex digits, or `current`.",
    ),
]
UnitName = Annotated[Unit, Query(description="The unit of the offsets in the answer.")]


class VersionOut(BaseModel):
    """A distinct text of a document; `version` is the SHA-256 of its UTF-8 bytes."""

    version: str
    first_stored: datetime
    size: int
    """Bytes; 0 where the text was purged."""
    pages: int
    standing: Standing | None
    """None: it never was current."""
    since: datetime | None
    purged: bool


class VersionPage(BaseModel):
    """Versions in the order in which they were first stored."""

    items: list[VersionOut]
    next: str | None


class TextPage(BaseModel):
    """A page: its number from 1, the label that the source prints on it, its range."""

    page: int
    label: str
    start: int
    end: int


class PagesOut(BaseModel):
    """The pages of a version; with one form feed between two they tile the text."""

    version: str
    unit: Unit
    items: list[TextPage]


class ChunkOut(BaseModel):
    """A range of one page with its hashes."""

    ordinal: int
    page: int
    start: int
    end: int
    xxh3: str
    sha256: str


class ChunkPage(BaseModel):
    """Chunks in the order of the text, in UTF-8 bytes."""

    version: str
    unit: Literal[Unit.UTF8] = Unit.UTF8
    items: list[ChunkOut]
    next: str | None


def named_version(services: Services, document: DocumentId, version: str) -> VersionId:
    """Return the version of that name; `current` is the current one.

    Raises:
        UnknownVersionError: there is no current version yet.
    """
    if version != "current":
        return version_id(version)
    current = services.store.versions.current(document)
    if current is None:
        raise UnknownVersionError(
            "no version has been captured yet", document_id=document, hint="wait for a check"
        )
    return current.version


def _version_out(version: Version) -> VersionOut:
    return VersionOut(
        version=version.version,
        first_stored=version.first_stored,
        size=version.size,
        pages=version.pages,
        standing=version.standing,
        since=version.since,
        purged=version.purged,
    )


@router.get("/documents/{document_id}/versions", operation_id="listVersions")
def list_versions(
    services: ServicesDep, document_id: DocumentDep, after: Cursor = "", limit: Limit = 100
) -> VersionPage:
    """List the versions of a document, oldest first."""
    found = services.store.versions.list(document_id)
    last = decode(after)
    begin = next((n + 1 for n, v in enumerate(found) if v.version == last), 0)
    page = found[begin : begin + limit]
    more = encode(page[-1].version) if len(found) > begin + limit else None
    return VersionPage(items=list(map(_version_out, page)), next=more)


@router.get("/documents/{document_id}/versions/{version}", operation_id="getVersion")
def get_version(
    services: ServicesDep, document_id: DocumentDep, version: VersionName
) -> VersionOut:
    """Show one version; a purged one, too."""
    name = named_version(services, document_id, version)
    return _version_out(services.store.versions.get(document_id, name))


@router.get(
    "/documents/{document_id}/versions/{version}/text",
    operation_id="getText",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        206: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        304: {"description": "Not modified"},
    },
)
@router.head("/documents/{document_id}/versions/{version}/text", include_in_schema=False)
def get_text(
    request: Request, services: ServicesDep, document_id: DocumentDep, version: VersionName
) -> Response:
    """Give the canonical text: exactly the bytes whose SHA-256 is the version.

    The ETag is the version. `Range: bytes=first-last` gives those bytes.
    """
    name = named_version(services, document_id, version)
    text = services.store.versions.text(document_id, name)
    return answer_bytes(request, text.data, name, "text/plain; charset=utf-8", {})


@router.get("/documents/{document_id}/versions/{version}/pages", operation_id="listPages")
def list_pages(
    services: ServicesDep,
    document_id: DocumentDep,
    version: VersionName,
    unit: UnitName = Unit.UTF8,
) -> PagesOut:
    """List the pages of a version."""
    name = named_version(services, document_id, version)
    text = services.store.versions.text(document_id, name)
    source = services.store.captures.source_of(document_id, name)
    labels = services.store.captures.reading(source).page_labels if source else ()
    items = [
        TextPage(
            page=number,
            label=labels[number - 1] if number <= len(labels) else "",
            start=text.from_bytes(page.start, unit),
            end=text.from_bytes(page.end, unit),
        )
        for number, page in enumerate(text.pages, start=1)
    ]
    return PagesOut(version=name, unit=unit, items=items)


@router.get("/documents/{document_id}/versions/{version}/chunks", operation_id="listChunks")
def list_chunks(
    services: ServicesDep,
    document_id: DocumentDep,
    version: VersionName,
    after: Cursor = "",
    limit: Limit = 1000,
) -> ChunkPage:
    """List the chunks of a version: ranges of one page each, with hashes."""
    name = named_version(services, document_id, version)
    found = services.store.versions.chunks(document_id, name)
    begin = decode_number(after)
    page = found[begin : begin + limit]
    items = [
        ChunkOut(
            ordinal=c.ordinal, page=c.page, start=c.start, end=c.end, xxh3=c.xxh3, sha256=c.sha256
        )
        for c in page
    ]
    more = encode(str(begin + limit)) if len(found) > begin + limit else None
    return ChunkPage(version=name, items=items, next=more)
