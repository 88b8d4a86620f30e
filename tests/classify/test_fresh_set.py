"""The written set of the benchmark: what bears policy always reaches a person."""

from __future__ import annotations

from benchmarks.classify.fresh_set import LABELS, rows
from watcher.classify import classify_passage
from watcher.domain.changes import Tier

ROWS = rows()


def test_no_written_policy_change_is_silent_in_either_direction() -> None:
    missed = [
        (row.lang, row.kind, before, after)
        for row in ROWS
        if row.label == "policy-bearing"
        for before, after in ((row.before, row.after), (row.after, row.before))
        if classify_passage(before, after, row.lang).tier not in {Tier.TICKET, Tier.PAGE}
    ]
    assert missed == []


def test_the_set_has_every_label_and_ten_languages_in_both_halves() -> None:
    for held in (False, True):
        half = [row for row in ROWS if row.held is held]
        assert {row.label for row in half} == set(LABELS.values())
        assert len({row.lang for row in half}) >= 10
