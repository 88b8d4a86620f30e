"""Tells what happened, from the daemon's database and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from watcher.alert.message import AlertMessage, Excerpt, Passage
from watcher.alert.render import visible
from watcher.domain.changes import ChangeClass
from watcher.domain.statements import Status
from watcher.domain.verdicts import Outcome
from watcher.pipeline.messages import build_message
from watcher.pipeline.services import Services
from watcher.store.rows import Alert, AlertState, Change, ChangeState, Document, Observation

_CLASS_STYLES = {
    ChangeClass.POLICY_BEARING: "bold red",
    ChangeClass.EDITORIAL: "yellow",
    ChangeClass.COSMETIC: "dim",
}
_STATUS_STYLES = {Status.UNCHANGED: "green", Status.MOVED: "cyan", Status.EDITED: "yellow"}
_PASSAGE = 220
_MANY = 100_000


@dataclass(slots=True)
class Tally:
    """What the whole demo came to."""

    checks: dict[Outcome, int] = field(default_factory=dict)
    changes: dict[ChangeClass, int] = field(default_factory=dict)
    statements: dict[Status, int] = field(default_factory=dict)
    alerts: int = 0


class Narrator:
    """Prints every row that is new since it looked last; remembers what it printed."""

    def __init__(self, services: Services, console: Console) -> None:
        self._services = services
        self._console = console
        self._observed: dict[int, int] = {}
        self._changes: set[str] = set()
        self._alerts: set[int] = set()
        self.tally = Tally()

    def look(self) -> None:
        """Print what is new."""
        for document in self._services.store.documents.list():
            for seen in reversed(
                self._services.store.observations.list(document.document_id, limit=50)
            ):
                self._observation(document, seen)
        for change in reversed(self._services.store.changes.list(None, limit=_MANY)):
            if change.state is ChangeState.ANCHORED and change.change_id not in self._changes:
                self._changes.add(change.change_id)
                self._change(change)
        for alert in reversed(self._services.store.outbox.list(limit=_MANY)):
            if alert.state is AlertState.DELIVERED and alert.number not in self._alerts:
                self._alerts.add(alert.number)
                self._alert(alert)

    def _observation(self, document: Document, seen: Observation) -> None:
        fresh = seen.count - self._observed.get(seen.number, 0)
        if fresh <= 0:
            return
        first = seen.number not in self._observed
        self._observed[seen.number] = seen.count
        outcome = seen.verdict.outcome
        self.tally.checks[outcome] = self.tally.checks.get(outcome, 0) + fresh
        if not first:
            return
        line = Text(f"{seen.last:%H:%M:%S}  {document.document_id:<26}")
        style = {"accepted": "bold green", "refused": "magenta", "held": "magenta"}.get(
            outcome.value, "dim"
        )
        line.append(f"{seen.http_status or '':<4} {outcome.value}", style=style)
        if seen.verdict.reason:
            line.append(f" ({seen.verdict.reason.value})", style=style)
        if outcome is Outcome.ACCEPTED and seen.capture_id:
            line.append(f"  capture {seen.capture_id[:12]}")
        self._console.print(line)
        if seen.verdict.message:
            self._console.print(Text(f"          {visible(seen.verdict.message)}", style="dim"))

    def _change(self, change: Change) -> None:
        store = self._services.store
        judged = store.changes.classification(change.change_id)
        assert judged is not None
        self.tally.changes[judged.change_class] = self.tally.changes.get(judged.change_class, 0) + 1
        line = Text(f"          {change.from_version[7:15]} -> {change.to_version[7:15]}  ")
        line.append(judged.change_class.value, style=_CLASS_STYLES[judged.change_class])
        line.append(f", {judged.tier.value}, score {judged.score:.2f}, {len(judged.hunks)} hunks")
        rules = sorted({atom.rule for atom in judged.atoms})
        line.append(f", by {', '.join(rules[:4])}", style="dim")
        self._console.print(line)
        self._statements(change)

    def _statements(self, change: Change) -> None:
        """Print where each citation is now, one line for all of a status."""
        citations = self._services.store.citations
        by_status: dict[Status, list[str]] = {}
        for stored in citations.list(change.document_id, limit=_MANY):
            name = stored.citation.citation_id
            for found in citations.statements(name):
                if found.version == change.to_version:
                    uses = [use.answer_id for use in citations.emissions(name)]
                    by_status.setdefault(found.statement.status, []).extend(uses)
        for status, answers in sorted(by_status.items()):
            self.tally.statements[status] = self.tally.statements.get(status, 0) + len(answers)
            line = Text("          ")
            line.append(f"{status.value:<10}", style=_STATUS_STYLES.get(status, "bold red"))
            line.append(f" {', '.join(answers)}")
            self._console.print(line)

    def _alert(self, alert: Alert) -> None:
        self.tally.alerts += 1
        message = build_message(self._services, alert)
        self._console.print(
            Text(f"{alert.severity.value.upper():>8}  {visible(message.first_line)}", style="bold")
        )
        if not isinstance(message, AlertMessage):
            return
        for excerpt in message.excerpts[:2]:
            self._excerpt(excerpt)
        for citation in message.citations:
            answers = ", ".join(a.answer_id for a in citation.answers)
            self._console.print(Text(f"          cited by {answers}: {citation.status.value}"))

    def _excerpt(self, excerpt: Excerpt) -> None:
        sides = (("before", excerpt.before, "red"), ("after", excerpt.after, "green"))
        for side, passage, style in sides:
            if passage is not None:
                self._console.print(Text(f"          {side:<6} {_shown(passage)}", style=style))


def _shown(passage: Passage) -> str:
    text = " ".join(visible(passage.text or "").split())
    clipped = text if len(text) <= _PASSAGE else text[: _PASSAGE - 1] + "…"
    return f"p. {passage.page}, {passage.start}:{passage.end}  {clipped}"
