"""The classifier, called with what the pipeline knows of a change."""

from __future__ import annotations

from watcher.align import TextMap
from watcher.classify import Context, Heading, classify
from watcher.domain.changes import Classification
from watcher.domain.reading import Reading
from watcher.domain.text import CanonicalText
from watcher.pipeline.services import Services
from watcher.store.rows import Change


def judge_change(
    services: Services, change: Change, old: CanonicalText, new: CanonicalText, text_map: TextMap
) -> Classification:
    """Return the classification of a change, with its words.

    The same inputs give the same answer, so it can be computed again to be shown.
    """
    known = services.judged.get(change.change_id)
    if known is not None:
        return known
    captures = services.store.captures
    before, after = captures.reading(change.from_reading), captures.reading(change.to_reading)
    entry = services.entries.get(change.document_id)
    context = Context(
        language=(entry.language if entry else "") or after.language,
        old_headings=_headings(before),
        new_headings=_headings(after),
    )
    judged = classify(old.data, new.data, text_map, context)
    services.judged.keep(change.change_id, judged)
    return judged


def _headings(reading: Reading) -> tuple[Heading, ...]:
    data = reading.text.data
    return tuple(
        Heading(h.range, h.level, data[h.range.start : h.range.end].decode().strip())
        for h in reading.headings
    )
