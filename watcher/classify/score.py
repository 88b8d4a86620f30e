"""The score: named components, and how they make one number and a tier."""

from __future__ import annotations

from collections.abc import Iterable

from watcher.domain.changes import ChangeClass, ScoreComponent, Tier

DIGITS = 6


def score_of(components: Iterable[ScoreComponent]) -> float:
    """Return `1 - product(1 - value)` over the components, to six digits.

    Components with the same name count once, with their largest value: ten
    changed numbers are one kind of evidence. The order does not matter: values
    are multiplied from the largest down.
    """
    largest: dict[str, float] = {}
    for component in components:
        largest[component.name] = max(component.value, largest.get(component.name, 0.0))
    rest = 1.0
    for value in sorted(largest.values(), reverse=True):
        rest *= 1.0 - value
    return round(1.0 - rest, DIGITS)


def tier_of(change_class: ChangeClass, score: float, page: float) -> Tier:
    """Return who is told: `page` is the score from which a person is called."""
    if change_class is ChangeClass.COSMETIC:
        return Tier.SILENT
    if change_class is ChangeClass.EDITORIAL:
        return Tier.DIGEST
    return Tier.PAGE if score >= page else Tier.TICKET
