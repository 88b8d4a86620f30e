"""What follows a new version: one map, the class, the statements, the alerts.

A change walks stored -> classified -> anchored. Each step is one transaction
and is idempotent, so a crash between two resumes at the next.
"""

from __future__ import annotations

from collections.abc import Container

from watcher import logs
from watcher.domain.changes import Cause, Classification
from watcher.domain.ids import DocumentId
from watcher.domain.resolution import VersionPurgedError
from watcher.domain.text import CanonicalText
from watcher.logs import Event
from watcher.pipeline.alerting import alerts_for_change
from watcher.pipeline.configuring import digests
from watcher.pipeline.headings import headings_of
from watcher.pipeline.judging import judge_change
from watcher.pipeline.maps import map_between
from watcher.pipeline.reviewing import chance_of_review
from watcher.pipeline.ruling import IGNORED, rules_for
from watcher.pipeline.services import Services
from watcher.pipeline.statements import Anchoring, Step
from watcher.reanchor import ALGORITHM
from watcher.store.errors import DocumentBusyError
from watcher.store.rows import Change, ChangeState

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


def advance(services: Services, change: Change) -> None:
    """Bring one change to its last state."""
    old = _text_before(services, change)
    new = services.store.versions.text(change.document_id, change.to_version)
    if change.state is ChangeState.STORED:
        judged = _classify(services, change, old, new)
        _log.info(
            Event.CHANGE_CLASSIFIED,
            document_id=change.document_id,
            change_id=change.change_id,
            change_class=judged.change_class.value,
            tier=judged.tier.value,
        )
    reanchor_live(services, change, old, new)
    services.store.changes.finish(
        change.change_id, alerts_for_change(services, services.store.changes.get(change.change_id))
    )


def _text_before(services: Services, change: Change) -> CanonicalText:
    """Return the text that a change comes from; a purged one reads as empty.

    Then everything counts as new, which is what can still be said for certain.
    """
    try:
        return services.store.versions.text(change.document_id, change.from_version)
    except VersionPurgedError:
        return CanonicalText(b"")


def _classify(
    services: Services, change: Change, old: CanonicalText, new: CanonicalText
) -> Classification:
    """Judge a change under the rules of today, and keep both."""
    now, rules = services.clock.now(), rules_for(services, change.document_id)
    if rules.body:
        services.store.rule_sets.put(rules.body, now)
    text_map = map_between(services, change.document_id, old, new)
    judged = judge_change(services, change, (old, new), text_map, rules)
    services.store.changes.save_classification(
        change.change_id,
        judged,
        text_map,
        at=now,
        chance=chance_of_review(services, change, judged),
        config=digests(services.settings)["all"],
    )
    for atom in judged.atoms:
        if atom.rule.startswith(IGNORED):
            services.metrics.ignored_matches.labels(atom.rule.removeprefix(IGNORED)).inc()
    return judged


def reanchor_live(
    services: Services, change: Change, old: CanonicalText, new: CanonicalText
) -> None:
    """State where every live citation of the document is in the new version."""
    store, now = services.store, services.clock.now()
    classification = store.changes.classification(change.change_id)
    step = Step(
        old,
        new,
        map_between(services, change.document_id, old, new),
        classification.atoms if classification else (),
        by_ink=change.cause is Cause.RENDITION,
        headings=(
            headings_of(services, change.document_id, change.from_version),
            headings_of(services, change.document_id, change.to_version),
        ),
    )
    anchoring = Anchoring(services, change.document_id, new, step, change.from_version)
    after = 0
    while batch := store.citations.unanchored(
        change.change_id, now, algorithm=ALGORITHM, after=after, limit=_BATCH
    ):
        after = batch[-1].number
        placed = [(stored.number, statement) for stored, statement in anchoring.state(batch)]
        store.changes.save_statements(change.change_id, placed, at=now)
        _log.info(
            Event.CITATION_REANCHORED,
            document_id=change.document_id,
            version=change.to_version,
            count=len(batch),
        )
