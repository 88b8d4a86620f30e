"""Which live citations a change touches, and so which answers are to be looked at."""

from __future__ import annotations

from collections.abc import Iterator

from watcher.domain.statements import Statement
from watcher.domain.text import CanonicalText
from watcher.pipeline.services import Services
from watcher.store.rows import Affected, Change

_PAGE = 1000


def touched_citations(services: Services, change: Change) -> tuple[Affected, ...]:
    """Return the live citations that do not carry because of this very change.

    A passage that an earlier change edited, and that stands in both versions
    of this one with the same bytes, was told of then: it is not news again.
    """
    affected = tuple(_affected(services, change))
    if not affected:
        return ()
    old = services.store.versions.text(change.document_id, change.from_version)
    new = services.store.versions.text(change.document_id, change.to_version)
    return tuple(
        item for item in affected if not _same_as_before(services, change, item, (old, new))
    )


def _affected(services: Services, change: Change) -> Iterator[Affected]:
    after, now = 0, services.clock.now()
    while page := services.store.citations.affected(
        change.change_id, now, after=after, limit=_PAGE
    ):
        yield from page
        after = page[-1].citation.number


def _same_as_before(
    services: Services,
    change: Change,
    item: Affected,
    texts: tuple[CanonicalText, CanonicalText],
) -> bool:
    """Tell whether the passage reads the same in both versions of the change."""
    citation = item.citation.citation
    if citation.version == change.from_version:
        return False
    before = [
        found.statement
        for found in services.store.citations.statements(citation.citation_id)
        if found.version == change.from_version
    ]
    if not before or before[-1].context_changed != item.statement.context_changed:
        return False
    old, new = texts
    return before[-1].status is item.statement.status and (
        _passages(old, before[-1]) == _passages(new, item.statement)
    )


def _passages(text: CanonicalText, statement: Statement) -> list[bytes]:
    return [text.data[place.start : place.end] for place in statement.ranges]
