"""Tokens and triage as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from watcher.domain.ids import DocumentId


@dataclass(frozen=True, slots=True)
class NewApiToken:
    """A token to be added, by the SHA-256 (hex) of its secret."""

    name: str
    sha256: str
    scopes: tuple[str, ...]
    groups: tuple[str, ...]
    everything: bool
    at: datetime
    actor: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A stored token; `everything`: it may see every document."""

    name: str
    sha256: str
    scopes: tuple[str, ...]
    groups: tuple[str, ...]
    everything: bool
    created_at: datetime
    created_by: str
    expires_at: datetime
    revoked_at: datetime | None


class Disposition(StrEnum):
    """What a change asks of the organisation."""

    OPEN = ""
    NOT_APPLICABLE = "not_applicable"
    ACTION_NEEDED = "action_needed"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Triage:
    """What a person made of a change, whole: the newest of a change is how it stands.

    `due` is an ISO date or empty, `ticket` the URL of a ticket elsewhere or empty.
    """

    change_id: str
    document_id: DocumentId
    at: datetime
    actor: str
    assignee: str = ""
    disposition: Disposition = Disposition.OPEN
    due: str = ""
    ticket: str = ""
    note: str = ""
    number: int = 0
