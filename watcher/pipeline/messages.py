"""What an alert says: cut from the versions at the moment it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from watcher.alert.message import AlertMessage, Answer, Excerpt, Passage, TouchedCitation
from watcher.alert.notice import Notice, NoticeKind
from watcher.alert.render import Message
from watcher.domain.changes import Classification, Hunk
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.reviews import DateStatus
from watcher.domain.text import CanonicalText
from watcher.pipeline.explain import explain
from watcher.pipeline.services import Services
from watcher.pipeline.touched import touched_citations
from watcher.store.rows import Affected, Alert, AlertKind, Change

_CONTEXT = 240
"""Bytes shown on either side of what changed, cut at a sentence or a word."""
_EXCERPTS = 40


@dataclass(frozen=True, slots=True)
class Sides:
    """The two texts of a change."""

    old: CanonicalText
    new: CanonicalText


def build_message(services: Services, alert: Alert) -> Message:
    """Return what an alert says.

    Raises:
        ResolutionError: a version that the alert needs cannot be read.
    """
    if alert.change_id is None:
        return notice(services, alert)
    store = services.store
    change = store.changes.get(alert.change_id)
    judged, sides = explain(services, change)
    entry = services.entries.get(change.document_id)
    document = store.documents.get(change.document_id)
    affected = touched_citations(services, change)
    return AlertMessage(
        change_id=change.change_id,
        document_id=change.document_id,
        title=document.title,
        owner=entry.owner if entry else "",
        change_class=judged.change_class,
        tier=judged.tier,
        severity=alert.severity,
        headline=_headline(judged, alert),
        reasons=judged.explanation,
        facets=judged.facets,
        from_version=change.from_version,
        to_version=change.to_version,
        excerpts=tuple(excerpts(change, judged, Sides(*sides)))[:_EXCERPTS],
        citations=tuple(touched(item) for item in affected),
        observed_at=change.at.isoformat(timespec="seconds"),
        link=link_of(services, change),
        unconfirmed=alert.unconfirmed,
    )


def notice(services: Services, alert: Alert) -> Notice:
    """Return the notice of an alert about what is no change."""
    document = services.store.documents.get(alert.document_id)
    entry = services.entries.get(alert.document_id)
    message, hint = _said(services, alert)
    return Notice(
        event_id=alert.event_id,
        kind=NoticeKind(alert.kind.value),
        document_id=alert.document_id,
        title=document.title,
        owner=entry.owner if entry else "",
        severity=alert.severity,
        reason=alert.reason,
        message=message,
        hint=hint,
        observed_at=alert.created_at.isoformat(timespec="seconds"),
        link=document_link(services, alert.document_id),
    )


def _said(services: Services, alert: Alert) -> tuple[str, str]:
    """Return what a notice says, and what to do."""
    match alert.kind:
        case AlertKind.SERVICE:
            return alert.reason, f"follow the runbook {alert.reason.partition('/')[0]}"
        case AlertKind.RECOVERED:
            budget = "/" in alert.reason
            return f"{alert.reason} is over" + ("" if budget else ": it is seen again"), ""
        case AlertKind.RULE_EXPIRES:
            return (
                f"the ignore pattern {alert.reason} ends",
                "give it a new date if it is still right: it silences nothing after that",
            )
        case AlertKind.DATE_DUE:
            return _date_due(services, alert)
    newest = services.store.observations.newest(alert.document_id)
    if newest is None:
        return alert.reason, ""
    return newest.verdict.message or alert.reason, newest.verdict.hint


def _date_due(services: Services, alert: Alert) -> tuple[str, str]:
    found = services.store.dates.get(int(alert.reason))
    said = f"version {found.version[:19]} takes effect on {found.day}"
    if found.status is DateStatus.CONFIRMED:
        return f"{said}, confirmed by {found.actor}", ""
    return (
        f"{said}, as its text says and nobody confirmed",
        f"confirm it: watcher dates confirm {found.document_id} {found.day}",
    )


def document_link(services: Services, document_id: DocumentId) -> str:
    """Return what opens a document: a URL, or the command where no viewer is configured."""
    base = services.settings.links.base
    return f"{base.rstrip('/')}/documents/{document_id}" if base else f"watcher show {document_id}"


def _headline(judged: Classification, alert: Alert) -> str:
    return f"Reverted: {judged.headline}" if alert.reason == "reverted" else judged.headline


def link_of(services: Services, change: Change) -> str:
    """Return what opens the change: a URL, or the command where no viewer is configured."""
    base = services.settings.links.base
    if base:
        return f"{base.rstrip('/')}/changes/{change.change_id}"
    return f"watcher diff {change.document_id} --change {change.change_id[:12]}"


def touched(affected: Affected) -> TouchedCitation:
    """Return a citation that does not carry, with the answers that used it."""
    return TouchedCitation(
        affected.citation.citation.citation_id,
        affected.statement.status,
        tuple(Answer(e.caller, e.answer_id, e.ordinal) for e in affected.emissions),
    )


def excerpts(change: Change, judged: Classification, sides: Sides) -> Iterator[Excerpt]:
    """Yield the hunks with their passages, what bears most first."""
    for hunk in sorted(judged.hunks, key=lambda h: (-h.change_class.rank, h.new, h.old)):
        why = next((a.why for a in hunk.atoms if a.change_class is hunk.change_class), "")
        yield Excerpt(
            _passage(sides.old, change.from_version, _focus(sides.old, hunk, old=True)),
            _passage(sides.new, change.to_version, _focus(sides.new, hunk, old=False)),
            hunk.change_class,
            why,
        )


def _passage(text: CanonicalText, version: VersionId, place: Range) -> Passage | None:
    if place.length <= 0:
        return None
    cut = text.data[place.start : place.end].decode()
    return Passage(version, text.page_of(place.start), place.start, place.end, cut)


def _focus(text: CanonicalText, hunk: Hunk, *, old: bool) -> Range:
    """Return the part of a hunk around what changed, so that clipping never hides it."""
    block = hunk.old if old else hunk.new
    atoms = [a.old if old else a.new for a in hunk.atoms if a.change_class is hunk.change_class]
    if block.length <= 2 * _CONTEXT or not atoms:
        return block
    first = min(atom.start for atom in atoms)
    last = max(atom.end for atom in atoms)
    start = max(block.start, first - _CONTEXT)
    end = min(block.end, last + _CONTEXT)
    return Range(
        _after_space(text.data, start, first, block.start),
        _before_space(text.data, end, last, block.end),
    )


def _after_space(data: bytes, start: int, limit: int, floor: int) -> int:
    """Return the start of a word in `start:limit`: a byte after white space."""
    if start == floor:
        return start
    for position in range(start, limit):
        if data[position] in b" \n":
            return position + 1
    return limit


def _before_space(data: bytes, end: int, limit: int, ceiling: int) -> int:
    """Return the end of a word in `limit:end`: a byte that is white space."""
    if end == ceiling:
        return end
    for position in range(end, limit, -1):
        if data[position] in b" \n":
            return position
    return limit
