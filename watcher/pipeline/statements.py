"""Where each live citation is in a new version, computed against its own version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from watcher.align import TextMap, align
from watcher.domain.anchors import Citation
from watcher.domain.changes import Atom
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.statements import Statement
from watcher.domain.text import CanonicalText
from watcher.pipeline.services import Services
from watcher.reanchor import combine, compare_hops, reanchor
from watcher.store.rows import Change, StoredCitation


@dataclass(frozen=True, slots=True)
class Step:
    """One version pair with its map and the atoms of its change."""

    old: CanonicalText
    new: CanonicalText
    text_map: TextMap
    atoms: tuple[Atom, ...]

    def place(self, passages: Sequence[Range]) -> list[Statement]:
        """Return the statement of each passage of the old text."""
        return reanchor(self.old.data, self.new.data, self.text_map, passages, self.atoms)


@dataclass(slots=True)
class Anchoring:
    """Re-anchors citations of any earlier version onto the newest one of a change.

    The step of the change itself is handed in; steps from older versions are
    made when the first citation needs one, and kept for the rest.
    """

    services: Services
    change: Change
    step: Step
    _direct: dict[VersionId, Step] = field(default_factory=dict)

    def state(self, batch: Sequence[StoredCitation]) -> list[tuple[int, Statement]]:
        """Return (citation number, statement) for each citation of `batch`."""
        return [(stored.number, self._state_one(stored.citation)) for stored in batch]

    def _state_one(self, citation: Citation) -> Statement:
        passages = [segment.range for segment in citation.segments]
        direct = combine(self._step_from(citation).place(passages))
        if citation.version == self.change.from_version:
            return direct
        before = self._last_statement(citation)
        if before is None:
            return direct
        hop = combine(self.step.place(before.ranges)) if before.ranges else None
        return compare_hops(direct, hop)

    def _step_from(self, citation: Citation) -> Step:
        if citation.version == self.change.from_version:
            return self.step
        step = self._direct.get(citation.version)
        if step is None:
            document = DocumentId(citation.document_id)
            old = self.services.store.versions.text(document, citation.version)
            step = Step(old, self.step.new, align(old.data, self.step.new.data), ())
            self._direct[citation.version] = step
        return step

    def _last_statement(self, citation: Citation) -> Statement | None:
        """Return what was stated for the version that the change comes from."""
        for stored in self.services.store.citations.statements(citation.citation_id):
            if stored.version == self.change.from_version:
                return stored.statement
        return None
