"""A change as a whole: its text, and what stands beside the text that stayed.

A new date of the last update and, in the same minute, a link that goes to
another contract: the words alone would prove that change harmless.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from watcher.align import TextMap
from watcher.align.model import KEPT, MOVED
from watcher.classify.annotation import Annotations, classify_annotation
from watcher.classify.classifier import classify
from watcher.classify.context import Context
from watcher.classify.score import score_of, tier_of
from watcher.domain.changes import Classification, Hunk, ScoreComponent
from watcher.domain.ranges import Range

_SAME = (KEPT, MOVED)


def classify_whole(
    texts: tuple[bytes, bytes],
    text_map: TextMap,
    context: Context,
    beside: tuple[Annotations, Annotations],
) -> Classification:
    """Return the judgement on old and new text, with what stands beside each.

    What stands beside text that changed is judged with that text. Never
    raises: an error fails closed, as in `classify`.
    """
    (old, new), (before, after) = texts, beside
    if old == new:
        return classify_annotation(new, before, after, context.thresholds)
    judged = classify(old, new, text_map, context)
    if before == after == Annotations() or not text_map.complete:
        return judged
    carrier = _Carrier(text_map)
    carried, stayed = carrier.carry(before, after)
    found = classify_annotation(new, carried, stayed, context.thresholds)
    if not found.hunks:
        return judged
    placed = tuple(carrier.with_old_place(hunk) for hunk in found.hunks)
    return _together(judged, replace(found, hunks=placed), context.thresholds.page)


def _together(text: Classification, beside: Classification, page: float) -> Classification:
    """Return one judgement of two: the heavier class, the evidence of both."""
    largest: dict[str, float] = {}
    for part in (*text.components, *beside.components):
        largest[part.name] = max(part.value, largest.get(part.name, 0.0))
    components = tuple(
        ScoreComponent(name, value)
        for name, value in sorted(largest.items(), key=lambda item: (-item[1], item[0]))
    )
    score = score_of(components)
    first, second = sorted((text, beside), key=lambda c: (-c.change_class.rank, -c.score))
    tiers = (text.tier, beside.tier, tier_of(first.change_class, score, page))
    return replace(
        text,
        change_class=first.change_class,
        tier=max(tiers, key=lambda tier: tier.rank),
        score=score,
        components=components,
        facets=tuple(sorted({*text.facets, *beside.facets})),
        headline=first.headline,
        explanation=(*first.explanation, *second.explanation),
        hunks=(*text.hunks, *beside.hunks),
    )


class _Carrier:
    """Carries what stands beside the old text to its place in the new one."""

    def __init__(self, text_map: TextMap) -> None:
        runs = text_map.runs
        self._runs = [run for run, kind in zip(runs, text_map.kinds, strict=True) if kind in _SAME]
        self._edited = [
            run for run, kind in zip(runs, text_map.kinds, strict=True) if kind not in _SAME
        ]
        self._old = [run.old.start for run in self._runs]
        self._by_new = sorted(self._runs, key=lambda run: run.new.start)
        self._new = [run.new.start for run in self._by_new]
        self._places: dict[Range, Range] = {}

    def carry(self, old: Annotations, new: Annotations) -> tuple[Annotations, Annotations]:
        """Return both sides at places of the new text, without what only changed text holds."""
        links = [(place, target) for at, target in old.links if (place := self._to_new(at))]
        stayed = [(at, target) for at, target in new.links if self._to_old(at)]
        for before, after in self._pairs(old, new):
            self._places[after[0]] = before[0]
            links.append((after[0], before[1]))
            stayed.append(after)
        return (
            Annotations(tuple(links), tuple(self._clipped(old.struck, old=True)), old.images),
            Annotations(tuple(stayed), tuple(self._clipped(new.struck, old=False)), new.images),
        )

    def with_old_place(self, hunk: Hunk) -> Hunk:
        """Return a hunk of the new text with its place in the old one."""
        place = self._places.get(hunk.new) or self._to_old(hunk.new) or Range(0, 0)
        return replace(hunk, old=place, atoms=tuple(replace(a, old=place) for a in hunk.atoms))

    def _to_new(self, place: Range) -> Range | None:
        """Return where a range of the old text that stayed whole stands now."""
        at = bisect_right(self._old, place.start) - 1
        if at < 0 or not self._runs[at].old.contains(place):
            return None
        return _shifted(place, self._runs[at].new.start - self._runs[at].old.start)

    def _to_old(self, place: Range) -> Range | None:
        at = bisect_right(self._new, place.start) - 1
        if at < 0 or not self._by_new[at].new.contains(place):
            return None
        return _shifted(place, self._by_new[at].old.start - self._by_new[at].new.start)

    def _pairs(
        self, old: Annotations, new: Annotations
    ) -> Iterator[tuple[tuple[Range, str], tuple[Range, str]]]:
        """Yield links in edited text that correspond, in order, where their number is the same."""
        before = [link for link in old.links if not self._to_new(link[0])]
        after = [link for link in new.links if not self._to_old(link[0])]
        for run in self._edited if before and after else ():
            left = [link for link in before if link[0].overlaps(run.old)]
            right = [link for link in after if link[0].overlaps(run.new)]
            if len(left) == len(right):
                yield from zip(left, right, strict=True)

    def _clipped(self, struck: tuple[Range, ...], *, old: bool) -> Iterator[Range]:
        """Yield the parts of struck ranges that stand in text that stayed, at their new places."""
        for place in struck:
            for run in self._runs:
                side = run.old if old else run.new
                if side.overlaps(place):
                    part = Range(max(side.start, place.start), min(side.end, place.end))
                    yield _shifted(part, run.new.start - side.start)


def _shifted(place: Range, by: int) -> Range:
    return Range(place.start + by, place.end + by)
