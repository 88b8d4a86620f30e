"""One alignment for each pair of versions, used by every step that needs it."""

from __future__ import annotations

from watcher.align import ALGORITHM, TextMap, align
from watcher.domain.ids import DocumentId
from watcher.domain.text import CanonicalText
from watcher.pipeline.services import Services


def map_between(
    services: Services, document_id: DocumentId, old: CanonicalText, new: CanonicalText
) -> TextMap:
    """Return the map between two texts of a document.

    Made of late, or stored with the change between the two versions, or else
    made now.
    """
    pair = (old.version, new.version)
    made = services.maps.get(pair)
    if made is None:
        made = services.store.changes.map_between(document_id, *pair, algorithm=ALGORITHM)
        made = made or align(old.data, new.data)
        services.maps.keep(pair, made)
    return made
