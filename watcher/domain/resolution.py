"""The closed list of ways in which a citation fails to resolve.

One table, used for exit codes, API status and metric reasons. There is no
best-effort answer: whatever is not proven is one of these errors.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, NamedTuple

from watcher.errors import WatcherError


class Reason(StrEnum):
    """The name of a resolution error, the same in code, API and metrics."""

    FORBIDDEN = "forbidden"
    UNKNOWN_DOCUMENT = "unknown_document"
    UNKNOWN_VERSION = "unknown_version"
    VERSION_PURGED = "version_purged"
    UNIT_INVALID = "unit_invalid"
    RANGE_INVALID = "range_invalid"
    PAGE_MISMATCH = "page_mismatch"
    ANCHOR_MISMATCH = "anchor_mismatch"
    HASH_MISMATCH = "hash_mismatch"
    UNREADABLE = "unreadable"


class Sli(StrEnum):
    """Whether a failure counts against the citation-resolution SLI."""

    NEVER = "never"
    IF_STORED = "if_stored"
    ALWAYS = "always"
    INDETERMINATE = "indeterminate"


class ReasonFacts(NamedTuple):
    """What one reason means to a caller: HTTP status, exit code, SLI."""

    http_status: int
    exit_code: int
    sli: Sli


REASONS: dict[Reason, ReasonFacts] = {
    Reason.FORBIDDEN: ReasonFacts(403, 10, Sli.NEVER),
    Reason.UNKNOWN_DOCUMENT: ReasonFacts(404, 11, Sli.NEVER),
    Reason.UNKNOWN_VERSION: ReasonFacts(404, 12, Sli.IF_STORED),
    Reason.VERSION_PURGED: ReasonFacts(410, 13, Sli.NEVER),
    Reason.UNIT_INVALID: ReasonFacts(400, 14, Sli.IF_STORED),
    Reason.RANGE_INVALID: ReasonFacts(400, 15, Sli.IF_STORED),
    Reason.PAGE_MISMATCH: ReasonFacts(409, 16, Sli.IF_STORED),
    Reason.ANCHOR_MISMATCH: ReasonFacts(409, 17, Sli.IF_STORED),
    Reason.HASH_MISMATCH: ReasonFacts(500, 18, Sli.ALWAYS),
    Reason.UNREADABLE: ReasonFacts(503, 75, Sli.INDETERMINATE),
}


class ResolutionError(WatcherError):
    """A citation or an anchor does not resolve; `reason` says why."""

    reason: ClassVar[Reason]

    @property
    def http_status(self) -> int:
        """The API status of this reason."""
        return REASONS[self.reason].http_status

    def counts(self, *, stored: bool) -> bool:
        """Tell whether it counts against the SLI; `stored`: an emitted citation."""
        sli = REASONS[self.reason].sli
        return sli is Sli.ALWAYS or (sli is Sli.IF_STORED and stored)


class ForbiddenError(ResolutionError):
    """The caller has no grant for that document, whether it exists or not."""

    reason, code, exit_code = Reason.FORBIDDEN, "forbidden", 10


class UnknownDocumentError(ResolutionError):
    """No document has that id."""

    reason, code, exit_code = Reason.UNKNOWN_DOCUMENT, "unknown_document", 11


class UnknownVersionError(ResolutionError):
    """The document never had that version."""

    reason, code, exit_code = Reason.UNKNOWN_VERSION, "unknown_version", 12


class VersionPurgedError(ResolutionError):
    """The version was purged; the message carries its tombstone."""

    reason, code, exit_code = Reason.VERSION_PURGED, "version_purged", 13


class UnitInvalidError(ResolutionError):
    """The offsets have no known unit."""

    reason, code, exit_code = Reason.UNIT_INVALID, "unit_invalid", 14


class RangeInvalidError(ResolutionError):
    """The range is empty, reversed, out of bounds, inside a character or across a page."""

    reason, code, exit_code = Reason.RANGE_INVALID, "range_invalid", 15


class PageMismatchError(ResolutionError):
    """The range is not on the page that the anchor names."""

    reason, code, exit_code = Reason.PAGE_MISMATCH, "page_mismatch", 16


class AnchorMismatchError(ResolutionError):
    """The text is intact and the anchor's hash does not fit it."""

    reason, code, exit_code = Reason.ANCHOR_MISMATCH, "anchor_mismatch", 17


class HashMismatchError(ResolutionError):
    """Stored bytes are not what their name says: evidence is damaged."""

    reason, code, exit_code = Reason.HASH_MISMATCH, "hash_mismatch", 18


class UnreadableError(ResolutionError):
    """The store cannot tell now."""

    reason, code, exit_code = Reason.UNREADABLE, "unreadable", 75
