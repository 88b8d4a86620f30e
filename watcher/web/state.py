"""What the application keeps for its handlers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from watcher.domain.ids import DocumentId, is_citation_id
from watcher.pipeline.services import Services
from watcher.web.access import Access

_MOST_KEPT = 200_000


class CitationDocuments:
    """Which document a citation is of: it never changes, so it is looked up once.

    That, and nothing else of a citation, is read before its reader is known to
    have a grant.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, DocumentId] = OrderedDict()

    def of(self, services: Services, citation_ids: Iterable[str]) -> dict[str, DocumentId]:
        """Return the document of each citation that there is."""
        wanted = set(citation_ids)
        with self._lock:
            found = {name: self._kept[name] for name in wanted if name in self._kept}
        missing = [name for name in wanted - found.keys() if is_citation_id(name)]
        if missing:
            looked_up = services.store.bulk.documents(missing)
            found |= looked_up
            with self._lock:
                self._kept |= looked_up
                while len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)
        return found


@dataclass(frozen=True, slots=True)
class WebState:
    """Handed to handlers through `watcher.web.deps`."""

    services: Callable[[], Services]
    access: Access
    citations: CitationDocuments = field(default_factory=CitationDocuments)
