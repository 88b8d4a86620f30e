"""Where a passage is now: the statement of one citation about one newer version."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from watcher.domain.ranges import Range

PERSON = "person:"
"""How the `algorithm` of a statement begins that a person made; their name follows."""


class Status(StrEnum):
    """The contract's statuses, plus the honest answer that there is none yet."""

    UNCHANGED = "unchanged"
    MOVED = "moved"
    EDITED = "edited"
    SPLIT = "split"
    AMBIGUOUS = "ambiguous"
    GONE = "gone"
    NOT_COMPUTED = "not_computed"


class How(StrEnum):
    """How a moved passage moved."""

    SHIFTED = "shifted"
    RELOCATED = "relocated"


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One token-level difference inside an edited passage (byte ranges)."""

    old: Range
    new: Range


class Statement(NamedTuple):
    """Where one passage of an old text is in a new one, with the evidence.

    A tuple, because it is made for every citation of a document and a frozen
    dataclass of as many fields takes three times as long to make.

    `ranges` (new text, in order, none across a page) is empty for ambiguous,
    gone and not_computed. `candidates` is information only. `similarity`,
    `coverage` and `margin` are 0 to 1. `material` is None unless edited or
    split. `algorithm` names the code that computed it.
    """

    status: Status
    ranges: tuple[Range, ...] = ()
    candidates: tuple[Range, ...] = ()
    how: How | None = None
    material: bool | None = None
    context_changed: bool = False
    similarity: float = 0.0
    coverage: float = 0.0
    margin: float = 1.0
    runner_up: Range | None = None
    method: str = ""
    edits: tuple[TextEdit, ...] = ()
    absent_between: bool = False
    algorithm: str = ""

    @property
    def by_person(self) -> bool:
        """Tell whether a person made it: then it outranks what was computed."""
        return self.algorithm.startswith(PERSON)

    @property
    def carries(self) -> bool:
        """Tell whether the citation carries to the new version by itself."""
        return (
            self.status is Status.UNCHANGED
            or (self.status is Status.MOVED and not self.context_changed)
            or (self.status is Status.EDITED and self.material is False)
        )
