"""What a person says of a judgement, and what a version says of its own beginning."""

from __future__ import annotations

from enum import StrEnum

from watcher.domain.changes import Tier


class ReviewVerdict(StrEnum):
    """`right`; `false-page`: less would have done; `missed`: it should have been told louder."""

    RIGHT = "right"
    FALSE_PAGE = "false-page"
    MISSED = "missed"


SUPPRESSED = (Tier.SILENT, Tier.DIGEST)
"""The tiers that call nobody: what is wrongly among them was missed."""


def fits(verdict: ReviewVerdict, tier: Tier) -> bool:
    """Tell whether a verdict can be said of a judgement of that tier.

    What called nobody cannot have called falsely; what paged cannot have been
    missed. A ticket may be either: too much, or too little.
    """
    if verdict is ReviewVerdict.FALSE_PAGE:
        return tier not in SUPPRESSED
    return verdict is not ReviewVerdict.MISSED or tier is not Tier.PAGE


class DateStatus(StrEnum):
    """How sure a date of effect is: found by rule, or decided by a person."""

    EXTRACTED = "extracted"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
