"""Every rule that silences is attacked: no trap may pass in silence or as a digest."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from watcher.classify import classify_passage, rules
from watcher.domain.changes import ChangeClass, Tier

TRAPS = tomllib.loads((Path(__file__).parent / "traps.toml").read_text("utf-8"))["trap"]


@pytest.mark.parametrize("trap", TRAPS, ids=lambda t: f"{t['attacks']}:{t['after'][:30]}")
def test_a_trap_reaches_a_person_in_both_directions(trap: dict[str, str]) -> None:
    for before, after in (
        (trap["before"], trap["after"]),
        (trap["after"], trap["before"]),
    ):
        judged = classify_passage(before, after, trap["lang"], trap.get("context", ""))
        assert judged.change_class is ChangeClass.POLICY_BEARING, judged.explanation
        assert judged.tier in {Tier.TICKET, Tier.PAGE}
        assert judged.facets is not None
        assert "failed" not in judged.explanation[0]


def test_every_rule_that_proves_wording_has_a_trap() -> None:
    attacked = {trap["attacks"] for trap in TRAPS}
    without = set(rules.CLASS_OF) - attacked - {rules.UNPROVEN}
    # What these prove is attacked by the traps of the rules they share code with.
    shared = {
        "markup": "same-tokens",
        "typography": "same-tokens",
        "link-tracking": "link-target",
        "asset": "same-tokens",
        "equal-percentage": "number-format",
        "moved": "test_classifier",
        "revision-history": "test_classifier",
    }
    assert without <= set(shared)
