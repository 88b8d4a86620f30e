"""Every rule proves what it is for, and its name stands in the judgement."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from watcher.classify import classify_passage, rules
from watcher.domain.changes import ChangeClass, Tier

_FILE = tomllib.loads((Path(__file__).parent / "proofs.toml").read_text("utf-8"))
CASES = [
    (change_class, rule, *case)
    for change_class, by_rule in _FILE.items()
    for rule, cases in by_rule.items()
    for case in cases
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[1]}:{c[2]}:{c[4][:24]}")
def test_a_rule_proves_what_it_is_for(case: tuple[str, str, str, str, str]) -> None:
    change_class, rule, language, before, after = case
    for old, new in ((before, after), (after, before)):
        judged = classify_passage(old, new, language)
        assert judged.change_class is ChangeClass(change_class), judged.explanation
        assert judged.tier is (Tier.SILENT if change_class == "cosmetic" else Tier.DIGEST)
        assert rule in {atom.rule for atom in judged.atoms}, judged.explanation
        assert any(line.startswith(rule) for line in judged.explanation)


def test_every_rule_has_a_case_of_its_class() -> None:
    tested = {rule: ChangeClass(name) for name, by_rule in _FILE.items() for rule in by_rule}
    elsewhere = {"moved", "revision-history", rules.UNPROVEN}
    assert set(rules.CLASS_OF) - set(tested) == elsewhere
    assert all(rules.CLASS_OF[rule] is change_class for rule, change_class in tested.items())
