"""Citations, their uses, and statements about them as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from watcher.domain.anchors import Citation
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.statements import Statement
from watcher.store.rows.evidence import Standing


class HoldKind(StrEnum):
    """A pin keeps a citation live; a hold also keeps its text from a purge."""

    PIN = "pin"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class NewEmission:
    """A use of a citation; its key is (caller, answer_id, ordinal)."""

    caller: str
    answer_id: str
    ordinal: int
    at: datetime
    expires_at: datetime
    answer_sha256: str = ""
    application: str = ""
    model: str = ""
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Emission:
    """A stored use of a citation. `new` is False where the key was there already."""

    number: int
    citation_id: str
    caller: str
    answer_id: str
    ordinal: int
    at: datetime
    expires_at: datetime
    answer_sha256: str
    application: str
    model: str
    labels: tuple[tuple[str, str], ...]
    withdrawn_at: datetime | None
    new: bool = False


@dataclass(frozen=True, slots=True)
class StoredCitation:
    """A citation with its number in the store, which pages a listing."""

    number: int
    citation: Citation
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Resolution:
    """The exact bytes of a citation's segments, and how its version stands."""

    citation: Citation
    passages: tuple[bytes, ...]
    standing: Standing
    since: datetime


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """A statement about one citation in one version."""

    citation_id: str
    version: VersionId
    statement: Statement
    at: datetime


@dataclass(frozen=True, slots=True)
class Affected:
    """A live citation that a change does not carry, and the answers that used it."""

    citation: StoredCitation
    statement: Statement
    emissions: tuple[Emission, ...]


@dataclass(frozen=True, slots=True)
class Hold:
    """A pin or a hold on a citation, a version or a document."""

    number: int
    kind: HoldKind
    document_id: DocumentId
    version: VersionId | None
    citation_id: str | None
    at: datetime
    actor: str
    reason: str
    released_at: datetime | None
