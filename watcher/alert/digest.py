"""Many messages in one: when a storm breaks, and once a day for what can wait."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from watcher.alert.message import AlertMessage
from watcher.alert.notice import Notice
from watcher.domain.changes import Severity

_BY_URGENCY = (Severity.PAGE, Severity.TICKET, Severity.INFO)


class DigestReason(StrEnum):
    """Why several messages were put into one."""

    STORM = "storm"
    ROUTINE = "routine"


@dataclass(frozen=True, slots=True)
class DigestEntry:
    """One message with the key that its own delivery would have had."""

    key: str
    message: AlertMessage | Notice


@dataclass(frozen=True, slots=True)
class Digest:
    """At least one entry, in the order in which they were due."""

    reason: DigestReason
    entries: tuple[DigestEntry, ...]
    link: str

    @property
    def by_urgency(self) -> tuple[DigestEntry, ...]:
        """The entries, what is most urgent first."""
        order = _BY_URGENCY.index
        return tuple(sorted(self.entries, key=lambda entry: order(entry.message.severity)))

    @property
    def severity(self) -> Severity:
        """That of its most urgent entry."""
        return self.by_urgency[0].message.severity

    @property
    def owner(self) -> str:
        """The owner of all its documents, or nothing where there are several."""
        owners = {entry.message.owner for entry in self.entries}
        return owners.pop() if len(owners) == 1 else ""

    @property
    def subject(self) -> str:
        """The document, or how many."""
        documents = {entry.message.document_id for entry in self.entries}
        return documents.pop() if len(documents) == 1 else f"{len(documents)} documents"

    @property
    def observed_at(self) -> str:
        """When the newest was observed."""
        return max(entry.message.observed_at for entry in self.entries)

    @property
    def answers_affected(self) -> int:
        """How many distinct answers use a citation that one of the changes touched."""
        return len(
            {
                (answer.caller, answer.answer_id)
                for entry in self.entries
                if isinstance(entry.message, AlertMessage)
                for citation in entry.message.citations
                for answer in citation.answers
            }
        )

    @property
    def first_line(self) -> str:
        """What to do, how much it is, and how many answers are affected."""
        number = len(self.entries)
        about = f"{number} alert{'s' * (number != 1)} about {self.subject}"
        if self.reason is DigestReason.ROUTINE:
            return f"Note {about}: none needed anybody at once"
        counts = Counter(entry.message.severity for entry in self.entries)
        urgency = ", ".join(f"{counts[s]} {s.value}" for s in _BY_URGENCY if counts[s])
        answers = self.answers_affected
        return f"Look through {about}: {urgency}; {answers} answer{'s' * (answers != 1)} affected"

    def withheld(self) -> Digest:
        """Return it without any word of a document."""
        return replace(
            self,
            entries=tuple(
                DigestEntry(entry.key, entry.message.withheld()) for entry in self.entries
            ),
        )


def digest_key(keys: Iterable[str]) -> str:
    """Return the key of a digest: the same entries, the same key."""
    return "wd1-" + hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()[:40]
