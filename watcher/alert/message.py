"""An alert about one change, as data. Its passages were cut when it was made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from watcher.domain.changes import ChangeClass, Severity, Tier, severity_of
from watcher.domain.ids import CitationId, DocumentId, VersionId
from watcher.domain.statements import Status


@dataclass(frozen=True, slots=True)
class Passage:
    """A range of a version: page from 1, UTF-8 bytes, and its text.

    `text` is None where the passage may not leave by the channel.
    """

    version: VersionId
    page: int
    start: int
    end: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One hunk: the passage before and after (one may be missing), and why it counts."""

    before: Passage | None
    after: Passage | None
    change_class: ChangeClass
    why: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that used a citation: the key of its emission."""

    caller: str
    answer_id: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class TouchedCitation:
    """A live citation whose owner has to learn of the change, and the answers that use it."""

    citation_id: CitationId
    status: Status
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class AlertMessage:
    """Everything that one alert says.

    `headline`, `reasons`, `facets`, `change_class` and `tier` are the
    classifier's. `severity` may be raised above the tier's, because live
    answers cite the text. `unconfirmed` says that no second fetch agreed in
    time. `observed_at` is RFC 3339 in UTC. `link` opens the exact passage.
    """

    change_id: str
    document_id: DocumentId
    title: str
    owner: str
    change_class: ChangeClass
    tier: Tier
    severity: Severity
    headline: str
    reasons: tuple[str, ...]
    facets: tuple[str, ...]
    from_version: VersionId
    to_version: VersionId
    excerpts: tuple[Excerpt, ...]
    citations: tuple[TouchedCitation, ...]
    observed_at: str
    link: str
    unconfirmed: bool = False

    @property
    def answers_affected(self) -> int:
        """How many distinct answers use a touched citation."""
        return len(
            {
                (answer.caller, answer.answer_id)
                for citation in self.citations
                for answer in citation.answers
            }
        )

    @property
    def first_line(self) -> str:
        """What to do, about which document, and how many answers are affected."""
        name = self.title or self.document_id
        answers = self.answers_affected
        if answers:
            noun, verb = ("answer", "cites") if answers == 1 else ("answers", "cite")
            line = f"Re-check {answers} {noun} that {verb} {name}: {self.headline}"
        else:
            act = "Review" if self.severity is not Severity.INFO else "Note"
            line = f"{act} {name}: {self.headline} (no answer is affected)"
        return f"Unconfirmed. {line}" if self.unconfirmed else line

    @property
    def raised(self) -> bool:
        """Tell whether the severity is above what the class alone calls for."""
        order = (Severity.INFO, Severity.TICKET, Severity.PAGE)
        return order.index(self.severity) > order.index(severity_of(self.tier))

    def withheld(self) -> AlertMessage:
        """Return it without any word of the document.

        The headline, the reasons and the excerpts may quote the document, so
        all of them give way to the class and the facets.
        """
        about = f" ({', '.join(self.facets)})" if self.facets else ""
        return replace(
            self,
            headline=f"{self.change_class.value} change{about}",
            reasons=(),
            excerpts=tuple(
                replace(e, why="", before=_blank(e.before), after=_blank(e.after))
                for e in self.excerpts
            ),
        )


def _blank(passage: Passage | None) -> Passage | None:
    return replace(passage, text=None) if passage is not None else None


def delivery_key(change_id: str, channel: str) -> str:
    """Return the key of one delivery: the same change by the same channel, once.

    A replay after a crash sends the same key, so that a receiver can drop it.
    """
    digest = hashlib.sha256(f"{change_id}\n{channel}".encode()).hexdigest()
    return f"wa1-{digest[:40]}"
