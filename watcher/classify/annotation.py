"""Classify a change of kind `annotation`: the text is equal, what stands beside it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from watcher.classify import rules
from watcher.classify.context import Thresholds
from watcher.classify.evidence import Evidence
from watcher.classify.explain import count_proven, shorten
from watcher.classify.links import link_change
from watcher.classify.score import score_of, tier_of
from watcher.domain.changes import (
    Atom,
    ChangeClass,
    Classification,
    Hunk,
    HunkKind,
    ScoreComponent,
)
from watcher.domain.ranges import Range


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a reading holds beside its text, by byte range of the canonical text.

    `links` are normalised targets, `struck` the ranges set in strike-through,
    `images` the hashes of images at the place where each stands.
    """

    links: tuple[tuple[Range, str], ...] = ()
    struck: tuple[Range, ...] = ()
    images: tuple[tuple[Range, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Finding:
    place: Range
    rule: str
    what: str
    why: str
    evidence: Evidence | None = None


def classify_annotation(
    text: bytes, old: Annotations, new: Annotations, thresholds: Thresholds | None = None
) -> Classification:
    """Return the judgement on two readings with the same `text`.

    A link to a replaced document bears policy, and so does text that is struck
    or no longer struck; a replaced image is unproven, because an image can
    state a rule. Never raises: an error fails closed.
    """
    limits = thresholds or Thresholds()
    try:
        found = [*_links(text, old, new), *_struck(text, old, new), *_images(old, new)]
        return _conclude(found, limits)
    except Exception as error:  # noqa: BLE001 - fails closed, whatever it was
        reason = f"the classifier failed ({type(error).__name__})"
        return _conclude([_unproven(Range(0, len(text)), "annotations change", reason)], limits)


def _unproven(place: Range, what: str, why: str, evidence: Evidence | None = None) -> _Finding:
    return _Finding(place, rules.UNPROVEN, what, why, evidence or Evidence("unproven", 0.5, ()))


def _words(text: bytes, place: Range) -> str:
    return " ".join(text[place.start : place.end].decode("utf-8", "replace").split())


def _differing(
    old: Sequence[tuple[Range, str]], new: Sequence[tuple[Range, str]]
) -> Iterator[tuple[Range, str, str]]:
    """Yield what stood at a place and what stands there now ("": nothing), where they differ.

    A place may hold several: pictures without words all stand between two characters.
    """
    before, after = Counter(old), Counter(new)
    gone, come = before - after, after - before
    for place in sorted({place for place, _ in (*gone, *come)}):
        lost = [value for (at, value) in gone.elements() if at == place]
        won = [value for (at, value) in come.elements() if at == place]
        for left, right in zip_longest(lost, won, fillvalue=""):
            yield place, left, right


def _links(text: bytes, old: Annotations, new: Annotations) -> Iterable[_Finding]:
    """Yield one finding for each place whose target differs, comes or goes."""
    for place, left, right in _differing(old.links, new.links):
        result = link_change(left, right, _words(text, place))
        if result.proven:
            yield _Finding(place, result.rule, "", rules.DESCRIPTION[result.rule])
            continue
        facet = "contact_notice" if "contact" in result.why else "cross_reference"
        what = f"“{shorten(_words(text, place), 40)}” links to {right or 'nothing'}, not {left or 'nothing'}"  # noqa: E501
        yield _unproven(place, what, result.why, Evidence("link", 0.8, (facet,)))


def _struck(text: bytes, old: Annotations, new: Annotations) -> Iterable[_Finding]:
    for place in sorted(set(old.struck) ^ set(new.struck)):
        verb = "is struck out" if place in new.struck else "is no longer struck out"
        words = shorten(_words(text, place), 60)
        yield _unproven(
            place, f"“{words}” {verb}", "struck text is repealed text", Evidence("struck", 0.8, ())
        )


def _images(old: Annotations, new: Annotations) -> Iterable[_Finding]:
    for place, left, right in _differing(old.images, new.images):
        verb = "is replaced" if left and right else "comes or goes"
        yield _unproven(
            place, f"an image {verb}", "an image can state a rule", Evidence("image", 0.5, ())
        )


def _conclude(found: list[_Finding], limits: Thresholds) -> Classification:
    hunks = []
    evidence: list[Evidence] = []
    for item in found:
        facets = item.evidence.facets if item.evidence else ()
        weight = item.evidence.weight if item.evidence else 0.0
        evidence += [item.evidence] if item.evidence else []
        class_ = rules.CLASS_OF[item.rule]
        why = f"{item.what}; {item.why}" if item.what else item.why
        atom = Atom(item.place, item.place, class_, item.rule, facets, weight, why)
        hunks.append(Hunk(HunkKind.REPLACED, item.place, item.place, class_, (atom,)))
    change_class = max(
        (hunk.change_class for hunk in hunks), key=lambda c: c.rank, default=ChangeClass.COSMETIC
    )
    largest: dict[str, float] = {}
    for piece in evidence:
        largest[piece.name] = max(piece.weight, largest.get(piece.name, 0.0))
    components = tuple(
        ScoreComponent(name, value)
        for name, value in sorted(largest.items(), key=lambda item: (-item[1], item[0]))
    )
    score = score_of(components)
    said = [item for item in found if item.what]
    lines = [f"{item.what}; tried {item.why}" for item in said]
    proven = count_proven(item.rule for item in found if not item.what)
    return Classification(
        change_class,
        tier_of(change_class, score, limits.page),
        score,
        components,
        tuple(sorted({facet for piece in evidence for facet in piece.facets})),
        shorten(said[0].what if said else "Only link targets or images differ", 140),
        (*lines, *proven),
        tuple(hunks),
        "none",
    )
