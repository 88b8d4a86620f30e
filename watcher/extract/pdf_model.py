"""What the PDF engines hand on: one record a page, one for the document."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from watcher.domain.reading import Problem


class PageState(StrEnum):
    """What a page turned out to hold."""

    TEXT = "text"
    BLANK = "blank"
    SCANNED = "scanned"
    DRAWN = "drawn"
    GARBLED = "garbled"
    LOST = "lost"


@dataclass(slots=True)
class PageText:
    """One page as an engine gives it.

    `text` is raw engine output. `hidden` counts its characters that a reader
    of the page cannot see. `image_share` is the part of the page that images
    cover (0 to 1), `paths` the number of drawing operators; both are only
    looked at where there is next to no text. `guessed` counts the characters
    that the engine gives although no table of the font says what they are.
    """

    text: str = ""
    hidden: int = 0
    image_share: float = 0.0
    paths: int = 0
    guessed: int = 0
    problem: Problem | None = None


@dataclass(slots=True)
class OutlineItem:
    """An entry of the outline: title, level from 1, page from 0."""

    title: str
    level: int
    page: int


@dataclass(slots=True)
class Structure:
    """What the file says beside its text."""

    labels: list[str] = field(default_factory=list)
    outline: list[OutlineItem] = field(default_factory=list)
    title: str = ""
    language: str = ""
    attachments: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class EncryptedError(Exception):
    """The file opens only with a password."""


class BrokenError(Exception):
    """The file cannot be opened, or has no page."""
