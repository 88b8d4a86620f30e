"""Under which headings a place of a version stands, looked up quickly."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.reading import Reading
from watcher.domain.resolution import VersionPurgedError
from watcher.pipeline.services import Services


@dataclass(frozen=True, slots=True)
class HeadingIndex:
    """The heading paths of a text, by the offset at which each begins to hold."""

    starts: tuple[int, ...]
    paths: tuple[tuple[str, ...], ...]

    def path_at(self, offset: int) -> tuple[str, ...]:
        """Return the titles above byte `offset`, the outermost first."""
        index = bisect_right(self.starts, offset)
        return self.paths[index - 1] if index else ()


def index_headings(reading: Reading) -> HeadingIndex:
    """Return the index of a reading's headings."""
    starts = tuple(heading.range.start for heading in reading.headings)
    return HeadingIndex(starts, tuple(map(reading.heading_path, starts)))


def headings_of(
    services: Services, document_id: DocumentId, version: VersionId
) -> HeadingIndex | None:
    """Return the index of a version's newest reading, None where there is none any more."""
    reading_id = services.store.captures.source_of(document_id, version)
    if reading_id is None:
        return None
    try:
        return index_headings(services.store.captures.reading(reading_id))
    except VersionPurgedError:
        return None
