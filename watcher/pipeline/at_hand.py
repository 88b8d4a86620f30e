"""What one check has in hand, so that no step of it loads or makes it again."""

from __future__ import annotations

from dataclasses import dataclass, field

from watcher.align import TextMap
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.reading import Reading
from watcher.domain.resolution import VersionPurgedError
from watcher.domain.text import CanonicalText
from watcher.pipeline.maps import map_between
from watcher.pipeline.services import Services


@dataclass(slots=True)
class AtHand:
    """Readings, by their ids, and maps, for as long as one check lasts.

    Used by one thread at a time.
    """

    services: Services
    _readings: dict[str, Reading] = field(default_factory=dict)
    _maps: dict[tuple[VersionId, VersionId], TextMap] = field(default_factory=dict)

    def keep(self, reading_id: str, reading: Reading) -> None:
        """Keep a reading that was stored just now, as it came from the extraction."""
        self._readings[reading_id] = reading

    def reading(self, reading_id: str) -> Reading:
        """Return a stored reading with its text, verified when it was loaded.

        Raises:
            As `Captures.reading`.
        """
        if reading_id not in self._readings:
            self._readings[reading_id] = self.services.store.captures.reading(reading_id)
        return self._readings[reading_id]

    def reading_unless_purged(self, reading_id: str) -> Reading | None:
        """Return a stored reading, None where its text was purged."""
        try:
            return self.reading(reading_id)
        except VersionPurgedError:
            return None

    def map_between(
        self, document_id: DocumentId, old: CanonicalText, new: CanonicalText
    ) -> TextMap:
        """Return the map between two texts of a document."""
        pair = (old.version, new.version)
        if pair not in self._maps:
            self._maps[pair] = map_between(self.services, document_id, old, new)
        return self._maps[pair]
