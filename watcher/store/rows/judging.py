"""Reviews and dates of effect as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from watcher.domain.changes import ChangeClass, Tier
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.reviews import DateStatus, ReviewVerdict


@dataclass(frozen=True, slots=True)
class Review:
    """A person's verdict on a judgement."""

    verdict: ReviewVerdict
    at: datetime
    actor: str
    note: str


@dataclass(frozen=True, slots=True)
class JudgedChange:
    """A classified change of a publisher, as reviews and statistics need it.

    `rules` is the digest of the owner's rules that it was judged under. `chance`
    is the probability with which it was drawn for review, None where it was not
    drawn. `review` is the latest verdict, None where there is none.
    """

    change_id: str
    document_id: DocumentId
    at: datetime
    change_class: ChangeClass
    tier: Tier
    score: float
    rules: str
    chance: float | None
    review: Review | None


@dataclass(frozen=True, slots=True)
class EffectiveDate:
    """A day from which a version applies.

    `range` is where the version says so, None where a person stated it.
    `decided_at` and `actor` tell who confirmed or rejected it last.
    """

    number: int
    document_id: DocumentId
    version: VersionId
    day: date
    range: Range | None
    at: datetime
    status: DateStatus
    decided_at: datetime | None
    actor: str
