"""What the commands of the review loop do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from watcher.classify.calibration import MIN_VERDICTS, Threshold
from watcher.classify.review import Estimate
from watcher.cli.diffing import diff
from watcher.cli.opening import actor, opened
from watcher.cli.output import Row, show_json, show_lines, show_rows, when
from watcher.domain.changes import Tier
from watcher.domain.reviews import ReviewVerdict, fits
from watcher.errors import UsageError
from watcher.pipeline import reviewing
from watcher.pipeline.reviewing import Calibration, Report, apply_threshold
from watcher.pipeline.services import Services
from watcher.pipeline.views import find_change
from watcher.settings.review import ReviewSettings
from watcher.store.rows import JudgedChange

_TOLD = (Tier.PAGE, Tier.TICKET)
_SHOWN = 20
"""Changes of the past that a calibration lists; the rest is counted."""


def list_queue(config: Path, limit: int, *, told: bool, as_json: bool) -> None:
    """Print what waits for a verdict, oldest first."""
    with opened(config) as services:
        rows = [_row(change) for change in _waiting(services, limit, told=told)]
    columns = ["change_id", "document_id", "at", "class", "tier", "score"]
    show_rows(
        rows if as_json else [{**row, "change_id": str(row["change_id"])[:12]} for row in rows],
        as_json=as_json,
        columns=columns,
    )


def show_next(config: Path, *, told: bool, as_json: bool) -> None:
    """Print the redline of what has waited longest, and how to record a verdict."""
    with opened(config) as services:
        waiting = _waiting(services, 1, told=told)
    if not waiting:
        if not as_json:
            show_lines(["nothing waits for a verdict"])
        return
    (change,) = waiting
    diff(config, change.document_id, (None, None), change.change_id, as_json=as_json)
    if not as_json:
        verdicts = " or ".join(v.value for v in ReviewVerdict if fits(v, change.tier))
        short = change.change_id[:12]
        show_lines(["", f"then: watcher review record {short} VERDICT   ({verdicts})"])


def _waiting(services: Services, limit: int, *, told: bool) -> tuple[JudgedChange, ...]:
    reviews = services.store.reviews
    return reviews.unreviewed(_TOLD, limit=limit) if told else reviews.queue(limit=limit)


def record(config: Path, prefix: str, word: str, note: str, *, as_json: bool) -> None:
    """Record a verdict, and print what it was recorded on."""
    try:
        verdict = ReviewVerdict(word)
    except ValueError:
        known = ", ".join(ReviewVerdict)
        raise UsageError(f"{word!r} is not a verdict", hint=f"one of {known}") from None
    with opened(config, write=True) as services:
        change = services.store.reviews.record(
            find_change(services, prefix).change_id,
            verdict,
            at=services.clock.now(),
            actor=actor(),
            note=note,
        )
        if as_json:
            show_json(_row(change))
        else:
            short, tier = change.change_id[:12], change.tier.value
            show_lines([f"recorded {verdict.value}: {short} of {change.document_id}, tier {tier}"])


def report(config: Path, *, as_json: bool) -> None:
    """Print the rates, their intervals, and whether they keep their budgets."""
    with opened(config) as services:
        found, settings = reviewing.report(services), services.settings.review
    if as_json:
        show_json(_report_row(found, settings))
        return
    show_lines(_report_lines(found, settings))


def _report_row(found: Report, settings: ReviewSettings) -> Row:
    return {
        "verdicts": [
            {"tier": tier.value, "verdict": verdict.value, "count": number}
            for (tier, verdict), number in sorted(found.counts.items())
        ],
        "false_page": _estimate_row(found.false_pages, settings.false_page_budget),
        "missed": _estimate_row(found.missed, settings.missed_budget),
        "missed_outside_the_sample": found.missed_outside,
        "confidence": settings.confidence,
        "queue": found.queue,
    }


def _estimate_row(found: Estimate, budget: float) -> Row:
    return {
        "rate": found.rate if found.count else None,
        "lower": found.lower,
        "upper": found.upper,
        "verdicts": found.count,
        "budget": budget,
        "kept": found.within(budget),
    }


def _report_lines(found: Report, settings: ReviewSettings) -> Iterator[str]:
    for tier in Tier:
        said = [(v, found.counts.get((tier, v), 0)) for v in ReviewVerdict if fits(v, tier)]
        yield f"{tier.value:7} " + ", ".join(f"{number} {v.value}" for v, number in said)
    yield ""
    level = f"{settings.confidence:.0%}"
    yield _rate_line("false pages", found.false_pages, settings.false_page_budget, level)
    yield _rate_line("missed", found.missed, settings.missed_budget, level)
    if found.missed_outside:
        yield f"missed and found outside of the sample: {found.missed_outside}"
    yield f"{found.queue} drawn changes wait: watcher review next"


def _rate_line(name: str, found: Estimate, budget: float, level: str) -> str:
    if not found.count:
        return f"{name}: no verdict yet, budget {budget:.1%}"
    kept = {True: "budget kept", False: "BUDGET EXCEEDED", None: "too few verdicts to tell"}
    return (
        f"{name}: {found.rate:.1%} ({level} between {found.lower:.1%} and {found.upper:.1%},"
        f" {found.count} verdicts), budget {budget:.1%}: {kept[found.within(budget)]}"
    )


def calibrate(config: Path, *, apply: bool, as_json: bool) -> None:
    """Print a proposal and its effect on history; write it only when asked to."""
    with opened(config, write=apply) as services:
        found = reviewing.calibrate(services)
        if not as_json:
            show_lines(_calibration_lines(found))
        if apply:
            apply_threshold(services, config, found, actor=actor())
        if as_json:
            show_json(_calibration_row(found, applied=apply))
        elif apply:
            show_lines(["", f"written to {config}; a running daemon takes it on SIGHUP"])


def _calibration_row(found: Calibration, *, applied: bool) -> Row:
    return {
        "verdicts": found.verdicts,
        "present": _threshold_row(found.present),
        "proposed": _threshold_row(found.proposed) if found.proposed else None,
        "history": found.history,
        "becomes_page": [change.change_id for change in found.becomes_page],
        "becomes_ticket": [change.change_id for change in found.becomes_ticket],
        "applied": applied,
    }


def _threshold_row(found: Threshold) -> Row:
    return {
        "page_threshold": found.value,
        "pages": found.pages,
        "false_pages": found.false_pages,
        "missed": found.missed,
    }


def _calibration_lines(found: Calibration) -> Iterator[str]:
    yield f"{found.verdicts} verdicts on pages and tickets"
    yield _threshold_line("present ", found.present)
    if found.proposed is None:
        few = found.verdicts < MIN_VERDICTS
        why = f"it takes {MIN_VERDICTS} verdicts" if few else "none keeps the budget of false pages"
        yield f"no threshold is proposed: {why}"
        return
    yield _threshold_line("proposed", found.proposed)
    moved = found.becomes_page or found.becomes_ticket
    what = "pages instead of tickets" if found.becomes_page else "tickets instead of pages"
    yield f"of {found.history} changes that bore policy, {len(moved)} would have been {what}"
    for change in moved[-_SHOWN:]:
        yield f"  {change.change_id[:12]} {change.document_id} score {change.score:.3f}"


def _threshold_line(name: str, found: Threshold) -> str:
    return (
        f"{name} {found.value}: {found.pages} pages, {found.false_pages} of them false"
        f" ({found.false_rate:.1%}), {found.missed} worth a page and not paged"
    )


def _row(change: JudgedChange) -> Row:
    review = change.review
    return {
        "change_id": change.change_id,
        "document_id": change.document_id,
        "at": when(change.at),
        "class": change.change_class.value,
        "tier": change.tier.value,
        "score": change.score,
        "drawn_with_chance": change.chance,
        "verdict": review.verdict.value if review else None,
        "by": review.actor if review else None,
        "note": review.note if review else None,
    }
