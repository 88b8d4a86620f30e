"""A version's text by page, with what was cited highlighted; a PDF's pages as pictures."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import RedirectResponse, Response

from watcher.domain.anchors import cite
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.reading import MediaType
from watcher.domain.resolution import PageMismatchError, RangeInvalidError
from watcher.domain.text import CanonicalText, Unit
from watcher.errors import UsageError
from watcher.extract import GeometryError
from watcher.pipeline.picturing import page_picture
from watcher.pipeline.services import Services
from watcher.web.api.versions import VersionName, named_version
from watcher.web.deps import CallerDep, DocumentDep, ServicesDep
from watcher.web.problems import ApiError
from watcher.web.resolving import check_citation, resolve_one
from watcher.web.views.pages import PageRoute, language, render
from watcher.web.views.texts import shown_pages

router = APIRouter(route_class=PageRoute)

DRAWS = find_spec("pypdfium2") is not None
"""Whether pages of a PDF can be drawn."""
Offset = Annotated[int | None, Query(ge=0, lt=2**63)]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be highlighted: a citation, or a range in a unit, or nothing."""

    start: int | None
    end: int | None
    unit: Unit
    citation: str


def _asked(
    start: Offset = None, end: Offset = None, unit: Unit = Unit.UTF8, citation: str = ""
) -> Asked:
    return Asked(start, end, unit, citation)


AskedDep = Annotated[Asked, Depends(_asked)]


def picture_link(document: DocumentId, version: VersionId, page: int, marks: list[Range]) -> str:
    """Return where the picture of a page is, with `marks` on it."""
    query = urlencode([("mark", f"{mark.start}-{mark.end}") for mark in marks])
    return f"/documents/{document}/versions/{version}/pages/{page}.png" + f"?{query}" * bool(query)


@router.get("/documents/{document_id}/versions/{version}")
def show_version(
    request: Request,
    services: ServicesDep,
    caller: CallerDep,
    document_id: DocumentDep,
    version: VersionName,
    asked: AskedDep,
) -> Response:
    """Show a version by page, with a range or a citation highlighted."""
    name = named_version(services, document_id, version)
    if version == "current":
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/documents/{document_id}/versions/{name}{query}", 303)
    text = services.store.versions.text(document_id, name)
    if asked.citation:
        check_citation(request, services, caller, asked.citation)
    marks = _marks(services, text, document_id, asked)
    return _page(request, services, text, document_id, marks)


def _marks(
    services: Services, text: CanonicalText, document: DocumentId, asked: Asked
) -> list[Range]:
    if asked.citation:
        found = resolve_one(services, asked.citation).citation
        if (found.document_id, found.version) != (document, text.version):
            raise UsageError("that citation is of another version", document_id=document)
    elif asked.start is None and asked.end is None:
        return []
    elif asked.start is None or asked.end is None:
        raise RangeInvalidError("a range has a start and an end", document_id=document)
    else:
        found = cite(text, document, [(asked.start, asked.end)], asked.unit)
    return [segment.range for segment in found.segments]


def _page(
    request: Request,
    services: Services,
    text: CanonicalText,
    document: DocumentId,
    marks: list[Range],
) -> Response:
    store = services.store
    source = store.captures.source_of(document, text.version)
    reading = store.captures.reading(source) if source else None
    return render(
        request,
        "version.html",
        document=store.documents.get(document),
        version=store.versions.get(document, text.version),
        language=language(reading.language) if reading else "",
        problems=reading.problems if reading else (),
        headings=reading.heading_path(marks[0].start) if reading and marks else (),
        pages=shown_pages(text, reading.page_labels if reading else (), marks),
        marks=marks,
        first_page=text.page_of(marks[0].start) if marks else 0,
        draws=DRAWS and reading is not None and reading.media_type is MediaType.PDF,
        picture_link=picture_link,
    )


@router.get("/documents/{document_id}/versions/{version}/pages/{page:int}.png")
def show_picture(
    services: ServicesDep,
    document_id: DocumentDep,
    version: VersionName,
    page: Annotated[int, Path(ge=1, lt=2**31)],
    mark: Annotated[list[str] | None, Query(max_length=100)] = None,
) -> Response:
    """Give a PNG of a page of a PDF, with byte ranges of the text marked on it."""
    name = named_version(services, document_id, version)
    text = services.store.versions.text(document_id, name)
    if page > len(text.pages):
        raise PageMismatchError(f"the version has {len(text.pages)} pages")
    ranges = [_range(text, one) for one in mark or ()]
    try:
        data = page_picture(services, document_id, text, page, ranges)
    except (GeometryError, UsageError) as error:
        raise ApiError("not_found", error.message, hint=error.hint) from error
    return Response(data, media_type="image/png")


def _range(text: CanonicalText, said: str) -> tuple[int, int]:
    start, _, end = said.partition("-")
    if not (start.isascii() and start.isdigit() and end.isascii() and end.isdigit()):
        raise RangeInvalidError("a mark is START-END, in UTF-8 bytes")
    if len(said) > 40:
        raise RangeInvalidError("a mark is inside the text")
    return text.check_range(int(start), int(end))
