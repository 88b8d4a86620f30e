"""The audit: every live citation is resolved again, as often as 2 % of a core allows.

Small corpora are gone round in half a minute, large ones in an hour at most.
It is spread, a slice each quarter of a minute, because a batch would make the alerts on it
fire and resolve all day for one lasting fault. It is grouped by version,
because reading and hashing a text costs more than all of its citations. And
the first failure makes the next slice the whole rest of the cycle.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import groupby

from watcher import logs
from watcher.domain.anchors import resolve_segment
from watcher.domain.ids import CitationId, DocumentId
from watcher.domain.resolution import Reason, ResolutionError
from watcher.logs import Event
from watcher.metrics import ResolveSource
from watcher.pipeline.services import Services
from watcher.store.rows import StoredCitation

CYCLE_SECONDS = 3600.0
"""The longest that going round may take."""
LEAST_CYCLE_SECONDS = 30.0
SLICE_SECONDS = 15.0
SHARE = 0.02
"""Of a core, for the audit."""
_PAGE = 1000

_log = logs.get(__name__)


class Auditor:
    """Goes round the documents; `run` audits the next slice of them."""

    def __init__(self, services: Callable[[], Services]) -> None:
        self._services = services
        self._waiting: deque[DocumentId] = deque()
        self._cycle = 0
        self._seconds = LEAST_CYCLE_SECONDS
        self._used = 0.0
        self._broken = services().store.service.faults()
        self._found: dict[CitationId, Reason] = {}
        services().metrics.audit_begins(self._seconds)
        # What was broken when the last process ended is so until it is found whole.
        services().metrics.unresolvable(self._broken.values())

    async def run(self) -> None:
        """Audit one slice; the end of a cycle is recorded, and the next begins."""
        services = self._services()
        if not self._waiting:
            documents = await asyncio.to_thread(services.store.documents.list)
            self._waiting.extend(document.document_id for document in documents)
            self._cycle = len(self._waiting)
            self._found = {}
        slices = self._seconds / SLICE_SECONDS
        size = self._cycle if self._found else math.ceil(self._cycle / slices)
        for _ in range(min(size, len(self._waiting))):
            name = self._waiting[0]
            found = await asyncio.to_thread(self._audit, services, name)
            await asyncio.to_thread(
                services.store.service.audited, name, found, services.clock.now()
            )
            self._waiting.popleft()
            self._found.update(found)
            self._broken.update(found)
        if not self._waiting:
            self._broken = dict(self._found)
            # What this round cost decides how long the next one takes.
            self._seconds = min(max(self._used / SHARE, LEAST_CYCLE_SECONDS), CYCLE_SECONDS)
            self._used = 0.0
            services.metrics.audit_ended(self._seconds)
        services.metrics.unresolvable(self._broken.values())

    def _audit(self, services: Services, name: DocumentId) -> dict[CitationId, Reason]:
        started = time.thread_time()
        try:
            return audit_document(services, name)
        finally:
            self._used += time.thread_time() - started


def audit_document(services: Services, name: DocumentId) -> dict[CitationId, Reason]:
    """Resolve every live citation of a document; return those that do not, and why.

    What the store cannot tell now is counted as unreadable and not returned:
    it is no proof that anything is broken.
    """
    broken: dict[CitationId, Reason] = {}
    citations = _live(services, name, services.clock.now())
    for version, group in groupby(citations, key=lambda stored: stored.citation.version):
        with logs.bound(document_id=name, version=version):
            for citation_id, error in _audit_version(services, list(group)):
                reason = error.reason if error is not None else None
                services.metrics.citation_resolved(ResolveSource.AUDIT, reason)
                if error is None:
                    continue
                if error.counts(stored=True):
                    broken[citation_id] = error.reason
                with logs.bound(citation_id=citation_id):
                    _log.error(
                        Event.CITATION_UNRESOLVABLE,
                        reason=error.reason.value,
                        message=error.message,
                        hint=error.hint,
                    )
    return broken


def _audit_version(
    services: Services, citations: list[StoredCitation]
) -> Iterator[tuple[CitationId, ResolutionError | None]]:
    """Yield each citation of one version with what is wrong with it, or None."""
    first = citations[0].citation
    try:
        text = services.store.versions.text(first.document_id, first.version)
    except ResolutionError as error:
        if error.reason is Reason.HASH_MISMATCH:
            _log.error(Event.VERSION_DAMAGED, message=error.message, hint=error.hint)
        yield from ((stored.citation.citation_id, error) for stored in citations)
        return
    for stored in citations:
        citation, fault = stored.citation, None
        try:
            for segment in citation.segments:
                resolve_segment(text, citation.version, segment, citation.document_id)
        except ResolutionError as error:
            fault = error
        yield citation.citation_id, fault


def _live(services: Services, name: DocumentId, now: datetime) -> list[StoredCitation]:
    """Return a document's live citations, those of one version together."""
    found: list[StoredCitation] = []
    while True:
        after = found[-1].number if found else 0
        page = services.store.citations.live(name, now, after=after, limit=_PAGE)
        found += page
        if len(page) < _PAGE:
            return sorted(found, key=lambda stored: stored.citation.version)
