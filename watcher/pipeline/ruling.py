"""The owner's rules in force for a document, and the same rules later, by their digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from watcher.classify import IgnorePattern, Thresholds, UserRules
from watcher.domain.ids import DocumentId
from watcher.pipeline.services import Services
from watcher.settings import Settings
from watcher.settings.rules import IgnoreRule, RuleSettings


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules as the classifier takes them, with the text that says them.

    `body` is canonical JSON, empty where there are no rules. Expired patterns
    are not part of it, so the same rules have the same digest on every day.
    """

    body: str
    user: UserRules
    thresholds: Thresholds

    @property
    def digest(self) -> str:
        """SHA-256 of the body, empty for no rules."""
        return hashlib.sha256(self.body.encode()).hexdigest() if self.body else ""


IGNORED = "ignored:"
"""What the rule of a difference begins with that a pattern silenced; its name follows."""
NO_RULES = RuleSet("", UserRules(), Thresholds())


def rules_for(services: Services, document_id: DocumentId) -> RuleSet:
    """Return the rules of a document today: its own, and the service's."""
    entry = services.entries.get(document_id)
    own = entry.rules if entry else RuleSettings()
    shared = services.settings.rules
    today = services.clock.now().date()
    page = own.page_threshold if own.page_threshold is not None else shared.page_threshold
    said = {
        "always_page": sorted({*own.always_page, *shared.always_page}),
        "defined_terms": sorted({*own.defined_terms, *shared.defined_terms}),
        "ignore": [
            [rule.name, rule.pattern, rule.allow_lowering]
            for rule in (*own.ignore, *shared.ignore)
            if not expired(rule, today)
        ],
        "page": page,
    }
    if not any(said.values()):
        return NO_RULES
    return read_rules(json.dumps(said, ensure_ascii=True, sort_keys=True))


def read_rules(body: str) -> RuleSet:
    """Return the rules that `RuleSet.body` says."""
    if not body:
        return NO_RULES
    said = json.loads(body)
    user = UserRules(
        always_page=tuple(said["always_page"]),
        defined_terms=tuple(said["defined_terms"]),
        ignore=tuple(
            IgnorePattern(name, pattern, allow_lowering=lowering)
            for name, pattern, lowering in said["ignore"]
        ),
    )
    thresholds = Thresholds() if said["page"] is None else Thresholds(page=said["page"])
    return RuleSet(body, user, thresholds)


def kept_rules(services: Services, digest: str) -> RuleSet:
    """Return the rules under which a judgement was made.

    Raises:
        StoreError: they are not there.
        HashMismatchError: they are damaged.
    """
    return read_rules(services.store.rule_sets.get(digest)) if digest else NO_RULES


def expired(rule: IgnoreRule, today: date) -> bool:
    """Tell whether the last day of a pattern is over."""
    return rule.expires < today


def patterns(settings: Settings) -> Iterator[tuple[str, IgnoreRule]]:
    """Yield every configured pattern with whose it is: a document_id, or empty for all."""
    for rule in settings.rules.ignore:
        yield "", rule
    for entry in settings.documents:
        for rule in entry.rules.ignore:
            yield entry.document_id, rule
