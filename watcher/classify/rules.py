"""The rules that may prove a change harmless, by id; what none proves bears policy."""

from __future__ import annotations

from typing import NamedTuple

from watcher.domain.changes import ChangeClass


class Tried(NamedTuple):
    """A rule that was tried on a piece: whether it proved it, and why (not)."""

    rule: str
    proven: bool
    why: str


UNPROVEN = "unproven"

_COSMETIC = {
    "same-tokens": "only spaces, line breaks, typography or markup differ",
    "markup": "only marks of layout differ",
    "typography": "the same sign in another style",
    "number-format": "the same number with other grouping or decimals",
    "spelling": "the same word in another spelling convention",
    "case": "capitals differ where they carry no meaning",
    "list-number": "an own number or bullet of a heading or item differs",
    "end-mark": "the mark that closes a heading, item or paragraph differs",
    "encoding": "the same letters after repair of a wrong encoding",
    "email-obfuscation": "an address is hidden from robots",
    "stamp-date": "the date of the last update differs",
    "copyright-year": "the year of a copyright line differs",
    "furniture": "a running header, footer or page number differs",
    "navigation": "navigation or page tools differ",
    "banner": "a cookie banner differs",
    "related-pages": "the titles of other pages below a text differ",
    "asset": "an image address or a technical token differs",
    "link-target": "the same words link to another address",
    "link-tracking": "only tracking parameters of an address differ",
    "list-order": "the items of an unordered list stand in another order",
}
_EDITORIAL = {
    "equal-duration": "the same length of time in another notation",
    "equal-date": "the same date in another notation",
    "equal-time": "the same time of day in another notation",
    "equal-amount": "the same amount in another notation",
    "equal-number": "the same number in another notation",
    "equal-percentage": "the same percentage in another notation",
    "equal-measure": "the same measure in another unit",
    "deontic-synonym": "the same duty, ban or permission in other words",
    "synonym": "listed words that say the same",
    "contraction": "a contraction written out or back",
    "gender-neutral": "the same persons in a gender-neutral form",
    "acronym": "the long form stands beside its own acronym",
    "contact-format": "the same telephone number set in another way",
    "courtesy": "a word of courtesy comes or goes",
    "typo": "a slip of the pen is corrected",
    "heading": "a bare heading comes, goes or is reworded",
    "reorder": "the same parts of an enumeration in another order",
    "renumbered": "a section and the references to it are renumbered together",
    "table-columns": "table columns change places together with their headers",
    "revision-history": "a line is added to the document's own history of changes",
    "moved": "the same text stands elsewhere under the same heading",
}

CLASS_OF: dict[str, ChangeClass] = {
    **dict.fromkeys(_COSMETIC, ChangeClass.COSMETIC),
    **dict.fromkeys(_EDITORIAL, ChangeClass.EDITORIAL),
    UNPROVEN: ChangeClass.POLICY_BEARING,
}
"""The class that each rule proves."""

DESCRIPTION: dict[str, str] = {
    **_COSMETIC,
    **_EDITORIAL,
    UNPROVEN: "no rule proves it harmless",
}
"""What each rule says, in one clause for a reviewer."""


def heavier(first: str, second: str) -> str:
    """Return the rule of the higher class; the first where they are equal."""
    return second if CLASS_OF[second].rank > CLASS_OF[first].rank else first
