"""What every step of the pipeline needs, handed in once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from watcher.align import TextMap
from watcher.clock import Clock
from watcher.domain.changes import Classification
from watcher.domain.ids import DocumentId, VersionId
from watcher.metrics import Metrics
from watcher.settings import DocumentEntry, Settings
from watcher.store import Store


class Judged:
    """A few classifications by change, the latest: making one again takes seconds.

    Used from several threads; losing an entry only costs the time to make it.
    """

    _MOST = 32

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Classification] = OrderedDict()

    def get(self, change_id: str) -> Classification | None:
        """Return the classification of a change, if it was made here of late."""
        return self._kept.get(change_id)

    def keep(self, change_id: str, judged: Classification) -> None:
        """Keep a classification, and let the oldest go."""
        self._kept[change_id] = judged
        while len(self._kept) > self._MOST:
            self._kept.popitem(last=False)


class Maps:
    """The maps of a few pairs of versions, the latest: each is made once.

    Used from several threads; losing an entry only costs the time to make it.
    """

    _MOST = 4

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[VersionId, VersionId], TextMap] = OrderedDict()

    def get(self, pair: tuple[VersionId, VersionId]) -> TextMap | None:
        """Return the map from one version to another, if it was made here of late."""
        return self._kept.get(pair)

    def keep(self, pair: tuple[VersionId, VersionId], made: TextMap) -> None:
        """Keep a map, and let the oldest go."""
        self._kept[pair] = made
        while len(self._kept) > self._MOST:
            self._kept.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Services:
    """The store, the settings, the clock and the instruments of one process."""

    settings: Settings
    store: Store
    clock: Clock
    metrics: Metrics
    judged: Judged = field(default_factory=Judged)
    """Judgements of late, with their words: the next step of a change needs them again."""

    maps: Maps = field(default_factory=Maps)
    """Maps of late: the guards, the classifier and the re-anchoring use the same one."""

    entries: Mapping[DocumentId, DocumentEntry] = field(init=False)
    """The configured documents by id."""

    def __post_init__(self) -> None:
        """Index the documents once: every check looks one up among thousands."""
        entries = {DocumentId(entry.document_id): entry for entry in self.settings.documents}
        object.__setattr__(self, "entries", entries)
