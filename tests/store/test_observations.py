"""Observations as intervals, and what they say of a time: no more than was seen."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.store_bench import DOCUMENT, START, Bench, day
from watcher.domain.ids import DocumentId
from watcher.domain.resolution import UnknownDocumentError
from watcher.domain.verdicts import Outcome, Refusal, Verdict
from watcher.store import Gap, NewObservation, Observation

TEXTS = ("First.\n", "Second.\n", "Third.\n")


def runs(bench: Bench) -> list[Observation]:
    return list(reversed(bench.store.observations.list(DOCUMENT, limit=1000)))


def test_equal_observations_are_one_run(bench: Bench) -> None:
    capture = bench.commit(TEXTS[0], day(0)).capture_id
    for number in (1, 2, 5, 6):
        bench.store.observations.record(bench.lease, bench.seen(day(number), capture_id=capture))
    first, run = runs(bench)
    assert (first.verdict.outcome, first.count) == (Outcome.ACCEPTED, 1)
    assert (run.first, run.last, run.count) == (day(1), day(6), 4)
    assert run.longest_gap == timedelta(days=3)


def test_the_same_observation_at_the_same_time_is_a_replay(bench: Bench) -> None:
    for _ in range(3):
        run = bench.store.observations.record(bench.lease, bench.seen(day(1)))
    assert (run.count, run.first, run.last) == (1, day(1), day(1))


def test_a_clock_that_goes_back_begins_a_new_run(bench: Bench) -> None:
    for number in (5, 6, 2, 3):
        bench.store.observations.record(bench.lease, bench.seen(day(number)))
    assert [(run.first, run.last) for run in runs(bench)] == [
        (day(5), day(6)),
        (day(2), day(3)),
    ]


@pytest.mark.parametrize("field", ["etag", "final_url", "http_status"])
def test_what_differs_is_another_run(bench: Bench, field: str) -> None:
    seen = bench.seen(day(0))
    for number, value in enumerate(["a", "b", "b"]):
        changed = {field: 300 + ord(value)} if field == "http_status" else {field: value}
        observation = NewObservation(
            at=day(number),
            url=seen.url,
            verdict=seen.verdict,
            **changed,
        )
        bench.store.observations.record(bench.lease, observation)
    assert [run.count for run in runs(bench)] == [1, 2]


def test_the_last_success_is_kept_with_the_document(bench: Bench) -> None:
    bench.commit(TEXTS[0], day(1))
    bench.store.observations.record(bench.lease, refusal(day(2)))
    assert bench.store.documents.get(DOCUMENT).last_success == day(1)
    bench.store.observations.record(bench.lease, bench.seen(day(3)))
    assert bench.store.documents.get(DOCUMENT).last_success == day(3)


def refusal(at: datetime) -> NewObservation:
    verdict = Verdict(Outcome.REFUSED, Refusal.TIMEOUT, "no answer in 60 s", "wait")
    return NewObservation(at=at, url="https://example.org/policy", verdict=verdict)


def test_a_time_before_the_first_observation_has_no_version(bench: Bench) -> None:
    bench.commit(TEXTS[0], day(1))
    found = bench.store.versions.at(DOCUMENT, day(0))
    assert (found.version, found.confirmed) == (None, None)
    assert found.gap == Gap(None, day(1))
    assert found.differs is not None


def test_a_gap_names_what_failed_in_it(bench: Bench) -> None:
    commit = bench.commit(TEXTS[0], day(0))
    for number in (1, 2):
        bench.store.observations.record(bench.lease, refusal(day(number)))
    bench.commit(TEXTS[1], day(3))
    bench.store.observations.record(bench.lease, refusal(day(4)))
    found = bench.store.versions.at(DOCUMENT, day(1.5))
    assert found.version == commit.version
    assert found.confirmed is not None
    assert found.confirmed.last == day(0)
    assert found.differs is not None
    assert found.differs.first == day(3)
    assert found.gap is not None
    assert (found.gap.start, found.gap.end) == (day(0), day(3))
    assert [(run.count, run.verdict.reason) for run in found.gap.failed] == [(2, Refusal.TIMEOUT)]
    last = bench.store.versions.at(DOCUMENT, day(9)).gap
    assert last is not None
    assert (last.start, last.end, len(last.failed)) == (day(3), None, 1)


def test_between_two_observations_nothing_is_claimed(bench: Bench) -> None:
    capture = bench.commit(TEXTS[0], day(0)).capture_id
    for number in (1, 20):
        bench.store.observations.record(bench.lease, bench.seen(day(number), capture_id=capture))
    assert bench.store.versions.at(DOCUMENT, day(10)).gap == Gap(day(1), day(20))
    assert bench.store.versions.at(DOCUMENT, day(20)).gap is None
    bench.store.observations.record(bench.lease, bench.seen(day(21), capture_id=capture))
    found = bench.store.versions.at(DOCUMENT, day(10))
    assert found.confirmed is not None
    assert found.confirmed.longest_gap == timedelta(days=19)


def test_a_held_capture_confirms_nothing_until_it_is_accepted(bench: Bench) -> None:
    first = bench.commit(TEXTS[0], day(0))
    held = bench.commit(TEXTS[1], day(1), outcome=Outcome.HELD)
    assert bench.store.versions.at(DOCUMENT, day(2)).version == first.version
    bench.store.commits.accept(bench.lease, held.capture_id, at=day(3), reason="seen twice")
    assert bench.store.versions.at(DOCUMENT, day(2)).version == held.version


def test_an_unknown_document_is_said_so(bench: Bench) -> None:
    with pytest.raises(UnknownDocumentError):
        bench.store.versions.at(DocumentId("other"), day(0))


STEPS = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from([0, 1, 2, None])), min_size=1, max_size=12
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS, asked=st.integers(-2, 70))
def test_a_time_is_answered_as_a_list_of_all_observations_would(
    bench: Bench, steps: list[tuple[int, int | None]], asked: int
) -> None:
    """The model: every observation by itself, (time, text seen or None)."""
    name = DocumentId(f"document-{next(bench.numbers)}")
    lease = bench.another(name)
    seen: list[tuple[datetime, str | None]] = []
    at = START
    for hours, text in steps:
        at += timedelta(hours=hours)
        if text is None:
            bench.store.observations.record(lease, refusal(at))
            seen.append((at, None))
        else:
            bench.commit(TEXTS[text], at, lease=lease)
            seen.append((at, TEXTS[text]))
    time = START + timedelta(hours=asked)
    found = bench.store.versions.at(name, time)
    before = [(t, words) for t, words in seen if words and t <= time]
    if not before:
        assert found.version is None
        return
    confirmed_at, expected = before[-1]
    assert found.version is not None
    assert bench.store.versions.text(name, found.version).data.decode() == expected
    assert found.confirmed is not None
    assert found.confirmed.first <= confirmed_at <= found.confirmed.last
    later = [t for t, other in seen if t > time and other and other != expected]
    assert (found.differs.first if found.differs else None) == (later[0] if later else None)
    after = [t for t, other in seen if other and t > time]
    if found.gap is not None:
        assert (found.gap.start, found.gap.end) == (confirmed_at, after[0] if after else None)
        failed = sum(run.count for run in found.gap.failed)
        assert failed >= sum(1 for t, other in seen if other is None and confirmed_at < t < time)
    else:
        assert found.confirmed.first <= time <= found.confirmed.last
    counted = sum(run.count for run in bench.store.observations.list(name, limit=1000))
    assert counted == len(seen)
