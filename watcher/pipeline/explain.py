"""The words of a judgement, made again from the texts: the store keeps none."""

from __future__ import annotations

from dataclasses import replace

from watcher.domain.changes import Classification
from watcher.domain.text import CanonicalText
from watcher.pipeline.judging import judge_change
from watcher.pipeline.maps import map_between
from watcher.pipeline.ruling import kept_rules, rules_for
from watcher.pipeline.services import Services
from watcher.store.rows import Change


def explain(
    services: Services, change: Change
) -> tuple[Classification, tuple[CanonicalText, CanonicalText]]:
    """Return the stored classification with its words, and the two texts.

    The class, tier, score and ranges are the stored ones. The headline and the
    reasons are computed again, under the owner's rules of that time; should the
    classifier have changed since, they are left out rather than attributed to
    the judgement that was made.

    Raises:
        ResolutionError: a version or a rule set cannot be read.
    """
    store = services.store
    readings = (
        store.captures.reading(change.from_reading),
        store.captures.reading(change.to_reading),
    )
    old, new = (reading.text for reading in readings)
    stored = store.changes.classification(change.change_id)
    text_map = map_between(services, change.document_id, old, new)
    rules = rules_for(services, change.document_id)
    if stored is not None:
        rules = kept_rules(services, stored.rules)
    fresh = judge_change(services, change, readings, text_map, rules)
    if stored is None:
        return fresh, (old, new)
    if _same(stored, fresh):
        return fresh, (old, new)
    headline = f"{stored.change_class.value} change in {change.document_id}"
    return replace(stored, headline=headline), (old, new)


def _same(stored: Classification, fresh: Classification) -> bool:
    return (stored.change_class, stored.tier, stored.score, stored.pack, stored.rules) == (
        fresh.change_class,
        fresh.tier,
        fresh.score,
        fresh.pack,
        fresh.rules,
    )
