"""What follows a new version: one map, the class, the statements, the alerts.

A change walks stored -> classified -> anchored. Each step is one transaction
and is idempotent, so a crash between two resumes at the next. The first batch
of statements, for most changes the only one, comes with the judgement.
"""

from __future__ import annotations

from collections.abc import Container

from watcher import logs
from watcher.domain.changes import Cause, Classification
from watcher.domain.ids import DocumentId
from watcher.domain.statements import Statement
from watcher.domain.text import CanonicalText
from watcher.logs import Event
from watcher.pipeline.alerting import alerts_for_change
from watcher.pipeline.at_hand import AtHand
from watcher.pipeline.configuring import digests
from watcher.pipeline.headings import index_headings
from watcher.pipeline.judging import judge_change
from watcher.pipeline.reviewing import chance_of_review
from watcher.pipeline.ruling import IGNORED, rules_for
from watcher.pipeline.services import Services
from watcher.pipeline.statements import Anchoring, Placed, Step
from watcher.reanchor import ALGORITHM
from watcher.store.errors import DocumentBusyError
from watcher.store.rows import Change, ChangeState, StoredCitation

_BATCH = 2000
"""Citations re-anchored in one transaction."""
_LEASE_SECONDS = 600.0

_log = logs.get(__name__)


def resume_changes(services: Services, *, owner: str, busy: Container[DocumentId] = ()) -> int:
    """Bring every change that a crash left unfinished to its end, oldest first.

    Documents in `busy`, and those that another writer has leased, are left to
    whoever is at work on them. Returns how many changes were finished.
    """
    finished, documents = 0, services.store.documents
    for change in services.store.changes.pending():
        if change.document_id in busy:
            continue
        try:
            leased = documents.claim(
                change.document_id, services.clock.now(), lease_seconds=_LEASE_SECONDS, owner=owner
            )
        except DocumentBusyError:
            continue
        try:
            advance(services, services.store.changes.get(change.change_id))
            finished += 1
        finally:
            documents.release(
                leased.lease, next_check=leased.document.next_check, fails=leased.document.fails
            )
    return finished


def advance(services: Services, change: Change, at_hand: AtHand | None = None) -> None:
    """Bring one change to its last state; `at_hand` is what its check has loaded already."""
    _Advance(services, change, at_hand or AtHand(services)).run()


class _Advance:
    """One change on its way, with its two texts and what was made of them.

    The text that it comes from may have been purged: it reads as empty. Then
    everything counts as new, which is what can still be said for certain.
    """

    def __init__(self, services: Services, change: Change, at_hand: AtHand) -> None:
        self._services = services
        self._change = change
        self._before = at_hand.reading_unless_purged(change.from_reading)
        self._after = at_hand.reading(change.to_reading)
        self._old = self._before.text if self._before else CanonicalText(b"")
        self._new = self._after.text
        self._map = at_hand.map_between(change.document_id, self._old, self._new)

    def run(self) -> None:
        """Judge, state where the citations are, and put the alerts in the outbox."""
        services, change = self._services, self._change
        judged, batch = self._judgement(), self._unanchored()
        anchoring = self._anchoring(judged)
        placed = anchoring.state(batch)
        if change.state is ChangeState.STORED:
            self._save(judged, placed)
        else:
            self._state(placed)
        while len(batch) == _BATCH:
            batch = self._unanchored(batch[-1].number)
            self._state(anchoring.state(batch))
        alerts = alerts_for_change(services, change, judged)
        services.store.changes.finish(change.change_id, alerts)

    def _judgement(self) -> Classification:
        """Return how the change was judged, or judge it under the rules of today."""
        services, change = self._services, self._change
        if change.state is not ChangeState.STORED:
            kept = services.store.changes.classification(change.change_id)
            assert kept is not None, "a change leaves the state `stored` with its judgement"
            return kept
        rules = rules_for(services, change.document_id)
        if rules.body:
            services.store.rule_sets.put(rules.body, services.clock.now())
        return judge_change(services, change, (self._before, self._after), self._map, rules)

    def _save(self, judged: Classification, placed: Placed) -> None:
        """Keep the judgement and the first statements: the change is classified."""
        services, change = self._services, self._change
        services.store.changes.save_classification(
            change.change_id,
            judged,
            self._map,
            at=services.clock.now(),
            chance=chance_of_review(services, change, judged),
            config=digests(services.settings)["all"],
            statements=_numbered(placed),
        )
        _log.info(
            Event.CHANGE_CLASSIFIED,
            document_id=change.document_id,
            change_id=change.change_id,
            change_class=judged.change_class.value,
            tier=judged.tier.value,
        )
        for atom in judged.atoms:
            if atom.rule.startswith(IGNORED):
                services.metrics.ignored_matches.labels(atom.rule.removeprefix(IGNORED)).inc()
        self._tell(placed)

    def _state(self, placed: Placed) -> None:
        """Keep a further batch of statements."""
        services = self._services
        services.store.changes.save_statements(
            self._change.change_id, _numbered(placed), at=services.clock.now()
        )
        self._tell(placed)

    def _tell(self, placed: Placed) -> None:
        if placed:
            _log.info(
                Event.CITATION_REANCHORED,
                document_id=self._change.document_id,
                version=self._change.to_version,
                count=len(placed),
            )

    def _unanchored(self, after: int = 0) -> tuple[StoredCitation, ...]:
        """Return the next live citations without a statement about the new version."""
        services = self._services
        return services.store.citations.unanchored(
            self._change.change_id,
            services.clock.now(),
            algorithm=ALGORITHM,
            after=after,
            limit=_BATCH,
        )

    def _anchoring(self, judged: Classification) -> Anchoring:
        change, before = self._change, self._before
        step = Step(
            self._old,
            self._new,
            self._map,
            judged.atoms,
            by_ink=change.cause is Cause.RENDITION,
            headings=(
                index_headings(before) if before else None,
                index_headings(self._after),
            ),
        )
        return Anchoring(self._services, change.document_id, self._new, step, change.from_version)


def _numbered(placed: Placed) -> list[tuple[int, Statement]]:
    return [(stored.number, statement) for stored, statement in placed]
