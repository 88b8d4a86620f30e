"""Where a citation stands on the pages of its PDF, and a picture of it."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain.anchors import Citation
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.reading import MediaType
from watcher.domain.text import CanonicalText
from watcher.errors import UsageError
from watcher.extract import Place, locate, picture
from watcher.pipeline.services import Services


def place_of(services: Services, citation: Citation) -> Place:
    """Return the rectangles of a resolved citation on the pages of its PDF.

    Raises:
        UsageError: the version was not read from a PDF.
        ResolutionError: the citation does not resolve.
        GeometryError: pdfium is missing, or cannot read the file.
    """
    body, text = _resolved(services, citation)
    return locate(body, text, [(s.start, s.end) for s in citation.segments])


def picture_of(services: Services, citation: Citation) -> bytes:
    """Return a PNG of the citation's first page with the passage marked; errors as `place_of`."""
    body, text = _resolved(services, citation)
    ranges = [(s.start, s.end) for s in citation.segments]
    return picture(body, text, ranges, citation.segments[0].page)


def page_picture(
    services: Services,
    document: DocumentId,
    text: CanonicalText,
    page: int,
    ranges: Sequence[tuple[int, int]],
) -> bytes:
    """Return a PNG of `page` (from 1) of a version with byte ranges marked; errors as `place_of`.

    `text` is the version's, whose number of pages bounds `page`.
    """
    return picture(_pdf(services, document, text.version), text, ranges, page)


def _resolved(services: Services, citation: Citation) -> tuple[bytes, CanonicalText]:
    services.store.citations.resolve_anchor(citation)
    body = _pdf(services, citation.document_id, citation.version)
    return body, services.store.versions.text(citation.document_id, citation.version)


def _pdf(services: Services, document: DocumentId, version: VersionId) -> bytes:
    captures = services.store.captures
    reading_id = captures.source_of(document, version)
    if reading_id is None or captures.reading(reading_id).media_type is not MediaType.PDF:
        raise UsageError(
            "only a PDF has pages to draw",
            document_id=document,
            hint="`watcher resolve` prints the passage",
        )
    return captures.body(captures.capture_of(reading_id).capture_id)
