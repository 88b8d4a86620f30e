"""Emitting citations, by range or by quote, and resolving them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from watcher.domain.anchors import Citation, cite, parse_anchor
from watcher.domain.ids import DocumentId, VersionId, is_citation_id
from watcher.domain.quotes import QuoteStep, find_quote
from watcher.domain.resolution import AnchorMismatchError, ResolutionError
from watcher.domain.text import Unit
from watcher.errors import UsageError
from watcher.metrics import ResolveSource
from watcher.pipeline.services import Services
from watcher.store.errors import UnknownCitationError
from watcher.store.rows import Emission, NewEmission, Resolution

_LONGEST_WORD = 1000
"""Characters of a caller, an answer's id or a label at most: alerts repeat them."""


@dataclass(frozen=True, slots=True)
class EmissionKey:
    """Who used the citation, in which answer, as its how-manieth; and their labels."""

    caller: str
    answer_id: str
    ordinal: int = 0
    answer_sha256: str = ""
    application: str = ""
    model: str = ""
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Emitted:
    """What an emission gave; `step` says how a quote was found, None for a range."""

    citation: Citation
    emission: Emission
    current: bool
    step: QuoteStep | None


def emit(
    services: Services,
    document: DocumentId,
    key: EmissionKey,
    *,
    version: VersionId | None = None,
    ranges: Sequence[tuple[int, int]] = (),
    unit: Unit = Unit.UTF8,
    quote: str = "",
) -> Emitted:
    """Record that an answer cites a passage; idempotent by the emission's key.

    Without `version` the current one is cited. Give ranges or a quote, not both.

    Raises:
        UsageError: both or neither of ranges and quote, no version to cite, or a
            key that is empty, too long or cannot be stored as it is.
        ResolutionError: no such version, or a range that no anchor may have.
        QuoteNotFoundError, QuoteAmbiguousError: the quote has not one place.
        EmissionConflictError: the key was used for another citation.
    """
    check_words(key, quote)
    if bool(ranges) == bool(quote):
        raise UsageError("nothing to cite, or two things", hint="give ranges or a quote")
    store = services.store
    current = store.versions.current(document)
    if version is None:
        if current is None:
            raise UsageError(
                "no version has been captured yet",
                document_id=document,
                hint=f"run `watcher check {document}` first",
            )
        version = current.version
    text = store.versions.text(document, version)
    step = None
    if quote:
        match = find_quote(text, quote)
        ranges, step, unit = match.ranges, match.step, Unit.UTF8
    citation = cite(text, document, ranges, unit)
    emission = store.citations.emit(citation, new_emission(services, key))
    return Emitted(citation, emission, current is not None and current.version == version, step)


def new_emission(services: Services, key: EmissionKey) -> NewEmission:
    """Return the use of a citation now, which counts for as long as the settings say."""
    now = services.clock.now()
    return NewEmission(
        key.caller,
        key.answer_id,
        key.ordinal,
        at=now,
        expires_at=now + services.settings.citations.expire_after,
        answer_sha256=key.answer_sha256,
        application=key.application,
        model=key.model,
        labels=key.labels,
    )


def check_words(key: EmissionKey, quote: str) -> None:
    """Refuse what could not be stored as it was given: two keys would become one."""
    given = [("caller", key.caller), ("answer", key.answer_id), ("quote", quote)]
    given += [("answer_sha256", key.answer_sha256), ("application", key.application)]
    given += [("model", key.model), *(("label", part) for pair in key.labels for part in pair)]
    for name, value in given:
        if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise UsageError(f"the {name} is not valid Unicode text", hint="send it as UTF-8")
        if name != "quote" and len(value) > _LONGEST_WORD:
            raise UsageError(
                f"the {name} has {len(value)} characters", hint=f"use at most {_LONGEST_WORD}"
            )
    if not key.caller or not key.answer_id:
        raise UsageError("the caller or the answer has no name", hint="give both an id")
    if not 0 <= key.ordinal < 2**31:
        raise UsageError(f"{key.ordinal} is not an ordinal", hint="count from 0")


def resolve(services: Services, what: str) -> Resolution:
    """Return the exact passages of a citation id or of an anchor (a JSON object).

    Raises:
        UnknownCitationError: no citation was emitted under that id.
        UsageError: `what` is neither.
        ResolutionError: one of the contract's list; nothing is guessed.
    """
    try:
        resolution = _resolve(services, what)
    except ResolutionError as error:
        services.metrics.citation_resolved(ResolveSource.CALLER, error.reason)
        raise
    services.metrics.citation_resolved(ResolveSource.CALLER, None)
    return resolution


def _check_named(services: Services, made: Citation, named: object) -> None:
    """Refuse an anchor that names a citation which it is not a segment of.

    Raises:
        AnchorMismatchError: the id is another citation's, or nobody's.
    """
    if named is None or named == made.citation_id:
        return
    if isinstance(named, str) and is_citation_id(named):
        try:
            stored = services.store.citations.get(named).citation
        except UnknownCitationError:
            stored = None
        same = stored and (stored.document_id, stored.version) == (made.document_id, made.version)
        if stored and same and made.segments[0].range in {s.range for s in stored.segments}:
            return
    raise AnchorMismatchError(
        f"the anchor is no segment of the citation {str(named)[:60]!r}",
        document_id=made.document_id,
        hint="give the anchor as it was emitted, or leave the citation_id out",
    )


def _resolve(services: Services, what: str) -> Resolution:
    if is_citation_id(what):
        return services.store.citations.resolve(what)
    try:
        fields = json.loads(what)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UsageError(
            f"{what[:60]!r} is neither a citation id nor an anchor",
            hint="give c1… or the watcher.anchor/1 object as it was emitted",
        )
    anchor = parse_anchor(fields)
    text = services.store.versions.text(anchor.document_id, anchor.version)
    start, end = (text.to_bytes(offset, anchor.unit) for offset in (anchor.start, anchor.end))
    text.check_range(start, end)
    made = cite(text, anchor.document_id, [(start, end)])
    (segment,) = made.segments
    given = replace(segment, page=anchor.page, sha256=anchor.sha256)
    _check_named(services, made, fields.get("citation_id"))
    return services.store.citations.resolve_anchor(
        Citation(anchor.document_id, anchor.version, (given,))
    )
