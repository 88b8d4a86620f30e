"""Where the live citations of a document are in any version, on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.statements import PERSON, How, Statement, Status
from watcher.errors import UsageError
from watcher.pipeline.services import Services
from watcher.pipeline.statements import Anchoring
from watcher.reanchor import ALGORITHM, similarity
from watcher.store.rows import StoredCitation

_PAGE = 1000


def anchor_all(
    services: Services, document_id: DocumentId, version: VersionId, *, recompute: bool = False
) -> Iterator[tuple[str, Statement]]:
    """Yield (citation id, what counts) for every live citation of the document.

    What is missing is computed and kept. With `recompute`, so is what an
    algorithm before the present one stated: its row stays, a new one is added.
    """
    store = services.store
    anchoring = Anchoring(services, document_id, store.versions.text(document_id, version))
    for page in _pages(services, document_id):
        known = {stored.number: _known(services, stored, version) for stored in page}
        missing = [
            stored
            for stored in page
            if not any(s.algorithm == ALGORITHM or not recompute for s in known[stored.number])
        ]
        fresh = {stored.number: found for stored, found in anchoring.state(missing)}
        store.citations.state(document_id, version, list(fresh.items()), at=services.clock.now())
        for stored in page:
            mine = [s for s in known[stored.number] if s.by_person]
            statement = mine[-1] if mine else fresh.get(stored.number)
            yield stored.citation.citation_id, statement or known[stored.number][-1]


def confirm(
    services: Services,
    citation_id: str,
    version: VersionId,
    ranges: Sequence[Range],
    *,
    actor: str,
    harmless: bool = False,
) -> Statement:
    """Record a person's statement of where a citation is; no ranges: it is gone.

    It stands beside ours and outranks it. What the ranges hold is compared
    with what was cited: equal bytes are unchanged or moved, others edited,
    materially so unless the person says `harmless`.

    Raises:
        UsageError: the citation is of that version itself.
        ResolutionError: a range that no anchor may have, or a text that cannot be read.
        UnknownCitationError: no citation was emitted under that id.
    """
    store = services.store
    stored = store.citations.get(citation_id)
    citation = stored.citation
    if citation.version == version:
        raise UsageError("the citation is of that version itself", hint="there is nothing to state")
    old = store.versions.text(citation.document_id, citation.version)
    new = store.versions.text(citation.document_id, version)
    before = b"".join(old.data[s.start : s.end] for s in citation.segments)
    after = b"".join(new.slice(*place) for place in ranges)
    same_place = [segment.range for segment in citation.segments] == list(ranges)
    status = Status.EDITED
    if not ranges:
        status = Status.GONE
    elif before == after:
        status = Status.UNCHANGED if same_place else Status.MOVED
    statement = Statement(
        status,
        ranges=tuple(ranges),
        how=How.RELOCATED if status is Status.MOVED else None,
        material=not harmless if status is Status.EDITED else None,
        similarity=similarity(before, after),
        coverage=1.0 if ranges else 0.0,
        method="confirmed",
        algorithm=PERSON + actor,
    )
    numbered = [(stored.number, statement)]
    store.citations.state(citation.document_id, version, numbered, at=services.clock.now())
    return statement


def _known(services: Services, stored: StoredCitation, version: VersionId) -> list[Statement]:
    statements = services.store.citations.statements(stored.citation.citation_id)
    return [s.statement for s in statements if s.version == version]


def _pages(services: Services, document_id: DocumentId) -> Iterator[tuple[StoredCitation, ...]]:
    after, now = 0, services.clock.now()
    while page := services.store.citations.live(document_id, now, after=after, limit=_PAGE):
        yield page
        after = page[-1].number
