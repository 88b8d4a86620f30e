"""A change between two readings: atoms, hunks, class, tier, score.

An atom is the smallest thing that changed and was judged. Re-anchoring gets
the atoms handed in, so that `edited` can say `material` without knowing the
classifier.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from watcher.domain.ranges import Range


class ChangeKind(StrEnum):
    """Whether the text differs, or only what stands beside it."""

    TEXT = "text"
    ANNOTATION = "annotation"


class Cause(StrEnum):
    """Who caused a change. A rendition change is ours, never the publisher's."""

    PUBLISHER = "publisher"
    RENDITION = "rendition"


class ChangeClass(StrEnum):
    """How much a change bears; ordered from harmless to not."""

    COSMETIC = "cosmetic"
    EDITORIAL = "editorial"
    POLICY_BEARING = "policy-bearing"

    @property
    def rank(self) -> int:
        """0, 1, 2: a change has the class of its highest atom."""
        return list(ChangeClass).index(self)


class Tier(StrEnum):
    """Who is told; ordered from nobody to a person now."""

    SILENT = "silent"
    DIGEST = "digest"
    TICKET = "ticket"
    PAGE = "page"

    @property
    def rank(self) -> int:
        """0 to 3."""
        return list(Tier).index(self)


class Severity(StrEnum):
    """The severity of an alert."""

    INFO = "info"
    TICKET = "ticket"
    PAGE = "page"


def severity_of(tier: Tier) -> Severity:
    """Return the alert severity of a tier: page, ticket, else info."""
    return {Tier.PAGE: Severity.PAGE, Tier.TICKET: Severity.TICKET}.get(tier, Severity.INFO)


@dataclass(frozen=True, slots=True)
class Atom:
    """One judged difference: a range on each side (one may be empty).

    `rule` is the id of the rule that proved it harmless, or `unproven`.
    `facets` are the sorted words of the classifier's guide (`number`,
    `obligation`...). `weight` is its share in the score, 0 to 1. `why` is one
    sentence a reviewer reads.
    """

    old: Range
    new: Range
    change_class: ChangeClass
    rule: str
    facets: tuple[str, ...] = ()
    weight: float = 0.0
    why: str = ""


class HunkKind(StrEnum):
    """What happened to a block of text."""

    REPLACED = "replaced"
    INSERTED = "inserted"
    REMOVED = "removed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Hunk:
    """A changed block: its range on each side, its class and its atoms."""

    kind: HunkKind
    old: Range
    new: Range
    change_class: ChangeClass
    atoms: tuple[Atom, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreComponent:
    """One named part of a score; the parts reproduce the score exactly."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Classification:
    """The judgement on one change, with everything needed to check it."""

    change_class: ChangeClass
    tier: Tier
    score: float
    components: tuple[ScoreComponent, ...]
    facets: tuple[str, ...]
    headline: str
    explanation: tuple[str, ...]
    hunks: tuple[Hunk, ...]
    pack: str
    rules: str = ""
    """SHA-256 of the owner's rules that it was made under; empty: there were none."""

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """All atoms in order of their hunks."""
        return tuple(atom for hunk in self.hunks for atom in hunk.atoms)
