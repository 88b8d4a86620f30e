"""What the classifier is told beside the two texts."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import date

from watcher.domain.ranges import Range

PAGE_SCORE = 0.7
"""Score from which an unproven change calls a person: one strong piece of evidence."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading: the byte range of its line, its level from 1, its words."""

    range: Range
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`page`: score from which an unproven change is of tier page (0 to 1)."""

    page: float = PAGE_SCORE


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """A regular expression whose matched spans do not count, until `expires`.

    It silences an unproven difference only if a match covers it whole on each
    side that has text. Modal, negation and quantity atoms need `allow_lowering`.
    """

    name: str
    pattern: str
    expires: date | None = None
    allow_lowering: bool = False


@dataclass(frozen=True, slots=True)
class UserRules:
    """What the owner of a document added: all of it may raise, little may lower.

    A changed passage that holds one of `always_page` is of tier page; a change
    of one of `defined_terms` touches a definition. `on` is the day that expiry
    is judged by (the classifier has no clock).
    """

    always_page: tuple[str, ...] = ()
    defined_terms: tuple[str, ...] = ()
    ignore: tuple[IgnorePattern, ...] = ()
    on: date | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Language ("" is unknown), headings of both sides, user rules, thresholds.

    Headings are sorted by position. Without any, Markdown headings are read
    from the text itself. `before` is text that precedes a passage which is
    classified alone.
    """

    language: str = ""
    old_headings: tuple[Heading, ...] = ()
    new_headings: tuple[Heading, ...] = ()
    rules: UserRules = field(default_factory=UserRules)
    thresholds: Thresholds = field(default_factory=Thresholds)
    before: str = ""


def path_at(headings: tuple[Heading, ...], offset: int) -> tuple[str, ...]:
    """Return the titles of the headings that byte `offset` stands under, outermost first."""
    last = bisect_right([h.range.start for h in headings], offset)
    path: list[Heading] = []
    level = 1_000
    for heading in reversed(headings[:last]):
        if heading.level < level:
            path.append(heading)
            level = heading.level
    return tuple(heading.title for heading in reversed(path))


def markdown_headings(text: bytes) -> tuple[Heading, ...]:
    """Return the `#` headings of a Markdown text."""
    found: list[Heading] = []
    position = 0
    for line in text.split(b"\n"):
        hashes = len(line) - len(line.lstrip(b"#"))
        if 1 <= hashes <= 6 and line[hashes : hashes + 1] in (b" ", b"\t"):
            title = " ".join(line[hashes:].decode("utf-8", "replace").strip(" \t#*_").split())
            found.append(Heading(Range(position, position + len(line)), hashes, title))
        position += len(line) + 1
    return tuple(found)
