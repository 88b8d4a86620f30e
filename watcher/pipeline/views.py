"""What people ask of the store: changes by their first digits, redlines, checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from watcher.domain.ids import DocumentId
from watcher.domain.resolution import ResolutionError
from watcher.errors import UsageError
from watcher.pipeline.services import Services
from watcher.store.rows import Change

_LISTED = 100_000
_PAGE = 1000


def find_change(services: Services, prefix: str) -> Change:
    """Return the change whose id begins with `prefix` (at least 6 digits).

    Raises:
        UsageError: none begins so, or several do.
    """
    if len(prefix) == 64:
        return services.store.changes.get(prefix)
    fitting = [
        change
        for change in services.store.changes.list(None, limit=_LISTED)
        if change.change_id.startswith(prefix)
    ]
    if len(fitting) != 1 or len(prefix) < 6:
        raise UsageError(
            f"{len(fitting)} changes begin with {prefix!r}",
            hint="see `watcher changes`; give at least 6 digits",
        )
    return fitting[0]


@dataclass(frozen=True, slots=True)
class Damage:
    """Something that is not what its name says."""

    document_id: DocumentId
    what: str
    reason: str
    message: str


def verify(services: Services) -> Iterator[Damage | str]:
    """Re-hash every version and every capture, and resolve every citation.

    Yields each damage, and at the end one line that counts what was checked.
    """
    versions = captures = citations = 0
    for document in services.store.documents.list():
        name = document.document_id
        for version in services.store.versions.list(name):
            if version.purged:
                continue
            versions += 1
            try:
                services.store.versions.text(name, version.version)
            except ResolutionError as error:
                yield Damage(name, version.version, error.reason.value, str(error))
        for capture in services.store.captures.list(name):
            captures += 1
            try:
                services.store.captures.body(capture.capture_id)
            except ResolutionError as error:
                yield Damage(name, capture.capture_id, error.reason.value, str(error))
        for citation_id in _citation_ids(services, name):
            citations += 1
            try:
                services.store.citations.resolve(citation_id)
            except ResolutionError as error:
                yield Damage(name, citation_id, error.reason.value, str(error))
    yield f"checked {versions} versions, {captures} captures, {citations} citations"


def _citation_ids(services: Services, name: DocumentId) -> Iterator[str]:
    after = 0
    while page := services.store.citations.list(name, after=after, limit=_PAGE):
        for stored in page:
            yield stored.citation.citation_id
        after = page[-1].number
