"""Who computes the alerts on error budgets, and the canary."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from watcher.settings.durations import Duration


class SloSettings(BaseModel):
    """Exactly one is authoritative for the alerts on error budgets."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evaluator: Literal["prometheus", "internal"] = "prometheus"
    """Prometheus by the generated rules, or the daemon by itself through its channels."""
    folder: Path = Path("slo")
    """The declarations (OpenSLO), relative to the service file; read by `internal` only."""


class CanarySettings(BaseModel):
    """A document of the daemon's own that changes, and whose change must be found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = True
    every: Duration = Field(default=timedelta(minutes=15), ge=timedelta(seconds=1))
    """How often it changes and is checked."""
