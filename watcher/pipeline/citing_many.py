"""Emitting many citations at once, with an outcome for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from watcher.domain.anchors import Citation, cite
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.quotes import QuoteStep, find_quote
from watcher.domain.text import CanonicalText, Unit
from watcher.errors import UsageError, WatcherError
from watcher.pipeline.citing import EmissionKey, Emitted, check_words, new_emission
from watcher.pipeline.services import Services
from watcher.store.bulk import Use


@dataclass(frozen=True, slots=True)
class Wanted:
    """One emission that is asked for: see `watcher.pipeline.citing.emit`."""

    document: DocumentId
    key: EmissionKey
    version: VersionId | None = None
    ranges: tuple[tuple[int, int], ...] = ()
    unit: Unit = Unit.UTF8
    quote: str = ""


def emit_many(services: Services, wanted: Sequence[Wanted]) -> list[Emitted | WatcherError]:
    """Record that answers cite passages; return what each came to, in order.

    Everything is written in one transaction, and one that is refused stops no
    other. The errors are those of `emit`.
    """
    work = _Work(services)
    made = [work.make(one) for one in wanted]
    uses: list[Use] = []
    for one, found in zip(wanted, made, strict=True):
        if not isinstance(found, WatcherError):
            uses.append((found[0], new_emission(services, one.key)))
    written = iter(services.store.bulk.emit(uses) if uses else [])
    answers: list[Emitted | WatcherError] = []
    for found in made:
        if isinstance(found, WatcherError):
            answers.append(found)
            continue
        citation, step = found
        emission = next(written)
        if isinstance(emission, WatcherError):
            answers.append(emission)
            continue
        current = work.current(citation.document_id) == citation.version
        answers.append(Emitted(citation, emission, current, step))
    return answers


class _Work:
    """Reads each text and each current version once for all that cite it."""

    def __init__(self, services: Services) -> None:
        self._versions = services.store.versions
        self._current: dict[DocumentId, VersionId | None] = {}
        self._texts: dict[tuple[DocumentId, VersionId], CanonicalText] = {}

    def current(self, document: DocumentId) -> VersionId | None:
        if document not in self._current:
            found = self._versions.current(document)
            self._current[document] = found.version if found else None
        return self._current[document]

    def make(self, one: Wanted) -> tuple[Citation, QuoteStep | None] | WatcherError:
        """Return the citation that is asked for, or why there can be none."""
        try:
            check_words(one.key, one.quote)
            if bool(one.ranges) == bool(one.quote):
                raise UsageError("nothing to cite, or two things", hint="give ranges or a quote")
            text = self._text(one)
            if not one.quote:
                return cite(text, one.document, one.ranges, one.unit), None
            match = find_quote(text, one.quote)
            return cite(text, one.document, match.ranges), match.step
        except WatcherError as error:
            return error

    def _text(self, one: Wanted) -> CanonicalText:
        version = one.version or self.current(one.document)
        if version is None:
            raise UsageError(
                "no version has been captured yet",
                document_id=one.document,
                hint=f"run `watcher check {one.document}` first",
            )
        place = one.document, version
        if place not in self._texts:
            self._texts[place] = self._versions.text(*place)
        return self._texts[place]
