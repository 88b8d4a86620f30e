"""What is told that is no change: a document that cannot be seen, a day that ends, a test."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from watcher.domain.changes import Severity
from watcher.domain.ids import DocumentId


class NoticeKind(StrEnum):
    """What a notice is about."""

    REFUSED = "refused"
    RECOVERED = "recovered"
    HELD = "held"
    WITHDRAWN = "withdrawn"
    RULE_EXPIRES = "rule_expires"
    DATE_DUE = "date_due"
    SERVICE = "service"
    TEST = "test"


_ACTS = {
    NoticeKind.REFUSED: "Look at the source of",
    NoticeKind.RECOVERED: "Note",
    NoticeKind.HELD: "Accept or reject what was captured of",
    NoticeKind.WITHDRAWN: "Find out whether somebody repealed",
    NoticeKind.RULE_EXPIRES: "Renew or drop a rule of",
    NoticeKind.DATE_DUE: "Get ready for",
    NoticeKind.SERVICE: "Look after",
    NoticeKind.TEST: "TEST, do nothing:",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """One fact about one document; it holds no word of any text.

    `reason` is a word of a closed list (a refusal or a hold), the name of a rule
    or the number of a date; `message` is one sentence, `hint` what to do.
    `observed_at` is RFC 3339 in UTC.
    """

    event_id: str
    kind: NoticeKind
    document_id: DocumentId
    title: str
    owner: str
    severity: Severity
    reason: str
    message: str
    hint: str
    observed_at: str
    link: str

    @property
    def first_line(self) -> str:
        """What to do, about which document, and why."""
        return f"{_ACTS[self.kind]} {self.title or self.document_id}: {self.message}"

    def withheld(self) -> Self:
        """Return it as it is: there is nothing to take out."""
        return self
