"""The walk over WordprocessingML content: what each element adds to the text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from xml.etree import ElementTree as ET

from watcher.extract.builder import LINE, PARAGRAPH, Mark, TextBuilder
from watcher.extract.docx_numbers import Numbers
from watcher.extract.docx_symbols import symbol
from watcher.extract.names import names
from watcher.extract.ooxml import Package, Relationship, attributes, short

_SKIPPED = names(
    "w:rPr w:tblPr w:tblGrid w:trPr w:tcPr w:sdtPr w:sdtEndPr w:sectPr w:instrText "
    "w:delInstrText w:ffData w:pPr w:numPr mc:Fallback w:binData m:ctrlPr m:rPr wp:docPr "
    "wp:positionH wp:positionV wp:extent wp:effectExtent w:bookmarkStart w:annotationRef"
)
_TEXT = frozenset(["w:t", "w:delText", "m:t", "a:t"])
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:"([^"]*)"|(\\l)\s+"([^"]*)"|(\S+))', re.IGNORECASE)
_OFF = frozenset(["0", "false", "off", "none"])


class Story:
    """Writes content into one builder and keeps what stands beside the text."""

    def __init__(
        self, out: TextBuilder, package: Package, levels: dict[str, int], numbers: Numbers
    ) -> None:
        self.headings: list[tuple[int, Mark]] = []
        self.links: list[tuple[str, Mark]] = []
        self.struck: list[Mark] = []
        self.images: list[str] = []
        self.footnotes: list[str] = []
        self.endnotes: list[str] = []
        self.hidden_characters = 0
        self._out = out
        self._package = package
        self._levels = levels
        self._numbers = numbers
        self._relationships: dict[str, Relationship] = {}
        self._fields: list[_Field] = []
        self._aside: list[ET.Element] = []
        self._first_cell = True
        self._tags: dict[str, str] = {}
        self._handlers: dict[str, Callable[[ET.Element], None]] = {
            "w:p": self._paragraph,
            "w:r": self._run,
            "w:tbl": self._table,
            "w:tr": self._row,
            "w:tc": self._cell,
            "w:hyperlink": self._hyperlink,
            "w:fldSimple": self._simple_field,
            "w:fldChar": self._field_character,
            "w:instrText": self._instruction,
            "w:del": self._deleted,
            "w:moveFrom": self._deleted,
            "w:txbxContent": self._box,
            "mc:AlternateContent": self._alternative,
            "w:footnoteReference": self._footnote,
            "w:endnoteReference": self._endnote,
            "w:sym": self._symbol,
            "w:ruby": self._ruby,
            "m:f": self._fraction,
            "m:d": self._delimited,
            "m:nary": self._nary,
            "m:rad": self._radical,
            "m:m": self._matrix,
            "m:eqArr": self._matrix,
            "m:oMathPara": self._display,
            "a:blip": self._image,
            "v:imagedata": self._image,
            "c:chart": self._drawing_part,
            "dgm:relIds": self._drawing_part,
            "w:tab": lambda _: out.text(" "),
            "w:ptab": lambda _: out.text(" "),
            "w:br": lambda _: out.line_break(),
            "w:cr": lambda _: out.line_break(),
            "w:noBreakHyphen": lambda _: out.text("\u2011"),
            "w:softHyphen": lambda _: out.text("\u00ad"),
        }

    def write(self, elements: Iterable[ET.Element], links: dict[str, Relationship]) -> None:
        """Write `elements` of a part whose relationships are `links`."""
        outer, self._relationships = self._relationships, links
        for element in elements:
            self._element(element)
        self._flush_aside()
        while self._fields:
            self._end_field()
        self._relationships = outer

    def _element(self, element: ET.Element) -> None:
        tag = self._tags.get(element.tag)
        if tag is None:
            tag = self._tags.setdefault(element.tag, short(element.tag))
        if tag in _TEXT:
            self._out.text(element.text or "")
        elif (handler := self._handlers.get(tag)) is not None:
            handler(element)
        elif tag not in _SKIPPED:
            self._children(element)

    def _children(self, element: ET.Element) -> None:
        for child in element:
            self._element(child)

    def _paragraph(self, element: ET.Element) -> None:
        properties = _child(element, "w:pPr")
        level = self._heading_level(properties)
        spacing = PARAGRAPH if level else LINE
        self._out.block(spacing)
        before, outer, self._aside = self._out.characters, self._aside, []
        mark = self._out.open()
        if number := self._numbers.of(properties):
            self._out.text(number)
        self._children(element)
        self._out.close(mark)
        if level and mark.range.length:
            self.headings.append((level, mark))
        # A paragraph without text is the writer's empty line.
        self._out.block(spacing if self._out.characters > before else PARAGRAPH)
        self._flush_aside()
        self._aside = outer

    def _heading_level(self, properties: ET.Element | None) -> int:
        if properties is None:
            return 0
        own = _child(properties, "w:outlineLvl")
        if own is not None:
            value = attributes(own).get("w:val", "")
            return int(value) + 1 if value.isascii() and value.isdigit() and int(value) < 9 else 0
        style = _child(properties, "w:pStyle")
        return self._levels.get(attributes(style).get("w:val", ""), 0) if style is not None else 0

    def _run(self, element: ET.Element) -> None:
        properties = _child(element, "w:rPr")
        struck = _is_on(properties, "w:strike") or _is_on(properties, "w:dstrike")
        mark = self._out.open() if struck else None
        before = self._out.characters
        self._children(element)
        if mark is not None:
            self.struck.append(self._out.close(mark))
        if _is_on(properties, "w:vanish"):
            self.hidden_characters += self._out.characters - before

    def _deleted(self, element: ET.Element) -> None:
        mark = self._out.open()
        self._children(element)
        self.struck.append(self._out.close(mark))

    def _table(self, element: ET.Element) -> None:
        first, self._first_cell = self._first_cell, True
        self._out.block(PARAGRAPH)
        self._children(element)
        self._out.block(PARAGRAPH)
        self._first_cell = first

    def _row(self, element: ET.Element) -> None:
        self._out.block(LINE)
        self._first_cell = True
        properties = _child(element, "w:trPr")
        if properties is not None and _child(properties, "w:del") is not None:
            self._deleted(element)
        else:
            self._children(element)
        self._out.block(LINE)

    def _cell(self, element: ET.Element) -> None:
        self._out.begin_cell(first=self._first_cell)
        self._children(element)
        self._out.end_cell()
        self._first_cell = False

    def _hyperlink(self, element: ET.Element) -> None:
        given = attributes(element)
        link = self._relationships.get(given.get("r:id", ""))
        target = link.target if link is not None else ""
        if anchor := given.get("w:anchor"):
            target += f"#{anchor}"
        self._linked(element, target)

    def _linked(self, element: ET.Element, target: str) -> None:
        mark = self._out.open()
        self._children(element)
        self._out.close(mark)
        if target:
            self.links.append((target, mark))

    def _simple_field(self, element: ET.Element) -> None:
        self._linked(element, _target(attributes(element).get("w:instr", "")))

    def _field_character(self, element: ET.Element) -> None:
        kind = attributes(element).get("w:fldCharType")
        if kind == "begin":
            self._fields.append(_Field())
            self._check_box(element)
        elif kind == "separate" and self._fields:
            field = self._fields[-1]
            if target := _target(field.instruction):
                field.target, field.mark = target, self._out.open()
        elif kind == "end" and self._fields:
            self._end_field()

    def _end_field(self) -> None:
        field = self._fields.pop()
        if field.mark is not None:
            self.links.append((field.target, self._out.close(field.mark)))

    def _instruction(self, element: ET.Element) -> None:
        if self._fields and self._fields[-1].mark is None:
            self._fields[-1].instruction += element.text or ""

    def _check_box(self, begin: ET.Element) -> None:
        """Write a legacy form's check box as the glyph that Word paints."""
        for box in (e for e in begin.iter() if short(e.tag) == "w:checkBox"):
            state = _child(box, "w:checked")
            if state is None:
                state = _child(box, "w:default")
            on = state is not None and attributes(state).get("w:val", "1") not in _OFF
            self._out.text("\u2612" if on else "\u2610")

    def _box(self, element: ET.Element) -> None:
        """Keep a text box until its paragraph ends, so that it cuts no sentence."""
        self._aside.append(element)

    def _flush_aside(self) -> None:
        waiting, self._aside = self._aside, []
        for element in waiting:
            self._out.block(LINE)
            self._children(element)
            self._out.block(LINE)

    def _alternative(self, element: ET.Element) -> None:
        """Write the first choice; the fallback says the same for older programs."""
        choice = _child(element, "mc:Choice")
        if choice is None:
            choice = _child(element, "mc:Fallback")
        if choice is not None:
            self._children(choice)

    def _footnote(self, element: ET.Element) -> None:
        self.footnotes.append(attributes(element).get("w:id", ""))

    def _endnote(self, element: ET.Element) -> None:
        self.endnotes.append(attributes(element).get("w:id", ""))

    def _symbol(self, element: ET.Element) -> None:
        given = attributes(element)
        self._out.text(symbol(given.get("w:font", ""), given.get("w:char", "")))

    def _ruby(self, element: ET.Element) -> None:
        """Write the words, then how they are read, as they follow each other in HTML."""
        for name in ("w:rubyBase", "w:rt"):
            part = _child(element, name)
            if part is not None:
                self._children(part)

    def _display(self, element: ET.Element) -> None:
        for formula in element:
            self._element(formula)
            self._out.text(" ")

    def _fraction(self, element: ET.Element) -> None:
        """Write a fraction with its bar: one over two is not twelve."""
        self._parts_of(element, ("m:num", "m:den"), "/")

    def _parts_of(self, element: ET.Element, names: tuple[str, ...], between: str) -> None:
        parts = [child for child in element if short(child.tag) in names]
        for number, part in enumerate(parts):
            if number:
                self._out.text(between)
            self._children(part)

    def _delimited(self, element: ET.Element) -> None:
        before, between, after = (
            _math_sign(element, "m:dPr", name, usual)
            for name, usual in (("m:begChr", "("), ("m:sepChr", "|"), ("m:endChr", ")"))
        )
        self._out.text(before)
        self._parts_of(element, ("m:e",), between)
        self._out.text(after)

    def _nary(self, element: ET.Element) -> None:
        self._out.text(_math_sign(element, "m:naryPr", "m:chr", "\u222b"))
        self._parts_of(element, ("m:sub", "m:sup", "m:e"), " ")

    def _radical(self, element: ET.Element) -> None:
        self._parts_of(element, ("m:deg",), "")
        self._out.text("\u221a")
        self._parts_of(element, ("m:e",), "")

    def _matrix(self, element: ET.Element) -> None:
        for row in element:
            tag = short(row.tag)
            if tag in ("m:mr", "m:e"):
                self._parts_of(row, ("m:e",), " ") if tag == "m:mr" else self._children(row)
                self._out.text(" ")

    def _image(self, element: ET.Element) -> None:
        given = attributes(element)
        link = self._relationships.get(given.get("r:embed") or given.get("r:id") or "")
        if link is None:
            return
        data = link.target.encode() if link.external else self._package.raw(link.target)
        if data is not None:
            self.images.append(hashlib.sha256(data).hexdigest())

    def _drawing_part(self, element: ET.Element) -> None:
        """Keep the words of a chart or diagram until the paragraph ends."""
        given = attributes(element)
        link = self._relationships.get(given.get("r:id") or given.get("r:dm") or "")
        root = self._package.xml(link.target) if link is not None and not link.external else None
        if root is None:
            return
        holder = ET.Element("words")
        for paragraph in _words(root):
            ET.SubElement(ET.SubElement(holder, _W_P), _W_T).text = paragraph
        self._aside.append(holder)


