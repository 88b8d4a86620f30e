"""The review loop: what is drawn, what verdicts say, which threshold they speak for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from watcher.classify.calibration import MIN_VERDICTS, Judged, Threshold, effect, propose
from watcher.classify.context import PAGE_SCORE
from watcher.classify.review import Estimate, drawn, estimate
from watcher.domain.changes import Cause, ChangeClass, Classification, Tier
from watcher.domain.reviews import SUPPRESSED, ReviewVerdict
from watcher.errors import UsageError
from watcher.pipeline.ruling import kept_rules
from watcher.pipeline.services import Services
from watcher.settings.edit import set_number
from watcher.store.rows import Change, JudgedChange, OperatorAct


def chance_of_review(services: Services, change: Change, judged: Classification) -> float | None:
    """Return the chance with which a change was drawn; None where it was not.

    Only what called nobody is drawn, and only what its publisher changed.
    """
    settings = services.settings.review
    if change.cause is not Cause.PUBLISHER or judged.tier not in SUPPRESSED:
        return None
    if not drawn(settings.seed, change.change_id, settings.sample_rate):
        return None
    return settings.sample_rate


@dataclass(frozen=True, slots=True)
class Report:
    """What the verdicts say.

    `false_pages` is the rate among pages, `missed` the rate among what called
    nobody, estimated from drawn changes alone. `missed_outside` counts missed
    ones that were found without being drawn: they say nothing of a rate.
    `queue` is how many drawn changes wait.
    """

    counts: dict[tuple[Tier, ReviewVerdict], int]
    false_pages: Estimate
    missed: Estimate
    missed_outside: int
    queue: int


def report(services: Services) -> Report:
    """Return what the verdicts say, held against nothing yet."""
    reviews, confidence = services.store.reviews, services.settings.review.confidence
    reviewed = reviews.reviewed()
    pages = [(_said(c, ReviewVerdict.FALSE_PAGE), 1.0) for c in reviewed if c.tier is Tier.PAGE]
    quiet = [c for c in reviewed if c.tier in SUPPRESSED]
    sample = [(_said(c, ReviewVerdict.MISSED), c.chance) for c in quiet if c.chance is not None]
    return Report(
        counts=dict(Counter((c.tier, c.review.verdict) for c in reviewed if c.review)),
        false_pages=estimate(pages, confidence),
        missed=estimate(sample, confidence),
        missed_outside=sum(_said(c, ReviewVerdict.MISSED) for c in quiet if c.chance is None),
        queue=reviews.waiting(),
    )


def _said(change: JudgedChange, verdict: ReviewVerdict) -> bool:
    return change.review is not None and change.review.verdict is verdict


@dataclass(frozen=True, slots=True)
class Calibration:
    """A proposed page threshold beside the present one, on verdicts and on history.

    `proposed` is None where the verdicts speak for none. `becomes_page` and
    `becomes_ticket` are the changes of the past that would have been told
    otherwise, `history` how many there were.
    """

    verdicts: int
    present: Threshold
    proposed: Threshold | None
    becomes_page: tuple[JudgedChange, ...] = ()
    becomes_ticket: tuple[JudgedChange, ...] = ()
    history: int = 0


def calibrate(services: Services) -> Calibration:
    """Return the threshold that the verdicts on pages and tickets speak for.

    Left out are documents with a threshold of their own, and what was paged
    for a term: no score decided there.
    """
    reviewed = [c for c in _scored(services, services.store.reviews.reviewed()) if c.review]
    judged = [Judged(c.score, _worth_a_page(c)) for c in reviewed]
    threshold = services.settings.rules.page_threshold
    present = effect(judged, PAGE_SCORE if threshold is None else threshold)
    proposed = propose(judged, services.settings.review.false_page_budget)
    if proposed is None:
        return Calibration(len(judged), present, None)
    history = _scored(services, services.store.reviews.scores())
    low, high = sorted((present.value, proposed.value))
    between = tuple(c for c in history if low <= c.score < high)
    rises = proposed.value < present.value
    return Calibration(
        len(judged),
        present,
        proposed,
        becomes_page=between if rises else (),
        becomes_ticket=() if rises else between,
        history=len(history),
    )


def apply_threshold(services: Services, config: Path, found: Calibration, *, actor: str) -> None:
    """Write the proposed threshold into the service file, and record who did so.

    Raises:
        UsageError: there is nothing to apply.
        ConfigError: the service file cannot be changed.
    """
    if found.proposed is None:
        raise UsageError(
            f"{found.verdicts} verdicts speak for no threshold",
            hint=f"it takes {MIN_VERDICTS}, on pages and tickets: `watcher review list --told`",
        )
    set_number(config, "rules", "page_threshold", found.proposed.value)
    act = OperatorAct(
        at=services.clock.now(),
        actor=actor,
        act="calibrate",
        subject=f"rules.page_threshold {found.present.value} -> {found.proposed.value}",
        reason=f"{found.verdicts} verdicts",
    )
    services.store.acts.record(act)


def _worth_a_page(change: JudgedChange) -> bool:
    """Tell whether a person says that a change was worth a page."""
    assert change.review is not None
    right = ReviewVerdict.RIGHT if change.tier is Tier.PAGE else ReviewVerdict.MISSED
    return change.review.verdict is right


def _scored(services: Services, changes: Iterable[JudgedChange]) -> Sequence[JudgedChange]:
    """Return the changes whose tier the service's threshold decided, or would have."""
    own = {
        entry.document_id
        for entry in services.settings.documents
        if entry.rules.page_threshold is not None
    }
    pages: dict[str, float] = {}
    kept = []
    for change in changes:
        if change.change_class is not ChangeClass.POLICY_BEARING or change.document_id in own:
            continue
        if change.rules not in pages:
            pages[change.rules] = kept_rules(services, change.rules).thresholds.page
        if change.tier is Tier.PAGE and change.score < pages[change.rules]:
            continue
        kept.append(change)
    return kept
