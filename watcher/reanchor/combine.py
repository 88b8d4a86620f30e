"""One statement for a citation of several segments, and for a chain of versions."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain.statements import Statement, Status

_UNDECIDED = (Status.NOT_COMPUTED, Status.AMBIGUOUS)


def combine(segments: Sequence[Statement]) -> Statement:
    """Return the statement of a whole citation from those of its segments, in order.

    It is as good as its worst segment: one that is undecided leaves the whole
    without a place, and one that is gone makes what is left an edited passage,
    materially so. Only when every segment is gone is the citation gone.
    """
    if len(segments) == 1:
        return segments[0]
    for status in _UNDECIDED:
        for segment in segments:
            if segment.status is status:
                candidates = tuple(r for s in segments for r in (*s.ranges, *s.candidates))
                return _merged(segments, status)._replace(ranges=(), candidates=candidates)
    statuses = {segment.status for segment in segments}
    if statuses == {Status.GONE}:
        return _merged(segments, Status.GONE)
    if statuses == {Status.UNCHANGED}:
        return _merged(segments, Status.UNCHANGED)
    if statuses <= {Status.UNCHANGED, Status.MOVED}:
        return _merged(segments, Status.MOVED)
    status = Status.SPLIT if statuses & {Status.SPLIT} else Status.EDITED
    material = Status.GONE in statuses or any(s.material for s in segments)
    return _merged(segments, status)._replace(material=material)


def _merged(segments: Sequence[Statement], status: Status) -> Statement:
    """Return a statement whose measures are the weakest of the segments'."""
    moved = [s for s in segments if s.how is not None]
    return Statement(
        status,
        ranges=tuple(r for s in segments for r in s.ranges),
        candidates=tuple(r for s in segments for r in s.candidates),
        how=max((s.how for s in moved if s.how), default=None) if status is Status.MOVED else None,
        context_changed=any(s.context_changed for s in segments),
        similarity=min(s.similarity for s in segments),
        coverage=min(s.coverage for s in segments),
        margin=min(s.margin for s in segments),
        method="+".join(dict.fromkeys(s.method for s in segments)),
        edits=tuple(e for s in segments for e in s.edits),
        algorithm=segments[0].algorithm,
    )


def compare_hops(direct: Statement, hop: Statement | None) -> Statement:
    """Return `direct`, held against what the previous version's place leads to.

    `hop` is the statement of the passage's place in the previous version, None
    where it had none there: then a passage that is found again is the direct
    answer, told as absent in between. Two answers that share no byte make it
    ambiguous: each is a candidate, neither is picked.
    """
    if hop is None:
        return direct._replace(absent_between=True) if direct.ranges else direct
    if not direct.ranges or not hop.ranges:
        return direct
    if any(mine.overlaps(other) for mine in direct.ranges for other in hop.ranges):
        return direct
    return direct._replace(
        status=Status.AMBIGUOUS,
        ranges=(),
        candidates=(*direct.ranges, *hop.ranges),
        material=None,
        how=None,
        margin=0.0,
        method=f"{direct.method}, against the hop",
    )
