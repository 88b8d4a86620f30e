"""What readers of histories give."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from watcher.domain.ids import VersionId
from watcher.domain.verdicts import Verdict
from watcher.errors import UsageError

MAX_BYTES = 64 * 1024 * 1024
"""The largest state that is read."""
MAX_STATES = 20_000
"""The most states of one history."""


class HistoryError(UsageError):
    """The history cannot be read as a whole."""

    code = "history"


@dataclass(frozen=True, slots=True)
class Past:
    """The bytes of a document at a time that somebody claims (aware, UTC).

    `where` names it in its source, for people; `url` is what the store keeps
    as its address: a file's name, or the URL of an archived answer.
    """

    where: str
    claimed_at: datetime
    url: str
    body: bytes
    content_type: str = ""
    http_status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A state that its source cannot give: where it stands, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one state. `version` is None where it was left out."""

    where: str
    claimed_at: datetime | None
    verdict: Verdict | None
    version: VersionId | None = None
    capture_id: str | None = None
    new: bool = False
    why: str = ""
