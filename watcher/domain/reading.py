"""How bytes became text: rendition and reading.

A reading holds, beside the canonical text, what the text alone does not say:
page labels, headings, link targets, struck ranges, image hashes, hidden
characters, how far two engines agreed, and the verdict on the extraction.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum

from watcher.domain.ranges import Range
from watcher.domain.text import CanonicalText


class MediaType(StrEnum):
    """The formats that can be read."""

    HTML = "text/html"
    PDF = "application/pdf"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    MARKDOWN = "text/markdown"
    TEXT = "text/plain"


class ExtractVerdict(StrEnum):
    """How the extraction went."""

    OK = "ok"
    PARTIAL = "partial"
    NEEDS_OCR = "needs_ocr"
    GARBLED = "garbled"
    ENCRYPTED = "encrypted"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"


JOINED = "joined"
"""The engine of a text that was joined from sources of several formats."""


@dataclass(frozen=True, slots=True)
class Rendition:
    """The recipe that turned bytes into text.

    `engine` is its short name (`pypdf`, `pdfium`, `lexbor`, `ooxml`, `plain`, `joined`),
    `versions` names the engine and everything else that changes its output,
    `options` what it was asked, `rules` the SHA-256 of the select/remove rules
    ("" without any).
    """

    engine: str
    versions: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...] = ()
    rules: str = ""

    @property
    def rendition_id(self) -> str:
        """`r1-` and 32 hex digits over every field: equal recipes, equal ids."""
        body = json.dumps(
            [self.engine, sorted(self.versions), sorted(self.options), self.rules],
            ensure_ascii=False,
            separators=(",", ":"),
        )
        return "r1-" + hashlib.sha256(body.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading's range in the text, its level from 1, and its id in the source."""

    range: Range
    level: int
    element_id: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A link's range in the text and its target as the source gives it."""

    range: Range
    target: str


class Landmark(StrEnum):
    """Parts of an HTML page that are labelled, never dropped."""

    NAV = "nav"
    HEADER = "header"
    FOOTER = "footer"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class LandmarkRange:
    """A labelled range."""

    kind: Landmark
    range: Range


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a person should know of the extraction; `page` from 1, 0: all."""

    code: str
    message: str
    page: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """One capture read under one rendition.

    `text` is empty where nothing could be read; then `verdict` says why and
    the reading never becomes a version. `page_labels` has one entry a page.
    `title` and `language` are what the source declares ("" where it does not).
    """

    text: CanonicalText
    media_type: MediaType | None
    rendition: Rendition
    verdict: ExtractVerdict
    page_labels: tuple[str, ...] = ()
    title: str = ""
    language: str = ""
    charset: str = ""
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    struck: tuple[Range, ...] = ()
    images: tuple[str, ...] = ()
    landmarks: tuple[LandmarkRange, ...] = ()
    hidden_characters: int = 0
    agreement: float | None = None
    problems: tuple[Problem, ...] = field(default=())

    @property
    def usable(self) -> bool:
        """Tell whether the text may become a version."""
        return self.verdict in (ExtractVerdict.OK, ExtractVerdict.PARTIAL) and bool(self.text.data)

    def heading_path(self, offset: int) -> tuple[str, ...]:
        """Return the titles of the headings above byte `offset`, outermost first."""
        path: list[tuple[int, str]] = []
        for heading in self.headings:
            if heading.range.start > offset:
                break
            while path and path[-1][0] >= heading.level:
                path.pop()
            title = self.text.data[heading.range.start : heading.range.end]
            path.append((heading.level, title.decode().strip()))
        return tuple(title for _, title in path)
