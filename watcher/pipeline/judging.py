"""The classifier, called with what the pipeline knows of a change."""

from __future__ import annotations

from dataclasses import replace

from watcher.align import TextMap
from watcher.classify import Annotations, Context, Heading, classify, classify_whole
from watcher.domain.annotations import normalised_target
from watcher.domain.changes import Classification
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.reading import Reading
from watcher.domain.text import CanonicalText
from watcher.pipeline.maps import map_between
from watcher.pipeline.ruling import RuleSet, rules_for
from watcher.pipeline.services import Services
from watcher.store.rows import Change


def judge_change(
    services: Services,
    change: Change,
    readings: tuple[Reading | None, Reading],
    text_map: TextMap,
    rules: RuleSet,
) -> Classification:
    """Return the classification of a change under `rules`, with its words.

    `readings` are those that it comes from (None: its text was purged, and
    reads as empty) and leads to. The same inputs give the same answer, so it
    can be computed again to be shown.
    """
    known = services.judged.get(change.change_id)
    if known is not None and known.rules == rules.digest:
        return known
    before, after = readings
    entry = services.entries.get(change.document_id)
    context = Context(
        language=(entry.language if entry else "") or after.language,
        old_headings=_headings(before) if before else (),
        new_headings=_headings(after),
        rules=rules.user,
        thresholds=rules.thresholds,
    )
    beside = (_annotations(before) if before else Annotations(), _annotations(after))
    texts = (before.text.data if before else b"", after.text.data)
    judged = classify_whole(texts, text_map, context, beside)
    judged = replace(judged, rules=rules.digest)
    services.judged.keep(change.change_id, judged)
    return judged


def readings_of(
    services: Services, document_id: DocumentId, versions: tuple[VersionId, VersionId]
) -> tuple[Reading, Reading] | None:
    """Return the newest readings that gave two versions, None where one is not there."""
    captures = services.store.captures
    old, new = (captures.source_of(document_id, version) for version in versions)
    if old is None or new is None:
        return None
    return captures.reading(old), captures.reading(new)


def judge_versions(
    services: Services,
    document_id: DocumentId,
    old: CanonicalText,
    new: CanonicalText,
    readings: tuple[Reading, Reading] | None = None,
) -> Classification:
    """Return the classification between any two versions, under the rules of today.

    `readings` are those of the two texts, for their headings and language.
    """
    entry, rules = services.entries.get(document_id), rules_for(services, document_id)
    context = Context(
        language=(entry.language if entry else "") or (readings[1].language if readings else ""),
        old_headings=_headings(readings[0]) if readings else (),
        new_headings=_headings(readings[1]) if readings else (),
        rules=rules.user,
        thresholds=rules.thresholds,
    )
    text_map = map_between(services, document_id, old, new)
    judged = classify(old.data, new.data, text_map, context)
    return replace(judged, rules=rules.digest)


def _annotations(reading: Reading) -> Annotations:
    """Return what stands beside a text; a reading does not say where its images stand."""
    return Annotations(
        links=tuple((link.range, normalised_target(link.target)) for link in reading.links),
        struck=reading.struck,
        images=tuple((Range(0, 0), image) for image in reading.images),
    )


def _headings(reading: Reading) -> tuple[Heading, ...]:
    data = reading.text.data
    return tuple(
        Heading(h.range, h.level, data[h.range.start : h.range.end].decode().strip())
        for h in reading.headings
    )
