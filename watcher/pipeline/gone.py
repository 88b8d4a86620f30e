"""The last guard before a text is accepted: it must not lose most live citations."""

from __future__ import annotations

from dataclasses import replace

from watcher.domain.reading import Reading
from watcher.domain.statements import Status
from watcher.domain.verdicts import Evidence, Hold, Outcome, Verdict
from watcher.pipeline.at_hand import AtHand
from watcher.reanchor import reanchor
from watcher.store.rows import Current

_ENOUGH = 5
"""Fewer live citations say little about a text."""
_SHARE = 0.6
_SAMPLE = 500


def many_citations_gone(
    at_hand: AtHand, current: Current, reading: Reading, verdict: Verdict
) -> Verdict:
    """Return `verdict`, or a hold where most live citations would be gone.

    Looks at those of the current version, at most a fixed number of them. One
    whose place could not be computed is not there either, as far as anyone knows.
    """
    services = at_hand.services
    live = services.store.citations.live(
        current.document_id, services.clock.now(), after=0, limit=_SAMPLE
    )
    passages = [
        segment.range
        for stored in live
        if stored.citation.version == current.version
        for segment in stored.citation.segments
    ]
    if len(passages) < _ENOUGH or current.version == reading.text.version:
        return verdict
    old = at_hand.reading(current.reading_id).text
    text_map = at_hand.map_between(current.document_id, old, reading.text)
    found = reanchor(old.data, reading.text.data, text_map, passages)
    gone = sum(statement.status is Status.GONE for statement in found)
    unknown = sum(statement.status is Status.NOT_COMPUTED for statement in found)
    if gone + unknown <= _SHARE * len(passages):
        return verdict
    message = f"{gone} of {len(passages)} live citations are gone from this text"
    if unknown:
        message += f", and for {unknown} the texts differ too much to tell"
    return replace(
        verdict,
        outcome=Outcome.HELD,
        reason=Hold.MANY_CITATIONS_GONE,
        message=message,
        hint="compare the two texts, then run `watcher accept` or `watcher reject`",
        evidence=(
            *verdict.evidence,
            Evidence("citations_gone", f"{gone}/{len(passages)}"),
            *([Evidence("citations_not_computed", f"{unknown}/{len(passages)}")] * bool(unknown)),
        ),
    )
