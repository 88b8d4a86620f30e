"""Dates of effect: found once, confirmed by persons, told of before they come."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.reviews import DateStatus
from watcher.errors import UsageError
from watcher.pipeline.dating import find_dates, in_force, needed
from watcher.pipeline.reminding import remind
from watcher.store.rows import AlertKind, EffectiveDate

POLICY = (
    "Access logs are kept for {days} days. This policy takes effect on {day} and replaces others."
)
FIRST, SECOND = date(2026, 5, 1), date(2026, 5, 20)


def page(day: str, days: int = 30) -> str:
    return POLICY.format(days=days, day=day)


def two_versions(deployment: Deployment) -> tuple[DocumentId, list[EffectiveDate]]:
    name = deployment.watch("policy", html(page("1 May 2026")))
    deployment.check(name)
    deployment.clock.pass_time(minutes=5)
    deployment.check(name, html(page("20 May 2026", 90)))
    assert find_dates(deployment.services) == 2
    return name, list(deployment.store.dates.list(name))


def confirm(deployment: Deployment, found: EffectiveDate) -> None:
    deployment.store.dates.decide(
        found.number, DateStatus.CONFIRMED, at=deployment.clock.now(), actor="mara"
    )


def test_a_date_is_found_once_with_its_span(deployment: Deployment) -> None:
    name, (first, second) = two_versions(deployment)
    assert [first.day, second.day] == [FIRST, SECOND]
    assert {first.status, second.status} == {DateStatus.EXTRACTED}
    assert first.range is not None
    text = deployment.store.versions.text(name, first.version).data
    assert text[first.range.start : first.range.end] == b"1 May 2026"
    assert find_dates(deployment.services) == 0
    assert len(deployment.store.dates.list(name)) == 2


def test_a_search_ends_when_its_time_is_over_and_the_next_goes_on(deployment: Deployment) -> None:
    for name in ("one", "two"):
        deployment.check(deployment.watch(name, html(page("1 May 2026"))))
    assert find_dates(deployment.services, cpu_seconds=0) == 1
    assert find_dates(deployment.services) == 1


def test_only_a_confirmed_date_says_what_was_in_force(deployment: Deployment) -> None:
    name, (first, second) = two_versions(deployment)
    with pytest.raises(UsageError, match="2026-05-01 was found and nobody confirmed it"):
        needed(in_force(deployment.services, name, date(2026, 5, 10)), name)
    confirm(deployment, first)
    answer = in_force(deployment.services, name, date(2026, 5, 25))
    assert needed(answer, name).version == first.version
    assert [found.day for found in answer.unconfirmed] == [SECOND]
    confirm(deployment, second)
    answer = in_force(deployment.services, name, date(2026, 5, 25))
    assert (needed(answer, name).version, answer.unconfirmed) == (second.version, ())
    before = in_force(deployment.services, name, date(2026, 5, 19))
    assert needed(before, name).version == first.version
    assert before.following is not None
    assert before.following.day == SECOND
    with pytest.raises(
        UsageError, match="no confirmed date of effect lies on or before 2026-04-30"
    ):
        needed(in_force(deployment.services, name, date(2026, 4, 30)), name)


def test_a_decision_is_added_and_the_latest_counts(deployment: Deployment) -> None:
    name, (first, _) = two_versions(deployment)
    dates, now = deployment.store.dates, deployment.clock.now()
    dates.decide(first.number, DateStatus.REJECTED, at=now, actor="jo")
    assert in_force(deployment.services, name, FIRST).unconfirmed == ()
    decided = dates.decide(first.number, DateStatus.CONFIRMED, at=now, actor="mara")
    assert (decided.status, decided.actor, decided.decided_at) == (
        DateStatus.CONFIRMED,
        "mara",
        now,
    )


def test_a_person_may_state_a_day_that_no_text_says(deployment: Deployment) -> None:
    name, (first, _) = two_versions(deployment)
    dates, now = deployment.store.dates, deployment.clock.now()
    stated = dates.state(name, first.version, date(2026, 3, 1), at=now)
    assert stated.range is None
    assert dates.state(name, first.version, date(2026, 3, 1), at=now).number == stated.number
    assert dates.state(name, first.version, FIRST, at=now).number == first.number
    confirm(deployment, stated)
    assert needed(in_force(deployment.services, name, date(2026, 4, 1)), name).day == stated.day


def test_of_two_versions_from_one_day_the_later_is_in_force(deployment: Deployment) -> None:
    name = deployment.watch("policy", html(page("1 May 2026")))
    versions: list[VersionId] = []
    for days in (30, 60):
        deployment.check(name, html(page("1 May 2026", days)))
        deployment.clock.pass_time(minutes=5)
        current = deployment.store.versions.current(name)
        assert current is not None
        versions.append(current.version)
    find_dates(deployment.services)
    for found in deployment.store.dates.list(name):
        confirm(deployment, found)
    assert needed(in_force(deployment.services, name, FIRST), name).version == versions[1]


def test_a_reminder_comes_once_before_the_day(deployment: Deployment) -> None:
    name = deployment.watch("policy", html(page("20 June 2026")))
    deployment.check(name)
    find_dates(deployment.services)
    remind(deployment.services)
    assert deployment.store.outbox.list(document_id=name) == ()
    deployment.clock.time += timedelta(days=30)
    remind(deployment.services)
    remind(deployment.services)
    (told,) = deployment.store.outbox.list(document_id=name)
    assert told.kind is AlertKind.DATE_DUE
    deployment.deliver()
    said = str(deployment.receiver.bodies[-1])
    assert "takes effect on 2026-06-20, as its text says and nobody confirmed" in said
    assert f"watcher dates confirm {name} 2026-06-20" in said


def test_nobody_is_reminded_of_what_was_rejected_or_is_over(deployment: Deployment) -> None:
    name = deployment.watch("policy", html(page("14 May 2026")))
    deployment.check(name)
    find_dates(deployment.services)
    (found,) = deployment.store.dates.list(name)
    deployment.store.dates.decide(
        found.number, DateStatus.REJECTED, at=deployment.clock.now(), actor="mara"
    )
    remind(deployment.services)
    deployment.clock.pass_time(days=3)
    confirm(deployment, found)
    remind(deployment.services)
    assert deployment.store.outbox.list(document_id=name) == ()
