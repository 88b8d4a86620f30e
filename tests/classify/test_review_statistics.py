"""Who is drawn, how sure a rate is, and which threshold verdicts speak for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.classify.calibration import MIN_VERDICTS, Judged, effect, propose
from watcher.classify.review import NOTHING, drawn, estimate, wilson

few = settings(max_examples=60, deadline=None)


def test_a_tenth_is_drawn_and_always_the_same() -> None:
    chosen = {n for n in range(20_000) if drawn("seed", str(n), 0.1)}
    assert 1850 <= len(chosen) <= 2150
    assert chosen == {n for n in range(20_000) if drawn("seed", str(n), 0.1)}
    other = {n for n in range(20_000) if drawn("another", str(n), 0.1)}
    assert len(chosen & other) < 300, "another seed draws others"


@few
@given(st.text(max_size=20), st.floats(0, 1), st.floats(0, 1))
def test_who_is_drawn_at_one_chance_is_drawn_at_every_larger(
    change: str, first: float, second: float
) -> None:
    low, high = sorted((first, second))
    assert drawn("s", change, high) or not drawn("s", change, low)
    assert drawn("s", change, 1.0)
    assert not drawn("s", change, 0.0)


@pytest.mark.parametrize(
    ("hits", "number", "lower", "upper"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_the_interval_is_the_published_one(
    hits: int, number: int, lower: float, upper: float
) -> None:
    found = wilson(hits / number, number, 0.95)
    assert found == pytest.approx((lower, upper), abs=5e-5)


def test_a_verdict_drawn_with_a_tenth_stands_for_ten() -> None:
    mixed = estimate([(True, 0.1), (False, 1.0), (False, 1.0)], 0.95)
    assert mixed.rate == pytest.approx(10 / 12)
    assert mixed.upper - mixed.lower > 0.5, "one heavy verdict tells little"
    equal = estimate([(True, 0.1), (False, 0.1)], 0.95)
    assert (equal.lower, equal.upper) == wilson(0.5, 2, 0.95)


def test_a_budget_is_kept_broken_or_not_known() -> None:
    assert estimate([(False, 0.1)] * 2000, 0.95).within(0.005) is True
    assert estimate([(False, 0.1)] * 20, 0.95).within(0.005) is None
    assert estimate([(True, 0.1)] * 20, 0.95).within(0.005) is False
    assert estimate([], 0.95) == NOTHING
    assert NOTHING.within(0.5) is None


@few
@given(st.lists(st.tuples(st.booleans(), st.floats(0.01, 1)), min_size=1, max_size=40))
def test_the_interval_holds_the_rate(verdicts: list[tuple[bool, float]]) -> None:
    found = estimate(verdicts, 0.95)
    assert 0 <= found.lower <= found.rate <= found.upper <= 1


def test_the_threshold_separates_what_was_worth_it() -> None:
    judged = [Judged(0.4, False)] * 20 + [Judged(0.6, True)] * 20 + [Judged(0.9, True)] * 5
    found = propose(judged, 0.05)
    assert found is not None
    assert (found.value, found.missed, found.false_pages) == (0.5, 0, 0)


def test_no_threshold_is_proposed_where_verdicts_speak_for_none() -> None:
    assert propose([Judged(0.9, True)] * (MIN_VERDICTS - 1), 0.05) is None
    assert propose([Judged(0.9, False)] * 99, 0.05) is None


@few
@given(
    st.lists(st.builds(Judged, st.floats(0.01, 1), st.booleans()), min_size=MIN_VERDICTS),
    st.floats(0.01, 0.5),
)
def test_a_proposal_keeps_the_budget_and_no_score_does_better(
    judged: list[Judged], budget: float
) -> None:
    found = propose(judged, budget)
    every = [effect(judged, item.score) for item in judged]
    good = [one for one in every if one.pages and one.false_rate <= budget]
    if found is None:
        assert not good
        return
    assert found == effect(judged, found.value)
    assert found.false_rate <= budget
    assert found.missed == min(one.missed for one in good)
