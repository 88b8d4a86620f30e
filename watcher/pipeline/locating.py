"""Where one citation is in a version, live or not: what was stated, else computed and not kept."""

from __future__ import annotations

from watcher.domain.anchors import Citation
from watcher.domain.ids import VersionId
from watcher.domain.statements import Statement, Status
from watcher.pipeline.services import Services
from watcher.pipeline.statements import Anchoring


def locate(services: Services, citation_id: str, version: VersionId) -> Statement:
    """Return the statement that counts about a citation in `version`.

    Raises:
        UnknownCitationError: no citation was emitted under that id.
        ResolutionError: one of the two texts cannot be read.
    """
    store = services.store
    stored = store.citations.get(citation_id)
    citation = stored.citation
    if citation.version == version:
        return _itself(citation)
    known = [s for s in store.citations.statements(citation_id) if s.version == version]
    if known:
        return known[-1].statement
    text = store.versions.text(citation.document_id, version)
    ((_, statement),) = Anchoring(services, citation.document_id, text).state([stored])
    return statement


def _itself(citation: Citation) -> Statement:
    ranges = tuple(segment.range for segment in citation.segments)
    return Statement(Status.UNCHANGED, ranges, similarity=1.0, coverage=1.0, method="same version")
