"""The owner's rules for the classifier: what always calls a person, what never does."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from watcher.classify import IgnorePattern, UserRules, check_user_rules
from watcher.errors import ConfigError

Term = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=200)]
"""Words of the document's text."""


class IgnoreRule(BaseModel):
    """One pattern whose matches do not count, until the day it expires."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    """What counts, alerts and metrics call it."""
    pattern: str
    """A regular expression; it has to cover a difference whole."""
    expires: date
    """The last day on which it counts: nothing is ignored for ever."""
    allow_lowering: bool = False
    """Whether it may also silence duties, permissions, negations and quantities."""

    @field_validator("pattern")
    @classmethod
    def _usable(cls, value: str) -> str:
        try:
            check_user_rules(UserRules(ignore=(IgnorePattern("of this rule", value),)))
        except ConfigError as error:
            raise ValueError(f"{error.message}: {error.hint}") from None
        return value


class RuleSettings(BaseModel):
    """Rules of one document, or of all (`[rules]` in the service file)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    always_page: tuple[Term, ...] = ()
    """A passage that bears policy and holds one of these terms calls a person."""
    defined_terms: tuple[Term, ...] = ()
    """A change of one of these terms is never taken as wording."""
    ignore: tuple[IgnoreRule, ...] = ()
    page_threshold: float | None = Field(default=None, gt=0, le=1)
    """Score from which a change that bears policy calls a person."""

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        names = [rule.name for rule in self.ignore]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"ignore: {twice[0]!r} is there twice: give each its own name")
        return self
