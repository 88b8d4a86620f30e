"""The classifier, called with what the pipeline knows of a change."""

from __future__ import annotations

from watcher.align import TextMap
from watcher.classify import Context, classify
from watcher.domain.changes import ChangeKind, Classification
from watcher.domain.text import CanonicalText
from watcher.pipeline.services import Services
from watcher.store.rows import Change


def judge_change(
    services: Services, change: Change, old: CanonicalText, new: CanonicalText, text_map: TextMap
) -> Classification:
    """Return the classification of a change, with its words.

    The same inputs give the same answer, so it can be computed again to be shown.
    """
    captures = services.store.captures
    before, after = captures.reading(change.from_reading), captures.reading(change.to_reading)
    entry = services.entries.get(change.document_id)
    language = (entry.language if entry else "") or after.language
    del before
    assert change.kind is ChangeKind.TEXT
    return classify(old.data, new.data, text_map, Context(language=language))
