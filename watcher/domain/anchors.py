"""Anchors and citations: made from a text, and checked against one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from watcher.domain.ids import (
    CitationId,
    DocumentId,
    VersionId,
    citation_id,
    document_id,
    version_id,
)
from watcher.domain.ranges import Range
from watcher.domain.resolution import (
    AnchorMismatchError,
    HashMismatchError,
    PageMismatchError,
    RangeInvalidError,
)
from watcher.domain.text import CanonicalText, Unit
from watcher.errors import UsageError

ANCHOR_SCHEMA = "watcher.anchor/1"
_SHOWN = 60
"""Characters of a wrong field that a message repeats."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One range of a citation with its page (from 1) and the SHA-256 of its bytes."""

    page: int
    start: int
    end: int
    sha256: str

    @property
    def range(self) -> Range:
        """The byte range."""
        return Range(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A `watcher.anchor/1` object; start and end are in `unit`."""

    document_id: DocumentId
    version: VersionId
    page: int
    start: int
    end: int
    unit: Unit
    sha256: str


@dataclass(frozen=True, slots=True)
class Citation:
    """An immutable passage of one version: one segment, or several in order."""

    document_id: DocumentId
    version: VersionId
    segments: tuple[Segment, ...]

    @property
    def citation_id(self) -> CitationId:
        """The id that anyone can recompute from document, version and ranges."""
        return citation_id(
            self.document_id, self.version, ((s.start, s.end) for s in self.segments)
        )

    def anchors(self) -> tuple[dict[str, str | int], ...]:
        """Return the `watcher.anchor/1` objects, one for each segment."""
        return tuple(
            {
                "schema": ANCHOR_SCHEMA,
                "document_id": self.document_id,
                "version": self.version,
                "page": segment.page,
                "start": segment.start,
                "end": segment.end,
                "unit": Unit.UTF8.value,
                "sha256": segment.sha256,
                "citation_id": self.citation_id,
            }
            for segment in self.segments
        )


def cite(
    text: CanonicalText,
    document: DocumentId,
    ranges: Iterable[tuple[int, int]],
    unit: Unit = Unit.UTF8,
) -> Citation:
    """Return the citation of `ranges` (start, end in `unit`, in the order of the text).

    Raises:
        RangeInvalidError: a range that no anchor may have, or none at all; one
            that begins before the last has ended.
    """
    segments: list[Segment] = []
    for given_start, given_end in ranges:
        start, end = text.to_bytes(given_start, unit), text.to_bytes(given_end, unit)
        text.check_range(start, end)
        if segments and start < segments[-1].end:
            raise RangeInvalidError(
                f"range {start}:{end} begins before {segments[-1].end}, where the last one ends",
                hint="give the segments in the order of the text, each byte once",
            )
        segments.append(Segment(text.page_of(start), start, end, text.sha256(start, end)))
    if not segments:
        text.check_range(0, 0)
    return Citation(document, text.version, tuple(segments))


def parse_anchor(fields: Mapping[str, object]) -> Anchor:
    """Return the anchor that a `watcher.anchor/1` object names, its form checked.

    What only a text can tell (range, boundaries, page, hash) is not checked here.

    Raises:
        UnitInvalidError: no unit, or an unknown one.
        UsageError: a field is missing, or not of its type or form.
    """
    if fields.get("schema") != ANCHOR_SCHEMA:
        raise UsageError(
            f"schema {_shown(fields.get('schema'))} is not {ANCHOR_SCHEMA}",
            hint="give the anchor object as it was emitted",
        )
    unit = fields.get("unit")
    kinds: dict[str, type] = {
        "document_id": str,
        "version": str,
        "sha256": str,
        "page": int,
        "start": int,
        "end": int,
    }
    for name, kind in kinds.items():
        if type(fields.get(name)) is not kind:
            raise UsageError(
                f"anchor field {name!r} is {_shown(fields.get(name))}, not {kind.__name__}",
                hint="give the anchor object as it was emitted",
            )
    return Anchor(
        document_id(str(fields["document_id"])),
        version_id(str(fields["version"])),
        int(str(fields["page"])),
        int(str(fields["start"])),
        int(str(fields["end"])),
        Unit.parse(unit if isinstance(unit, str) else None),
        str(fields["sha256"]),
    )


def _shown(value: object) -> str:
    """Return what a message shows of a field that somebody sent: never all of it."""
    if isinstance(value, (list, dict)):
        return f"a {type(value).__name__}"
    return repr(value[:_SHOWN] if isinstance(value, str) else value)


def resolve_anchor(text: CanonicalText, anchor: Anchor) -> bytes:
    """Return the exact bytes that `anchor` names in its version, or fail closed.

    Raises:
        ResolutionError: one of the contract's list; see `resolve_segment`.
    """
    segment = Segment(
        anchor.page,
        text.to_bytes(anchor.start, anchor.unit),
        text.to_bytes(anchor.end, anchor.unit),
        anchor.sha256,
    )
    return resolve_segment(text, anchor.version, segment, anchor.document_id)


def resolve_segment(
    text: CanonicalText, version: VersionId, segment: Segment, document: str | None = None
) -> bytes:
    """Return the exact bytes that `segment` cites, or fail closed.

    The order is the contract's: the text is what its name says, the range is
    valid, the page agrees, the hash fits. Nothing is returned before all hold.

    Raises:
        HashMismatchError: `text` is not the version that it is stored as.
        RangeInvalidError: the range is not one that an anchor may have.
        PageMismatchError: the page does not hold the range.
        AnchorMismatchError: the hash does not fit the intact text.
    """
    if text.version != version:
        raise HashMismatchError(
            f"the stored text of {version} hashes to {text.version}",
            document_id=document,
            hint="evidence is damaged: run `watcher verify`, then restore it from a backup",
        )
    text.check_range(segment.start, segment.end)
    page = text.page_of(segment.start)
    if page != segment.page:
        raise PageMismatchError(
            f"{segment.start}:{segment.end} is on page {page}, not {segment.page}",
            document_id=document,
            hint="cite the passage again",
        )
    passage = text.data[segment.start : segment.end]
    if hashlib.sha256(passage).hexdigest() != segment.sha256:
        raise AnchorMismatchError(
            f"the hash of {segment.start}:{segment.end} does not fit the intact text",
            document_id=document,
            hint="the anchor was altered or made for another text: cite the passage again",
        )
    return passage
