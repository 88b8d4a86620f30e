"""Silences and backups as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from watcher.domain.ids import DocumentId
from watcher.store.rows.work import Alert, AlertKind


@dataclass(frozen=True, slots=True)
class NewSilence:
    """Which alerts are to call nobody from `at` until `ends_at`, why, at whose word.

    An alert is meant where everything that is given fits: its document, its
    kind, its event's key. At least one is given.
    """

    at: datetime
    ends_at: datetime
    actor: str
    reason: str
    document_id: DocumentId | None = None
    kind: AlertKind | None = None
    key: str = ""

    def matches(self, alert: Alert) -> bool:
        """Tell whether `alert` is one of those meant, whatever the time."""
        return (
            self.document_id in {None, alert.document_id}
            and self.kind in {None, alert.kind}
            and self.key in {"", alert.event_id}
        )


@dataclass(frozen=True, slots=True)
class Silence:
    """A stored silence; `remote` names the same one at other programs, by channel."""

    number: int
    said: NewSilence
    ended_at: datetime | None = None
    ended_by: str = ""
    remote: Mapping[str, str] = field(default_factory=dict)

    def holds(self, now: datetime) -> bool:
        """Tell whether it holds at `now`."""
        return self.ended_at is None and self.said.at <= now < self.said.ends_at


@dataclass(frozen=True, slots=True)
class SavedBackup:
    """That a verified copy was made; `sha256` is that of its list of files."""

    at: datetime
    target: str
    sha256: str
    blobs: int
