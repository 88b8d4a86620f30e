"""Where a citation is now, and the citation as a W3C Web Annotation."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel

from watcher.domain.ranges import Range
from watcher.domain.statements import How, Status
from watcher.domain.text import CanonicalText, Unit
from watcher.pipeline.locating import locate
from watcher.pipeline.services import Services
from watcher.store import Resolution
from watcher.web.api.citations import CitationName
from watcher.web.api.versions import named_version
from watcher.web.deps import CallerDep, ServicesDep
from watcher.web.encode import json_response, moment
from watcher.web.resolving import check_citation, resolve_one

router = APIRouter(tags=["citations"])

_AROUND = 64
"""Characters of the prefix and suffix of an annotation's quote."""
_CONTEXT = ["http://www.w3.org/ns/anno.jsonld"]
_PROFILE = 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"'


class PlaceOut(BaseModel):
    """A range of a version with its text."""

    page: int
    start: int
    end: int
    text: str


class WhereOut(BaseModel):
    """Where a citation is in a version: the statement that counts."""

    citation_id: str
    emitted_on: str
    version: str
    status: Status
    how: How | None
    material: bool | None
    context_changed: bool
    carries: bool
    """Whether the citation carries to that version by itself."""
    similarity: float
    places: list[PlaceOut]
    candidates: list[PlaceOut]
    """Information only: none of them is where it is."""
    by_person: bool
    algorithm: str


class AnnotationOut(BaseModel):
    """A W3C Web Annotation (JSON-LD); see https://www.w3.org/TR/annotation-model/."""

    id: str
    type: str
    created: datetime
    motivation: str


@router.get("/citations/{citation_id}/where", operation_id="locateCitation")
def where(
    request: Request,
    services: ServicesDep,
    caller: CallerDep,
    citation_id: CitationName,
    version: Annotated[str, Query(pattern=r"^(sha256:[0-9a-f]{64}|current)$")] = "current",
) -> WhereOut:
    """Tell where a citation is in a version, the current one unless another is named."""
    document = check_citation(request, services, caller, citation_id)
    name = named_version(services, document, version)
    found = locate(services, citation_id, name)
    text = services.store.versions.text(document, name)
    return WhereOut(
        citation_id=citation_id,
        emitted_on=services.store.citations.get(citation_id).citation.version,
        version=name,
        status=found.status,
        how=found.how,
        material=found.material,
        context_changed=found.context_changed,
        carries=found.carries,
        similarity=found.similarity,
        places=[_place(text, place) for place in found.ranges],
        candidates=[_place(text, place) for place in found.candidates],
        by_person=found.by_person,
        algorithm=found.algorithm,
    )


@router.get(
    "/citations/{citation_id}/annotation",
    operation_id="annotateCitation",
    response_class=Response,
    responses={200: {"model": AnnotationOut}},
)
def annotation(
    request: Request, services: ServicesDep, caller: CallerDep, citation_id: CitationName
) -> Response:
    """Give a citation as a W3C Web Annotation: position in code points, and the quote."""
    document = check_citation(request, services, caller, citation_id)
    found = resolve_one(services, citation_id)
    text = services.store.versions.text(document, found.citation.version)
    created = services.store.citations.get(citation_id).created_at
    answer = json_response(_annotation(services, found, text, created))
    answer.headers["content-type"] = _PROFILE
    return answer


def _annotation(
    services: Services, found: Resolution, text: CanonicalText, created: datetime
) -> dict[str, object]:
    citation = found.citation
    base = services.settings.links.base.rstrip("/")
    source = f"{base}/api/v1/documents/{quote(citation.document_id)}/versions/{citation.version}"
    targets = [
        {
            "type": "SpecificResource",
            "source": f"{source}/text",
            "selector": [
                {
                    "type": "TextPositionSelector",
                    "start": text.from_bytes(segment.start, Unit.CODE_POINTS),
                    "end": text.from_bytes(segment.end, Unit.CODE_POINTS),
                },
                {"type": "TextQuoteSelector", "exact": passage.decode(), **_around(text, segment)},
            ],
        }
        for segment, passage in (
            (part.range, passage)
            for part, passage in zip(citation.segments, found.passages, strict=True)
        )
    ]
    return {
        "@context": _CONTEXT[0],
        "id": f"{base}/api/v1/citations/{citation.citation_id}/annotation",
        "type": "Annotation",
        "created": moment(created),
        "motivation": "identifying",
        "target": targets if len(targets) > 1 else targets[0],
    }


def _around(text: CanonicalText, place: Range) -> dict[str, str]:
    before = text.data[max(0, place.start - 4 * _AROUND) : place.start].decode(errors="ignore")
    after = text.data[place.end : place.end + 4 * _AROUND].decode(errors="ignore")
    return {"prefix": before[-_AROUND:], "suffix": after[:_AROUND]}


def _place(text: CanonicalText, place: Range) -> PlaceOut:
    passage = text.data[place.start : place.end].decode(errors="replace")
    return PlaceOut(page=text.page_of(place.start), start=place.start, end=place.end, text=passage)
