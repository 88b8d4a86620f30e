"""From a quoted passage to its one place in a text, or to a named refusal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from watcher.domain.keys import KeyKind, make_key
from watcher.domain.ranges import Range
from watcher.domain.text import CanonicalText
from watcher.errors import WatcherError


class QuoteStep(StrEnum):
    """Which comparison found the quote."""

    BYTES = "bytes"
    INK = "ink"


class QuoteNotFoundError(WatcherError):
    """The text does not contain the quote."""

    code = "quote_not_found"


class QuoteAmbiguousError(WatcherError):
    """The text contains the quote more than once; `places` says where."""

    code = "quote_ambiguous"

    def __init__(self, places: tuple[Range, ...]) -> None:
        shown = ", ".join(f"{place.start}:{place.end}" for place in places[:5])
        super().__init__(
            f"the quote stands in {len(places)} places ({shown})",
            hint="quote more of the passage, or give start and end",
        )
        self.places = places


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where the quote is: one range, or one for each page that it touches."""

    ranges: tuple[Range, ...]
    step: QuoteStep


def find_quote(text: CanonicalText, quote: str) -> QuoteMatch:
    """Return the only place of `quote` in `text`, by bytes, then by the ink key.

    Raises:
        QuoteNotFoundError: neither comparison finds it, or it has no ink.
        QuoteAmbiguousError: a comparison finds it more than once.
    """
    wanted = quote.encode()
    if quote.strip():
        places = _all_places(text.data, wanted)
        if places:
            return _only(text, places, QuoteStep.BYTES)
        needle = make_key(wanted, KeyKind.INK).text
        key = make_key(text.data, KeyKind.INK)
        found, position = [], key.text.find(needle) if needle else -1
        while position >= 0:
            found.append(key.to_source(position, position + len(needle)))
            position = key.text.find(needle, position + 1)
        if found:
            return _only(text, found, QuoteStep.INK)
    raise QuoteNotFoundError(
        "the text does not contain the quote",
        hint="quote it as `watcher show --text` prints it, or give start and end",
    )


def _all_places(data: bytes, wanted: bytes) -> list[Range]:
    places, position = [], data.find(wanted)
    while position >= 0:
        places.append(Range(position, position + len(wanted)))
        position = data.find(wanted, position + 1)
    return places


def _only(text: CanonicalText, places: list[Range], step: QuoteStep) -> QuoteMatch:
    if len(places) > 1:
        raise QuoteAmbiguousError(tuple(places))
    return QuoteMatch(text.split_at_pages(*places[0]), step)
