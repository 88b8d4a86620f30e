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
        made = _stored(services, document_id, old, new) or align(old.data, new.data)
        services.maps.keep(pair, made)
    return made


def _stored(
    services: Services, document_id: DocumentId, old: CanonicalText, new: CanonicalText
) -> TextMap | None:
    """Return the map that was kept with a change from `old` to `new`, if there is one."""
    for change in services.store.changes.list(document_id):
        if (change.from_version, change.to_version) == (old.version, new.version):
            kept = services.store.changes.text_map(change.change_id)
            if kept is not None and kept.algorithm == ALGORITHM:
                return kept
    return None
