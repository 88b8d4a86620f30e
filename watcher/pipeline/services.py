"""What every step of the pipeline needs, handed in once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from watcher.clock import Clock
from watcher.domain.ids import DocumentId
from watcher.metrics import Metrics
from watcher.settings import DocumentEntry, Settings
from watcher.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """The store, the settings, the clock and the instruments of one process."""

    settings: Settings
    store: Store
    clock: Clock
    metrics: Metrics

    @property
    def entries(self) -> Mapping[DocumentId, DocumentEntry]:
        """The configured documents by id."""
        return {DocumentId(entry.document_id): entry for entry in self.settings.documents}
