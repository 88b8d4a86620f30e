"""A citation: what was cited, on which version, and what has become of it since."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from watcher.domain.ids import DocumentId
from watcher.domain.ranges import Range
from watcher.domain.reading import MediaType
from watcher.domain.resolution import ResolutionError
from watcher.domain.statements import Statement, Status
from watcher.domain.text import CanonicalText
from watcher.pipeline.locating import locate
from watcher.pipeline.redline import Mark, Piece, marked
from watcher.pipeline.services import Services
from watcher.store import Current, Resolution
from watcher.web.api.citations import CitationName
from watcher.web.deps import CallerDep, ServicesDep
from watcher.web.resolving import check_citation, resolve_one
from watcher.web.views.pages import PageRoute, language, render
from watcher.web.views.texts import around
from watcher.web.views.versions import DRAWS, picture_link

router = APIRouter(route_class=PageRoute)

_ROOM = 200
"""Bytes of the page that are shown on each side of a passage."""
_USES = 50


@dataclass(frozen=True, slots=True)
class Passage:
    """A cited range with what stands around it."""

    page: int
    place: Range
    body: Markup


@dataclass(frozen=True, slots=True)
class Now:
    """What has become of a citation on the current version.

    `before` and `after` are the two texts with what differs marked, empty where
    nothing does; `places` are where it stands now. `problem`: why it cannot be
    told.
    """

    version: str
    said: str
    carries: bool = False
    by: str = ""
    before: tuple[list[Piece], ...] = ()
    after: tuple[list[Piece], ...] = ()
    places: tuple[Passage, ...] = ()
    candidates: tuple[Passage, ...] = ()
    problem: str = ""


@router.get("/citations/{citation_id}")
def show_citation(
    request: Request, services: ServicesDep, caller: CallerDep, citation_id: CitationName
) -> Response:
    """Show the exact passage of a citation and where it is now."""
    document = check_citation(request, services, caller, citation_id)
    found = resolve_one(services, citation_id)
    store, version = services.store, found.citation.version
    text = store.versions.text(document, version)
    source = store.captures.source_of(document, version)
    reading = store.captures.reading(source) if source else None
    ranges = [segment.range for segment in found.citation.segments]
    current = store.versions.current(document)
    page = text.page_of(ranges[0].start)
    drawn = DRAWS and reading is not None and reading.media_type is MediaType.PDF
    here = [mark for mark in ranges if text.page_of(mark.start) == page]
    return render(
        request,
        "citation.html",
        document=store.documents.get(document),
        citation_id=citation_id,
        found=found,
        page=page,
        language=language(reading.language) if reading else "",
        headings=reading.heading_path(ranges[0].start) if reading else (),
        passages=[_passage(text, mark, n) for n, mark in enumerate(ranges, start=1)],
        picture=picture_link(document, version, page, here) if drawn else "",
        emitted=store.citations.get(citation_id).created_at,
        uses=store.citations.emissions(citation_id)[-_USES:],
        now=_now(services, document, found, text, current) if current else None,
    )


def _passage(text: CanonicalText, place: Range, number: int) -> Passage:
    return Passage(text.page_of(place.start), place, around(text, place, _ROOM, number))


def _now(
    services: Services,
    document: DocumentId,
    found: Resolution,
    old: CanonicalText,
    current: Current,
) -> Now:
    if current.version == found.citation.version:
        return Now(current.version, "the same, for it is that version", carries=True)
    try:
        stated = locate(services, found.citation.citation_id, current.version)
        new = services.store.versions.text(document, current.version)
    except ResolutionError as error:
        return Now(current.version, "", problem=error.message)
    edited = stated.status in {Status.EDITED, Status.SPLIT}
    ranges = [segment.range for segment in found.citation.segments]
    after = [
        marked(new.data, at, (e.new for e in stated.edits), Mark.ADDED) for at in stated.ranges
    ]
    before = [marked(old.data, at, (e.old for e in stated.edits), Mark.REMOVED) for at in ranges]
    first = len(ranges) + 1
    return Now(
        current.version,
        said_of(stated),
        carries=stated.carries,
        by=stated.algorithm,
        before=tuple(before) if edited else (),
        after=tuple(after) if edited else (),
        places=tuple(_passage(new, at, n) for n, at in enumerate(stated.ranges, start=first)),
        candidates=tuple(
            _passage(new, at, n)
            for n, at in enumerate(stated.candidates, start=first + len(stated.ranges))
        ),
    )


def said_of(stated: Statement) -> str:
    """Return a statement in words."""
    words = {
        Status.UNCHANGED: "unchanged",
        Status.MOVED: "moved, with the same words",
        Status.EDITED: "edited",
        Status.SPLIT: "split into several places",
        Status.AMBIGUOUS: "ambiguous: it may be one of several places",
        Status.GONE: "gone",
        Status.NOT_COMPUTED: "not computed yet",
    }[stated.status]
    if stated.status in {Status.EDITED, Status.SPLIT}:
        words += ", harmlessly" if stated.material is False else ", and it may bear on the answer"
    return words + (", and what stands around it changed" if stated.context_changed else "")
