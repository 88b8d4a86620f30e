"""Rules that the owner of a document adds. They raise freely; they lower little."""

from __future__ import annotations

from datetime import date

from watcher.classify import rules
from watcher.classify.context import IgnorePattern, UserRules
from watcher.classify.judge import Finding
from watcher.classify.proofs import Pair, sides
from watcher.classify.rules import Tried
from watcher.classify.tokens import QUANTITIES, Token, View
from watcher.domain.patterns import OwnPattern, own_pattern
from watcher.errors import ConfigError

_GUARDED_GROUPS = frozenset(
    ["obligation", "recommendation", "permission", "prohibition", "prospect", "negation"]
)


def check_user_rules(user: UserRules) -> None:
    """Check every pattern of `user`.

    Raises:
        ConfigError: a pattern is not a regular expression, is too long, or
            matches the empty text.
    """
    for ignore in user.ignore:
        if own_pattern(ignore.pattern, ignore.name).matches_nothing():
            raise ConfigError(
                f"the pattern {ignore.name!r} matches the empty text",
                hint="name the words that are to be ignored",
            )


def _in_force(ignore: IgnorePattern, on: date | None) -> bool:
    return ignore.expires is None or (on is not None and on <= ignore.expires)


def apply_user_rules(
    pair: Pair, findings: tuple[Finding, ...], user: UserRules
) -> tuple[Finding, ...]:
    """Return the findings of a block after the owner's rules.

    A finding that a pattern covers gets the rule `ignored:NAME`, so that it is
    counted. A proven finding that touches a defined term becomes unproven.
    """
    if not user.ignore and not user.defined_terms:
        return findings
    return tuple(_apply(pair, finding, user) for finding in findings)


def _apply(pair: Pair, finding: Finding, user: UserRules) -> Finding:
    removed, added = sides(pair, finding.piece)
    if finding.rule != rules.UNPROVEN:
        term = _defined_term((*removed, *added), user)
        if not term or rules.CLASS_OF[finding.rule].rank == 0:
            return finding
        tried = Tried(finding.rule, False, f"“{term}” is a defined term of this document")
        return finding._replace(rule=rules.UNPROVEN, tried=(tried,))
    for ignore in user.ignore:
        if not _in_force(ignore, user.on) or finding.note:
            continue
        if not ignore.allow_lowering and any(_guarded(t) for t in (*removed, *added)):
            continue
        if _covers(ignore, pair.old, removed) and _covers(ignore, pair.new, added):
            return finding._replace(rule=f"ignored:{ignore.name}", note=ignore.pattern)
    return finding


def _defined_term(tokens: tuple[Token, ...], user: UserRules) -> str:
    said = " ".join(token.base for token in tokens)
    return next((t for t in user.defined_terms if t.lower() in said), "")


def _guarded(token: Token) -> bool:
    return token.kind in QUANTITIES or token.group in _GUARDED_GROUPS


def _covers(ignore: IgnorePattern, view: View, tokens: list[Token]) -> bool:
    """Tell whether one match of the pattern covers all of `tokens` (none are covered)."""
    if not tokens:
        return True
    first, last = tokens[0].start, tokens[-1].end
    return any(
        start <= first and last <= end
        for start, end in OwnPattern(ignore.pattern).spans(view.folded.text)
    )
