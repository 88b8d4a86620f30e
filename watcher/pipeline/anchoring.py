"""Where the live citations of a document are in any version, on request."""

from __future__ import annotations

from collections.abc import Iterator

from watcher.align import align
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.statements import Statement
from watcher.pipeline.services import Services
from watcher.pipeline.statements import Step
from watcher.reanchor import combine
from watcher.store.rows import StoredCitation

_PAGE = 1000


def anchor_all(
    services: Services, document_id: DocumentId, version: VersionId
) -> Iterator[tuple[str, Statement]]:
    """Yield (citation id, statement) for every live citation of the document.

    What was stated when the version came is given as it stands; what is
    missing is computed now, and kept where a change leads to that version.
    """
    for stored in _live(services, document_id):
        citation = stored.citation
        known = [
            s.statement
            for s in services.store.citations.statements(citation.citation_id)
            if s.version == version
        ]
        yield citation.citation_id, known[-1] if known else _compute(services, stored, version)


def _compute(services: Services, stored: StoredCitation, version: VersionId) -> Statement:
    citation = stored.citation
    old = services.store.versions.text(citation.document_id, citation.version)
    new = services.store.versions.text(citation.document_id, version)
    passages = [segment.range for segment in citation.segments]
    return combine(Step(old, new, align(old.data, new.data), ()).place(passages))


def _live(services: Services, document_id: DocumentId) -> Iterator[StoredCitation]:
    after, now = 0, services.clock.now()
    while page := services.store.citations.live(document_id, now, after=after, limit=_PAGE):
        yield from page
        after = page[-1].number
