"""Where each live citation is in a version, computed against its own version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from watcher.align import TextMap
from watcher.domain.anchors import Citation
from watcher.domain.changes import Atom
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.resolution import VersionPurgedError
from watcher.domain.statements import Statement, Status
from watcher.domain.text import CanonicalText
from watcher.pipeline.headings import HeadingIndex, headings_of
from watcher.pipeline.judging import judge_versions
from watcher.pipeline.maps import map_between
from watcher.pipeline.services import Services
from watcher.reanchor import ALGORITHM, combine, compare_hops, reanchor, reanchor_by_ink
from watcher.store.rows import StoredCitation

Placed = list[tuple[StoredCitation, Statement]]


@dataclass(frozen=True, slots=True)
class Step:
    """One version pair: its map, its atoms, and whether only our recipe differs."""

    old: CanonicalText
    new: CanonicalText
    text_map: TextMap
    atoms: tuple[Atom, ...]
    by_ink: bool = False
    headings: tuple[HeadingIndex | None, HeadingIndex | None] = (None, None)

    def place(self, passages: Sequence[Range]) -> list[Statement]:
        """Return the statement of each passage of the old text."""
        if self.by_ink:
            return reanchor_by_ink(self.old.data, self.new.data, passages)
        old, new = self.headings
        paths = (old.path_at, new.path_at) if old and new else None
        return reanchor(
            self.old.data, self.new.data, self.text_map, passages, self.atoms, headings=paths
        )


@dataclass(slots=True)
class Anchoring:
    """Re-anchors citations of any earlier version onto one version of a document.

    `hop` is the step from the version before, with `hop_from` its name: it is
    also what the direct answer of an older citation is held against. None
    where no change leads to the version. Steps from older versions are made
    when the first citation needs one, and kept for the rest.
    """

    services: Services
    document_id: DocumentId
    new: CanonicalText
    hop: Step | None = None
    hop_from: VersionId | None = None
    _direct: dict[VersionId, Step | None] = field(default_factory=dict)

    def state(self, batch: Sequence[StoredCitation]) -> Placed:
        """Return each citation of `batch` with its statement, grouped by version."""
        by_version = sorted(batch, key=lambda stored: (stored.citation.version, stored.number))
        placed: Placed = []
        for version, group in groupby(by_version, key=lambda stored: stored.citation.version):
            placed += self._state_group(version, list(group))
        return placed

    def _state_group(self, version: VersionId, group: list[StoredCitation]) -> Placed:
        step = self._step_from(version)
        if step is None:
            unknown = Statement(Status.NOT_COMPUTED, method="purged", algorithm=ALGORITHM)
            return [(stored, unknown) for stored in group]
        passages = [segment.range for stored in group for segment in stored.citation.segments]
        statements = iter(step.place(passages))
        placed: Placed = []
        for stored in group:
            direct = combine([next(statements) for _ in stored.citation.segments])
            placed.append((stored, self._held_against_hop(stored.citation, direct)))
        return placed

    def _held_against_hop(self, citation: Citation, direct: Statement) -> Statement:
        if self.hop is None or citation.version == self.hop_from:
            return direct
        before = self._last_statement(citation)
        if before is None:
            return direct
        hop = combine(self.hop.place(before.ranges)) if before.ranges else None
        return compare_hops(direct, hop)

    def _step_from(self, version: VersionId) -> Step | None:
        """Return the step from a version, None where its text was purged."""
        if self.hop is not None and version == self.hop_from:
            return self.hop
        if version not in self._direct:
            self._direct[version] = self._make_step(version)
        return self._direct[version]

    def _make_step(self, version: VersionId) -> Step | None:
        try:
            old = self.services.store.versions.text(self.document_id, version)
        except VersionPurgedError:
            return None
        judged = judge_versions(self.services, self.document_id, old, self.new)
        headings = (headings_of(self.services, self.document_id, version), self._new_headings())
        text_map = map_between(self.services, self.document_id, old, self.new)
        return Step(old, self.new, text_map, judged.atoms, headings=headings)

    def _new_headings(self) -> HeadingIndex | None:
        if self.hop is not None:
            return self.hop.headings[1]
        return headings_of(self.services, self.document_id, self.new.version)

    def _last_statement(self, citation: Citation) -> Statement | None:
        """Return what counts for the version that the hop comes from."""
        found = None
        for stored in self.services.store.citations.statements(citation.citation_id):
            if stored.version == self.hop_from:
                found = stored.statement
        return found
