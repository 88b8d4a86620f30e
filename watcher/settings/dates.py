"""When dates of effect are told of."""

from __future__ import annotations

from datetime import timedelta

from pydantic import BaseModel, ConfigDict

from watcher.settings.durations import Duration


class DateSettings(BaseModel):
    """Reminders before a version takes effect."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    remind_before: Duration = timedelta(days=14)
    """How long before a date of effect it is told of, once."""
