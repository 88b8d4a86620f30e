"""The map of a pair of versions: made once, kept with its change, and told when not whole."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.align import align
from watcher.domain.verdicts import Hold, Outcome
from watcher.pipeline.maps import map_between
from watcher.pipeline.services import Maps

THINGS = ["Access logs", "Backup copies", "Support messages", "Payment details", "Audit trails"]
LINES = [f"{thing} are kept for {n} days, then deleted." for n, thing in enumerate(THINGS, 30)]
OTHERS = [
    "Every request is answered by our office without delay and free of charge.",
    "Customers may appeal against a refusal to the authority of their country.",
    "A licence ends when the contract ends, whichever of the two ends first.",
    "The provider signs each report and publishes it once in every quarter.",
    "Fees are due on the first working day after the service was delivered.",
]
STAYS = [
    f"Section {n} of this policy stays as it is, whatever else the operator changes in it."
    for n in range(1, 16)
]


def test_a_map_is_made_once_and_read_back_from_its_change(deployment: Deployment) -> None:
    name = deployment.watch("terms", html(*LINES))
    deployment.check(name)
    first = deployment.store.versions.current(name)
    deployment.clock.pass_time(hours=6)
    deployment.check(name, html(*LINES[:2], LINES[2].replace("32", "90"), *LINES[3:]))
    second = deployment.store.versions.current(name)
    assert first is not None
    assert second is not None
    texts = deployment.store.versions
    old, new = texts.text(name, first.version), texts.text(name, second.version)
    fresh = replace(deployment.services, maps=Maps())
    made = map_between(fresh, name, old, new)
    assert made == align(old.data, new.data)
    assert map_between(fresh, name, old, new) is made
    back = map_between(fresh, name, new, old)
    assert (back.old_size, back.new_size) == (len(new.data), len(old.data))


def test_a_text_whose_places_cannot_be_computed_is_held(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = deployment.watch("terms", html(*STAYS, *LINES))
    deployment.check(name)
    for number, line in enumerate(LINES):
        deployment.cite(name, line, f"answer-{number}")
    monkeypatch.setattr(importlib.import_module("watcher.align.align"), "_MOST_WORDS", 0)
    deployment.clock.pass_time(hours=6)
    verdict = deployment.check(name, html(*STAYS, *OTHERS)).verdict
    assert verdict is not None
    assert (verdict.outcome, verdict.reason) == (Outcome.HELD, Hold.MANY_CITATIONS_GONE)
    assert "citations_not_computed" in {evidence.name for evidence in verdict.evidence}
