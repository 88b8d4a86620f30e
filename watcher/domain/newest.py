"""Which of a page's links leads to the newest edition of a document.

Publishers keep a page of editions and give each a file of its own. What tells
the newest is a version (`v2` before `v10`), a date in the file's name or in the
link's words, or simply the order of the page. All of it is decided here, from
nothing but the links and the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from watcher.domain.patterns import OwnPattern

_MAX_FACE = 2048
"""Characters of a target and of a link's words that are looked at."""

Key = tuple[tuple[int, int, str], ...]
Date = tuple[int, int, int]


class Newest(StrEnum):
    """By what the newest of several links is told."""

    TEXT = "text"
    """Natural order of what the pattern found: numbers count as numbers."""
    DATE = "date"
    """The latest date in the link's words or target; links without one are left out."""
    ORDER = "order"
    """The first on the page."""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link of a page: its absolute target, and its words with blanks squeezed."""

    target: str
    text: str


@dataclass(frozen=True, slots=True)
class FollowRule:
    """Which links are editions, and what tells the newest of them.

    `pattern` is searched in the target (percent escapes decoded) and in the
    words. Where it has groups, only what they caught tells the newest.
    """

    pattern: OwnPattern
    newest: Newest


@dataclass(frozen=True, slots=True)
class Edition:
    """A link that fits a rule, and what of it was compared, in words."""

    link: PageLink
    compared: str


def editions(links: Sequence[PageLink], rule: FollowRule) -> list[Edition]:
    """Return the links that fit `rule`, the newest first; each target once.

    Equal ones stay in the order of the page.
    """
    fitting = list(_fitting(links, rule))
    if rule.newest is Newest.ORDER:
        return [Edition(link, "first on the page") for link, _ in fitting]
    if rule.newest is Newest.TEXT:
        return [
            Edition(link, caught[0])
            for link, caught in sorted(
                fitting, key=lambda one: natural_key(one[1][0]), reverse=True
            )
        ]
    months_first = _months_first([face for _, caught in fitting for face in caught])
    dated = [
        (date, link)
        for link, caught in fitting
        if (date := latest_date(" ".join(caught), months_first=months_first)) is not None
    ]
    dated.sort(key=lambda one: (one[0], natural_key(unquote(one[1].target))), reverse=True)
    return [Edition(link, _written(date)) for date, link in dated]


def _fitting(
    links: Sequence[PageLink], rule: FollowRule
) -> Iterator[tuple[PageLink, tuple[str, ...]]]:
    """Yield the fitting links with what tells their age: what was caught, most telling first."""
    seen: set[str] = set()
    for link in links:
        faces = unquote(link.target)[:_MAX_FACE], link.text[:_MAX_FACE]
        found = [match for face in faces if (match := rule.pattern.search(face))]
        if not found or link.target in seen:
            continue
        seen.add(link.target)
        if rule.pattern.groups:
            groups = [" ".join(part or "" for part in caught) for _, caught in found]
            yield link, tuple(groups)
        elif rule.newest is Newest.DATE:
            yield link, faces
        else:
            yield link, tuple(whole for whole, _ in found)


def natural_key(text: str) -> Key:
    """Return a key under which `v2` comes before `v10` and `2.9` before `2.10`."""
    parts = re.findall(r"\d+|\D+", text.casefold())
    # A word sorts after a number: `v2 draft` and `v2.1` begin alike and differ there.
    return tuple((0, int(p[:30]), "") if p[0].isdecimal() else (1, 0, p) for p in parts)


# --- dates ---------------------------------------------------------------------

_MONTHS = (
    "january|jan|januar|jänner|janvier|janv|enero|ene|gennaio|gen|janeiro|januari",
    "february|feb|februar|février|févr|fév|febrero|febbraio|fevereiro|fev|februari",
    "march|mar|märz|mrz|mars|marzo|março|maart|mrt",
    "april|apr|avril|avr|abril|abr|aprile",
    "may|mai|mayo|maggio|mag|maio|mei",
    "june|jun|juni|juin|junio|giugno|giu|junho",
    "july|jul|juli|juillet|juil|julio|luglio|lug|julho",
    "august|aug|août|agosto|ago|augustus",
    "september|sept|sep|septembre|septiembre|settembre|set|setembro",
    "october|oct|oktober|okt|octobre|octubre|ottobre|ott|outubro|out",
    "november|nov|novembre|noviembre|novembro",
    "december|dec|dezember|dez|décembre|déc|diciembre|dic|dicembre|dezembro",
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split("|")}
_MONTH = rf"(?P<word>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})(?![^\W\d_])\.?"
_GAP = r"[\s_.,/-]{0,3}(?:de\s|del\s)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])"
_MONTH_NUMBER = r"(?P<month>1[0-2]|0?[1-9])"
_TWO = r"(?P<month>1[0-2]|0[1-9])"
_START = r"(?<![^\W_])"
_NO_DATE_BEFORE = r"(?<!\d[./-])"

_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # 20240501, with a time of day behind it too
        rf"(?<!\d)(?P<year>(?:19|20)\d\d){_TWO}(?P<day>3[01]|[12]\d|0[1-9])(?:\d{{4}}|\d{{6}})?(?!\d)",
        rf"(?<!\d)(?P<year>(?:19|20)\d\d)[-_./]{_MONTH_NUMBER}[-_./]{_DAY}(?!\d)",
        rf"(?<!\d)(?P<year>(?:19|20)\d\d)[-_./]{_MONTH_NUMBER}(?![\d])",
        rf"(?<!\d)(?P<year>(?:19|20)\d\d){_TWO}(?!\d)",
        rf"(?<!\d){_DAY}(?:st|nd|rd|th|er|º|ª)?{_GAP}{_MONTH}{_GAP}{_YEAR}",
        rf"{_START}{_MONTH}{_GAP}{_DAY}(?:st|nd|rd|th)?,?[\s_.-]{{1,2}}{_YEAR}",
        rf"{_START}{_MONTH}{_GAP}{_YEAR}",
        rf"(?<!\d)(?P<year>(?:19|20)\d\d)[\s_.-]{{0,2}}{_MONTH}",
        rf"(?<!\d){_NO_DATE_BEFORE}{_TWO}[-_./]{_YEAR}",
        rf"(?<!\d){_YEAR}",
    )
)
_BY_NUMBERS = re.compile(
    r"(?<!\d)(?P<one>\d{1,2})(?P<dash>[-_./])(?P<two>\d{1,2})(?P=dash)(?P<year>(?:19|20)\d\d)(?!\d)"
)


def latest_date(text: str, *, months_first: bool = False) -> Date | None:
    """Return the latest date in `text` as (year, month, day), 0 for what it does not say.

    `months_first` reads 03/04/2024 as 4 March; a value over 12 decides alone,
    and with dots the day is always first.
    """
    found = [_date(match) for form in _FORMS for match in form.finditer(text)]
    for match in _BY_NUMBERS.finditer(text):
        one, two = int(match["one"]), int(match["two"])
        reversed_ = months_first and one <= 12 and match["dash"] != "."
        day, month = (two, one) if reversed_ or two > 12 else (one, two)
        if 1 <= month <= 12 and 1 <= day <= 31:
            found.append((int(match["year"]), month, day))
    return max(found, default=None)


def _date(match: re.Match[str]) -> Date:
    parts = match.groupdict()
    word = parts.get("word")
    month = _MONTH_OF[word.casefold()] if word else int(parts.get("month") or 0)
    return int(parts["year"]), month, int(parts.get("day") or 0)


def _months_first(texts: Sequence[str]) -> bool:
    """Tell whether a page writes month before day: one date of it shows that for all."""
    pairs = [(int(m["one"]), int(m["two"])) for text in texts for m in _BY_NUMBERS.finditer(text)]
    return any(two > 12 for _, two in pairs) and not any(one > 12 for one, _ in pairs)


def _written(date: Date) -> str:
    return "-".join([f"{date[0]:04d}", *(f"{part:02d}" for part in date[1:] if part)])
