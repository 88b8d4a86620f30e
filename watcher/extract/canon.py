"""The canonical text rules, version 1, as the contract states them.

Two kinds of text follow two sets of rules. Markdown and plain text are only
decoded and cleaned of characters that no text may hold. HTML, PDF and DOCX are
set by an engine, so their white space is made regular as well. Nothing else is
normalised: ligatures, soft hyphens and no-break spaces are the publisher's.
"""

from __future__ import annotations

import re

CANON = "1"
"""The version of these rules; part of every rendition."""

PAGE_SEPARATOR = "\f"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def _table(form_feed: str) -> dict[int, str | None]:
    table: dict[int, str | None] = dict.fromkeys(range(0x20), REPLACEMENT)
    table |= dict.fromkeys(range(0x7F, 0xA0), REPLACEMENT)
    table |= dict.fromkeys(range(0xD800, 0xE000), REPLACEMENT)
    table |= dict.fromkeys(range(0xFDD0, 0xFDF0), REPLACEMENT)
    for plane in range(0x11):
        table[plane * 0x10000 + 0xFFFE] = REPLACEMENT
        table[plane * 0x10000 + 0xFFFF] = REPLACEMENT
    table |= dict.fromkeys([0x0B, 0x0D, 0x85, 0x2028, 0x2029], "\n")
    table[0x0C] = form_feed
    table[0x00] = None
    del table[0x09], table[0x0A]
    return table


_ONE_TO_ONE = _table("\n") | {0: " "}
_TABLES = {"\n": _table("\n"), " ": _table(" ")}
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(chr(p * 0x10000 + 0xFFFE) + chr(p * 0x10000 + 0xFFFF) for p in range(1, 0x11))
    + "]"
)
_BLANKS = re.compile(r"[ \t]{2,}|\t")
_BLANKS_AT_LINE_END = re.compile(r"[ \t]+(?=\n|\Z)")
_EMPTY_LINES = re.compile(r"\n{3,}")


def clean(text: str, form_feed: str = " ") -> str:
    """Return `text` with only the characters a canonical text may hold.

    NUL is dropped, every line end becomes LF, a form feed `form_feed` (a space
    or LF), any other control, noncharacter or lone surrogate U+FFFD.
    """
    if _SUSPECT.search(text) is None:
        return text
    return text.replace("\r\n", "\n").translate(_TABLES[form_feed])


def one_to_one(text: str) -> str:
    """Return `clean` without dropping anything: one character for each, NUL as a space."""
    return text.translate(_ONE_TO_ONE)


def decoded(text: str, *, form_feed: str) -> bytes:
    """Return the canonical bytes of Markdown or plain text."""
    return clean(text.lstrip("\ufeff"), form_feed).encode()


def regular_page(text: str) -> str:
    """Return one page of set text with regular white space, without a final LF."""
    text = clean(text, "\n")
    text = _BLANKS.sub(" ", text)
    text = _BLANKS_AT_LINE_END.sub("", text)
    return _EMPTY_LINES.sub("\n\n", text).strip("\n")


def join_pages(pages: list[str]) -> bytes:
    """Return the canonical bytes of regular pages, in order.

    Empty pages stay, so that page numbers stay. Where no page has any text
    there is no text.
    """
    if not pages:
        return b""
    pages = [pages[0].lstrip("\ufeff\n"), *pages[1:]]
    if not any(pages):
        return b""
    return (PAGE_SEPARATOR.join(pages) + "\n").encode()
