"""Automatic numbers of paragraphs, as Word computes them (ECMA-376 Part 1, 17.9).

"4.2" is the name of a clause, but no text in OOXML: it follows from the lists
of `numbering.xml` and from all paragraphs before. Bullets say nothing and are
not written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from xml.etree import ElementTree as ET

from watcher.extract.ooxml import Package, attributes, short

LEVELS = 9
_PLACEHOLDER = re.compile(r"%([1-9])")
_DIGITS = "〇一二三四五六七八九"
_LARGEST_ROMAN = 3999
_SUFFIXES = {"nothing": "", "space": " "}
_ON = frozenset(["", "1", "true", "on"])


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list: how its number looks and when it starts anew.

    `restart` is the level, from 1, whose number restarts this one: 0 never,
    None any level above.
    """

    start: int = 1
    form: str = "decimal"
    sample: str = ""
    text: str = ""
    suffix: str = " "
    legal: bool = False
    restart: int | None = None
    style: str = ""


@dataclass(slots=True)
class _List:
    """A list as a paragraph names it: the counters that it shares, its levels, its own starts."""

    counters: str
    levels: dict[int, Level]
    starts: dict[int, int] = field(default_factory=dict)


class Numbers:
    """Numbers paragraphs one after another, in the order of the document."""

    def __init__(self, package: Package, numbering: str | None, styles: ET.Element | None) -> None:
        self.unknown: set[str] = set()
        """Number formats that were met and are written as decimal numbers."""
        self._lists: dict[str, _List] = {}
        self._counters: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()
        self._styles = _style_lists(styles)
        root = package.xml(numbering) if numbering else None
        if root is not None:
            self._load(root)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Number what is not the body (headers, notes) by itself."""
        outer = self._counters, self._begun
        self._counters, self._begun = {}, set()
        try:
            yield
        finally:
            self._counters, self._begun = outer

    def of(self, properties: ET.Element | None) -> str:
        """Return the number before a paragraph, with what separates it; "" where it has none."""
        place = self._place(properties)
        if place is None:
            return ""
        named, depth = place
        its = self._lists.get(named)
        level = its.levels.get(depth) if its is not None else None
        if its is None or level is None:
            return ""
        self._count(named, its, depth)
        if level.form == "bullet":
            return ""
        text = _PLACEHOLDER.sub(
            lambda found: self._shown(its, int(found[1]) - 1, level), level.text
        )
        return text + level.suffix if text.strip() else ""

    def _place(self, properties: ET.Element | None) -> tuple[str, int] | None:
        """Return the list and the level, from 0, of a paragraph."""
        if properties is None:
            return None
        style = _value(properties, "w:pStyle")
        by_style = self._styles.get(style)
        own = _child(properties, "w:numPr")
        named = _value(own, "w:numId") if own is not None else ""
        depth = _value(own, "w:ilvl") if own is not None else ""
        if not named and by_style is not None:
            named = by_style[0]
            depth = depth or by_style[1]
        if not named or named == "0":
            return None
        if not depth:
            depth = self._depth_of_style(named, style)
        return named, min(LEVELS - 1, _number(depth, 0))

    def _depth_of_style(self, named: str, style: str) -> str:
        its = self._lists.get(named)
        levels = its.levels.items() if its is not None else ()
        return next((str(depth) for depth, level in levels if style and level.style == style), "0")

    def _count(self, named: str, its: _List, depth: int) -> None:
        counters = self._counters.setdefault(its.counters, {})
        if depth in its.starts and (named, depth) not in self._begun:
            self._begun.add((named, depth))
            counters[depth] = its.starts[depth]
        elif depth in counters:
            counters[depth] += 1
        else:
            counters[depth] = its.levels[depth].start
        for below in [other for other in counters if other > depth]:
            level = its.levels.get(below, Level())
            if level.restart is None or depth < level.restart:
                del counters[below]

    def _shown(self, its: _List, depth: int, asking: Level) -> str:
        level = its.levels.get(depth)
        if level is None:
            return ""
        value = self._counters[its.counters].setdefault(depth, level.start)
        form = "decimal" if asking.legal else level.form
        if form in ("none", "bullet"):
            return ""
        if form == "custom":
            return str(value).zfill(len(level.sample.split(",")[0].strip()))
        written = _FORMS.get(form)
        if written is None:
            self.unknown.add(form)
            return str(value)
        return written(value)

    def _load(self, root: ET.Element) -> None:
        abstracts = {
            attributes(item).get("w:abstractNumId", ""): item
            for item in root
            if short(item.tag) == "w:abstractNum"
        }
        linked = {
            name: key for key, item in abstracts.items() if (name := _value(item, "w:styleLink"))
        }
        for item in root:
            if short(item.tag) != "w:num":
                continue
            key = _value(item, "w:abstractNumId")
            found = abstracts.get(key)
            if found is not None and (name := _value(found, "w:numStyleLink")):
                key = linked.get(name, key)
                found = abstracts.get(key)
            its = _List(key, _levels(found) if found is not None else {})
            _override(its, item)
            self._lists[attributes(item).get("w:numId", "")] = its


def _levels(parent: ET.Element) -> dict[int, Level]:
    return {
        _number(attributes(item).get("w:ilvl", ""), 0): _level(item)
        for item in parent
        if short(item.tag) == "w:lvl"
    }


def _level(item: ET.Element) -> Level:
    form, sample = "decimal", ""
    for element in item.iter():
        # A format of a newer edition stands beside its fallback; the first is what Word shows.
        if short(element.tag) == "w:numFmt":
            form = attributes(element).get("w:val", form)
            sample = attributes(element).get("w:format", "")
            break
    legal = _child(item, "w:isLgl")
    restart = _value(item, "w:lvlRestart")
    return Level(
        start=_number(_value(item, "w:start"), 0),
        form=form,
        sample=sample,
        text=_value(item, "w:lvlText"),
        suffix=_SUFFIXES.get(_value(item, "w:suff"), " "),
        legal=legal is not None and attributes(legal).get("w:val", "") in _ON,
        restart=_number(restart, 0) if restart else None,
        style=_value(item, "w:pStyle"),
    )


def _override(its: _List, item: ET.Element) -> None:
    for override in item:
        if short(override.tag) != "w:lvlOverride":
            continue
        depth = _number(attributes(override).get("w:ilvl", ""), 0)
        for level in _levels(override).values():
            its.levels[depth] = level
        if start := _value(override, "w:startOverride"):
            its.starts[depth] = _number(start, 1)
            if depth in its.levels:
                its.levels[depth] = replace(its.levels[depth], start=its.starts[depth])


def _style_lists(styles: ET.Element | None) -> dict[str, tuple[str, str]]:
    """Return list and level of each paragraph style, its own or its ancestor's."""
    own: dict[str, tuple[str, str]] = {}
    parents: dict[str, str] = {}
    for style in styles if styles is not None else ():
        style_id = attributes(style).get("w:styleId", "")
        if base := _value(style, "w:basedOn"):
            parents[style_id] = base
        properties = _child(style, "w:pPr")
        number = _child(properties, "w:numPr") if properties is not None else None
        if number is not None:
            own[style_id] = _value(number, "w:numId"), _value(number, "w:ilvl")
    found: dict[str, tuple[str, str]] = {}
    for style_id in {*own, *parents}:
        named = depth = ""
        at, steps = style_id, 0
        while steps < 50 and not named:
            its = own.get(at, ("", ""))
            named, depth = its[0], depth or its[1]
            if at not in parents:
                break
            at, steps = parents[at], steps + 1
        if named:
            found[style_id] = named, depth
    return found


