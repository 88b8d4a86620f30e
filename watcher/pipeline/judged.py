"""What a redline is made of: two texts of a document and what was judged of them."""

from __future__ import annotations

from dataclasses import dataclass

from watcher.domain.changes import Classification
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.reading import Reading
from watcher.domain.text import CanonicalText
from watcher.pipeline.explain import explain
from watcher.pipeline.judging import judge_versions, readings_of
from watcher.pipeline.redline import ShownHunk, redline
from watcher.pipeline.services import Services
from watcher.store.rows import Change


@dataclass(frozen=True, slots=True)
class Judged:
    """Two texts, their classification and, where both are known, their readings.

    `change` is None where any two versions were compared.
    """

    document_id: DocumentId
    old: CanonicalText
    new: CanonicalText
    classification: Classification
    readings: tuple[Reading, Reading] | None
    change: Change | None

    def hunks(self) -> list[ShownHunk]:
        """Return the hunks as a reviewer reads them, in the order of the new text."""
        return list(redline(self.old, self.new, self.classification.hunks, self.readings))


def judged_change(services: Services, change: Change) -> Judged:
    """Return what a change is shown from.

    Raises:
        ResolutionError: one of its versions cannot be read.
    """
    classification, (old, new) = explain(services, change)
    captures = services.store.captures
    readings = (captures.reading(change.from_reading), captures.reading(change.to_reading))
    return Judged(change.document_id, old, new, classification, readings, change)


def judged_versions(services: Services, name: DocumentId, old: VersionId, new: VersionId) -> Judged:
    """Return what two versions of a document are compared from.

    Raises:
        ResolutionError: one of them cannot be read.
    """
    before, after = (services.store.versions.text(name, version) for version in (old, new))
    readings = readings_of(services, name, (old, new))
    judged = judge_versions(services, name, before, after, readings)
    return Judged(name, before, after, judged, readings, None)
