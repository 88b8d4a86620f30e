from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from watcher.alert.channels import ConsoleChannel, QuietHours
from watcher.domain.changes import Severity

BERLIN = QuietHours(start=time(19), end=time(7), timezone="Europe/Berlin")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-05-12T10:00", "2026-05-12T10:00"),  # Tuesday noon
        ("2026-05-12T16:59", "2026-05-12T16:59"),
        ("2026-05-12T17:00", "2026-05-13T05:00"),  # 19:00 in Berlin
        ("2026-05-12T02:13", "2026-05-12T05:00"),  # 04:13 in Berlin
        ("2026-05-12T05:00", "2026-05-12T05:00"),  # 07:00 in Berlin
        ("2026-05-15T18:00", "2026-05-18T05:00"),  # Friday evening: until Monday
        ("2026-05-16T10:00", "2026-05-18T05:00"),  # Saturday noon
        ("2026-10-24T10:00", "2026-10-26T06:00"),  # over the end of summer time
        ("2026-03-28T10:00", "2026-03-30T05:00"),  # over its beginning
    ],
)
def test_nights_and_weekends_end_when_people_come_back(now: str, until: str) -> None:
    assert BERLIN.until(utc(now)) == utc(until)


def test_a_lunch_break_on_working_days_only() -> None:
    lunch = QuietHours(start=time(12), end=time(13), weekends=False)
    assert lunch.until(utc("2026-05-12T12:30")) == utc("2026-05-12T13:00")
    assert lunch.until(utc("2026-05-12T13:00")) == utc("2026-05-12T13:00")
    assert lunch.until(utc("2026-05-16T12:30")) == utc("2026-05-16T13:00")


moments = st.datetimes(
    datetime(2024, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    datetime(2030, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
clocks = st.times()
zones = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia"]
)


@settings(deadline=None, max_examples=300)
@given(moments, clocks, clocks, zones, st.booleans())
def test_an_end_is_never_quiet_itself_and_never_in_the_past(
    now: datetime, start: time, end: time, zone: str, weekends: bool
) -> None:
    if start == end:
        return
    quiet = QuietHours(start=start, end=end, timezone=zone, weekends=weekends)
    until = quiet.until(now)
    assert now <= until <= now + timedelta(days=4)
    assert quiet.until(until) == until
    local = until.astimezone(ZoneInfo(zone))
    assert not (weekends and until != now and local.weekday() >= 5)


def test_a_page_is_never_held_back() -> None:
    channel = ConsoleChannel(kind="console", name="ops", quiet=BERLIN)
    night = utc("2026-05-12T02:13")
    assert channel.quiet_until(Severity.PAGE, night) == night
    assert channel.quiet_until(Severity.TICKET, night) == utc("2026-05-12T05:00")
    assert channel.quiet_until(Severity.INFO, night) == utc("2026-05-12T05:00")
    always = ConsoleChannel(kind="console", name="ops")
    assert always.quiet_until(Severity.TICKET, night) == night


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"start": "19:00", "end": "19:00"}, "no time at all"),
        ({"start": "19:00", "end": "07:00", "timezone": "Berlin"}, "not a timezone"),
        ({"start": "19:00", "end": "07:00", "timezone": "../../etc/passwd"}, "not a timezone"),
        ({"start": "19:00+02:00", "end": "07:00"}, "without an offset"),
        ({"start": "late", "end": "07:00"}, "time"),
    ],
)
def test_wrong_quiet_hours_are_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        QuietHours.model_validate(given)
    assert said in str(caught.value)