class _Field:
    """A complex field between its begin and its end."""

    __slots__ = ("instruction", "mark", "target")

    def __init__(self) -> None:
        self.instruction = ""
        self.target = ""
        self.mark: Mark | None = None


_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_W_P, _W_T = _W + "p", _W + "t"


def _words(root: ET.Element) -> list[str]:
    """Return the texts of a chart (titles, series, categories) or of a diagram."""
    found = []
    for element in root.iter():
        tag = short(element.tag)
        if tag == "a:p":
            found.append("".join(e.text or "" for e in element.iter() if short(e.tag) == "a:t"))
        elif tag == "c:strCache":
            found += [e.text or "" for e in element.iter() if short(e.tag) == "c:v"]
    return [text for text in found if text.strip()]


def _child(element: ET.Element, name: str) -> ET.Element | None:
    return next((child for child in element if short(child.tag) == name), None)


def _math_sign(element: ET.Element, properties: str, name: str, usual: str) -> str:
    """Return the sign that a formula's part is written with; an empty one is none."""
    its = _child(element, properties)
    sign = _child(its, name) if its is not None else None
    return attributes(sign).get("m:val", "") if sign is not None else usual


def _is_on(properties: ET.Element | None, name: str) -> bool:
    toggle = _child(properties, name) if properties is not None else None
    return toggle is not None and attributes(toggle).get("w:val", "1") not in _OFF


def _target(instruction: str) -> str:
    found = _HYPERLINK.match(instruction)
    if found is None:
        return ""
    if found[2]:
        return f"#{found[3]}"
    return found[1] or found[4] or ""
