"""How the classifier's judgements are held against those of persons."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ReviewSettings(BaseModel):
    """The sample that is reviewed, and the errors that may be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample_rate: float = Field(default=0.1, ge=0, le=1)
    """The share of changes that called nobody which is drawn for review."""
    seed: str = Field(default="watcher", min_length=1, max_length=200)
    """With the change_id it decides who is drawn."""
    false_page_budget: float = Field(default=0.05, gt=0, lt=1)
    """The share of pages that may be false."""
    missed_budget: float = Field(default=0.005, gt=0, lt=1)
    """The share of changes that called nobody and should have."""
    confidence: float = Field(default=0.95, gt=0.5, lt=1)
    """Of the intervals around the estimates."""
