"""Intervals against published values; samples that a seed repeats."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.classify.confidence import Stratum, missed_rate, rank, sample, upper_bound, wilson
from watcher.errors import UsageError


def test_wilson_gives_the_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    for hits, trials, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        interval = wilson(hits, trials)
        assert interval.low == pytest.approx(low, abs=5e-5)
        assert interval.high == pytest.approx(high, abs=5e-5)


def test_the_exact_bound_gives_the_rule_of_three() -> None:
    assert upper_bound(0, 100) == pytest.approx(1 - 0.05 ** (1 / 100), abs=1e-9)
    assert upper_bound(0, 0) == 1.0
    assert upper_bound(5, 5) == 1.0
    # Clopper-Pearson, one-sided 95 %, 2 of 20 (any table): 0.2826.
    assert upper_bound(2, 20) == pytest.approx(0.2826, abs=1e-4)


@pytest.mark.parametrize(("hits", "trials", "confidence"), [(-1, 5, 0.9), (6, 5, 0.9), (1, 5, 1.0)])
def test_what_is_no_count_is_refused(hits: int, trials: int, confidence: float) -> None:
    with pytest.raises(UsageError, match="no count"):
        wilson(hits, trials, confidence)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 400), st.integers(0, 400), st.floats(0.5, 0.999))
def test_bounds_hold_the_estimate(hits: int, more: int, confidence: float) -> None:
    interval = wilson(hits, hits + more, confidence)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    if hits + more:
        assert upper_bound(hits, hits + more, confidence) >= interval.estimate


def test_an_unread_stratum_is_unknown() -> None:
    known = missed_rate([Stratum(total=100, read=100, missed=0)])
    half = missed_rate([Stratum(100, 100, 0), Stratum(100, 0, 0)])
    assert known.high < 0.05
    assert half.high > 0.5
    assert missed_rate([]).high == 1.0


def test_a_sample_is_repeatable_grows_and_ignores_order() -> None:
    keys = [f"change-{number}" for number in range(200)]
    small, large = sample(keys, 10, "week-1"), sample(keys, 20, "week-1")
    assert len(small) == 10
    assert set(small) < set(large)
    assert set(sample(keys[::-1], 10, "week-1")) == set(small)
    assert sample(keys, 10, "week-2") != small
    assert sample(keys[:3], 10, "x") == tuple(keys[:3])
    assert sample(keys, 0, "x") == ()
    assert 0 <= rank("a", "b") < 1
    share = sum(rank(key, "s") < 0.25 for key in (f"k{n}" for n in range(4000))) / 4000
    assert share == pytest.approx(0.25, abs=0.03)