def _child(element: ET.Element, name: str) -> ET.Element | None:
    return next((child for child in element if short(child.tag) == name), None)


def _value(element: ET.Element, name: str) -> str:
    """Return the `w:val` of a child, "" where there is none."""
    child = _child(element, name)
    return attributes(child).get("w:val", "") if child is not None else ""


def _number(value: str, otherwise: int) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else otherwise


def _letters(value: int) -> str:
    """1 is A, 26 is Z, 27 is AA, 53 is AAA: Word repeats the letter."""
    return chr(65 + (value - 1) % 26) * min(30, (value - 1) // 26 + 1) if value > 0 else ""


def _roman(value: int) -> str:
    if not 0 < value <= _LARGEST_ROMAN:
        return str(value)
    written = ""
    for worth, letters in _ROMAN:
        written += letters * (value // worth)
        value %= worth
    return written


_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
    (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def _ordinal(value: int) -> str:
    teen = 10 < value % 100 < 20
    return f"{value}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th')}"


def _counting(value: int) -> str:
    """Chinese and Japanese counting up to 99."""
    if not 0 < value < 100:
        return str(value)
    tens, ones = divmod(value, 10)
    written = ("" if tens == 1 else _DIGITS[tens]) + "十" if tens else ""
    return written + (_DIGITS[ones] if ones or not tens else "")


_FORMS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda value: f"{value:02}",
    "decimalFullWidth": lambda value: "".join(chr(ord(digit) + 0xFEE0) for digit in str(value)),
    "decimalHalfWidth": str,
    "lowerLetter": lambda value: _letters(value).lower(),
    "upperLetter": _letters,
    "lowerRoman": lambda value: _roman(value).lower(),
    "upperRoman": _roman,
    "ordinal": _ordinal,
    "numberInDash": lambda value: f"- {value} -",
    "chineseCounting": _counting,
    "chineseCountingThousand": _counting,
    "japaneseCounting": _counting,
    "taiwaneseCounting": _counting,
    "taiwaneseCountingThousand": _counting,
    "ideographDigital": lambda value: "".join(_DIGITS[int(digit)] for digit in str(value)),
    "decimalEnclosedCircle": lambda value: chr(0x245F + value) if 0 < value < 21 else str(value),
}
