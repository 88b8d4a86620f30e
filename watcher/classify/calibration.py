"""The page threshold that a user's own verdicts speak for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MIN_VERDICTS = 30
"""Verdicts from which a threshold is proposed: fewer say little of the next change."""
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Judged:
    """A change that bears policy: its score, and whether a person says it was worth a page."""

    score: float
    worth_a_page: bool


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a threshold does to judged changes: pages, false ones among them, missed ones."""

    value: float
    pages: int
    false_pages: int
    missed: int

    @property
    def false_rate(self) -> float:
        """The share of false pages among the pages."""
        return self.false_pages / self.pages if self.pages else 0.0


def effect(judged: Sequence[Judged], value: float) -> Threshold:
    """Return what the threshold `value` does: a score from it on is a page."""
    paged = [item for item in judged if item.score >= value]
    return Threshold(
        value,
        len(paged),
        sum(not item.worth_a_page for item in paged),
        sum(item.worth_a_page for item in judged if item.score < value),
    )


def propose(judged: Sequence[Judged], budget: float) -> Threshold | None:
    """Return the threshold that misses the fewest while false pages keep `budget`.

    It stands half-way between two scores that it separates. None where there
    are too few verdicts, or no threshold with a page keeps the budget.
    """
    if len(judged) < MIN_VERDICTS:
        return None
    scores = sorted({item.score for item in judged})
    kept = []
    for number, score in enumerate(scores):
        below = scores[number - 1] if number else score
        middle = round((below + score) / 2, DIGITS)
        value = middle if below < middle <= score else score
        found = effect(judged, value)
        if found.pages and found.false_rate <= budget:
            kept.append(found)
    return min(kept, key=lambda t: (t.missed, t.false_pages, -t.value), default=None)
