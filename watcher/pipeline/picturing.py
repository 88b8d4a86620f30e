"""Where a citation stands on the pages of its PDF, and a picture of it."""

from __future__ import annotations

from watcher.domain.anchors import Citation
from watcher.domain.reading import MediaType
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
    body = _pdf(services, citation)
    text = services.store.versions.text(citation.document_id, citation.version)
    return locate(body, text, [(s.start, s.end) for s in citation.segments])


def picture_of(services: Services, citation: Citation) -> bytes:
    """Return a PNG of the citation's first page with the passage marked; errors as `place_of`."""
    body = _pdf(services, citation)
    text = services.store.versions.text(citation.document_id, citation.version)
    ranges = [(s.start, s.end) for s in citation.segments]
    return picture(body, text, ranges, citation.segments[0].page)


def _pdf(services: Services, citation: Citation) -> bytes:
    services.store.citations.resolve_anchor(citation)
    captures = services.store.captures
    reading_id = captures.source_of(citation.document_id, citation.version)
    if reading_id is None or captures.reading(reading_id).media_type is not MediaType.PDF:
        raise UsageError(
            "only a PDF has pages to draw",
            document_id=citation.document_id,
            hint="`watcher resolve` prints the passage",
        )
    return captures.body(captures.capture_of(reading_id).capture_id)
