"""Once a day, at the wall clock's time, whatever the clocks do."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from watcher.alert.channels import DigestTime

MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"])


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("now", "last"),
    [
        (utc(2026, 5, 12, 5, 0), utc(2026, 5, 12, 5, 0)),
        (utc(2026, 5, 12, 4, 59), utc(2026, 5, 11, 5, 0)),
        (utc(2026, 3, 29, 12, 0), utc(2026, 3, 29, 5, 0)),
        (utc(2026, 3, 29, 4, 0), utc(2026, 3, 28, 6, 0)),
    ],
)
def test_seven_in_berlin(now: datetime, last: datetime) -> None:
    assert DigestTime(at=time(7), timezone="Europe/Berlin").last(now) == last


@settings(max_examples=100, deadline=None)
@given(MOMENTS, st.times(), ZONES)
def test_the_last_time_is_within_a_day_and_an_hour(now: datetime, at: time, zone: str) -> None:
    at = at.replace(second=0, microsecond=0)
    last = DigestTime(at=at, timezone=zone).last(now)
    assert timedelta(0) <= now - last <= timedelta(hours=25)
    local = last.astimezone(ZoneInfo(zone)).time().replace(second=0, microsecond=0)
    skipped = local != at
    assert not skipped or last.astimezone(ZoneInfo(zone)).month in {3, 4}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"timezone": "Berlin"}, "not a timezone"), ({"at": "07:00+02:00"}, "without an offset")],
)
def test_a_mistake_is_told(wrong: dict[str, str], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        DigestTime.model_validate(wrong)
