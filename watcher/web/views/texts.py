"""Exact text as markup: nothing is added to it, nothing left out, and nothing of it runs.

The text content of what is made here is the text, character by character, so
that an offset in UTF-16 code units counts in the browser as it does in the API.
Characters that would hide or reorder others stay where they are, each isolated
in an element that the style sheet spells out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from watcher.alert.render import visible
from watcher.domain.ranges import Range
from watcher.domain.text import CanonicalText, Unit


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page of a version; `start` is its offset in the text in UTF-16 code units."""

    number: int
    label: str
    start: int
    body: Markup
    marks: tuple[Range, ...]


def exact(text: str) -> Markup:
    """Return `text` as markup whose text content is `text`."""
    found = escape(text)
    if text.replace("\n", "").replace("\t", "").replace("\u00a0", "").isprintable():
        return found
    hidden = [char for char in set(text) if visible(char) != char]
    if not hidden:
        return found
    pattern = re.compile(f"[{re.escape(''.join(hidden))}]")
    return Markup(pattern.sub(_spelled, found))  # noqa: S704 - it was escaped above


def _spelled(found: re.Match[str]) -> str:
    char = found[0]
    name = f"U+{ord(char):04X}"
    inner = "&#13;" if char == "\r" else char
    return f'<bdi class="hidden" data-code="{name}" title="{name}">{inner}</bdi>'


def shown_pages(
    text: CanonicalText, labels: Sequence[str], marks: Sequence[Range]
) -> Iterator[ShownPage]:
    """Yield the pages of a text with `marks` (in order, none across a page) highlighted."""
    number = 0
    for page, place in enumerate(text.pages, start=1):
        here = [mark for mark in marks if place.contains(mark)]
        yield ShownPage(
            page,
            labels[page - 1] if page <= len(labels) else "",
            text.from_bytes(place.start, Unit.UTF16),
            highlighted(text, place, here, number + 1),
            tuple(here),
        )
        number += len(here)


def highlighted(
    text: CanonicalText, place: Range, marks: Sequence[Range], first: int = 1
) -> Markup:
    """Return the text of `place` with `marks` in elements `m1`, `m2`, … from `first` on."""
    parts, position = [], place.start
    for number, mark in enumerate(marks, start=first):
        parts.append(exact(_text(text, position, mark.start)))
        parts.append(
            Markup('<mark id="m{}" data-start="{}" data-end="{}">{}</mark>').format(
                number,
                text.from_bytes(mark.start, Unit.UTF16),
                text.from_bytes(mark.end, Unit.UTF16),
                exact(_text(text, mark.start, mark.end)),
            )
        )
        position = mark.end
    parts.append(exact(_text(text, position, place.end)))
    return Markup("").join(parts)


def around(text: CanonicalText, mark: Range, room: int, number: int) -> Markup:
    """Return a highlighted range with up to `room` bytes of its page before and after."""
    page = text.pages[text.page_of(mark.start) - 1]
    start, end = max(page.start, mark.start - room), min(page.end, mark.end + room)
    while not text.is_boundary(start):
        start += 1
    while not text.is_boundary(end):
        end -= 1
    before = Markup("… ") if start > page.start else Markup("")
    after = Markup(" …") if end < page.end else Markup("")
    return before + highlighted(text, Range(start, end), [mark], number) + after


def _text(text: CanonicalText, start: int, end: int) -> str:
    return text.data[start:end].decode()
