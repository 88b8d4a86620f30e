"""DOCX to canonical text: a walk over the raw OOXML, part after part.

Order: the headers of each section (each part once), the body with its text
boxes after the paragraph that anchors them, footnotes, endnotes, footers,
comments. Insertions are text. Deletions are text too, as Word shows them, and
marked as struck. Automatic numbers stand where Word shows them, bullets do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from watcher.domain.ranges import Range
from watcher.domain.reading import (
    ExtractVerdict,
    Heading,
    Landmark,
    LandmarkRange,
    Link,
    MediaType,
    Problem,
    Reading,
    Rendition,
)
from watcher.domain.text import CanonicalText
from watcher.extract.builder import LINE, PARAGRAPH, TextBuilder
from watcher.extract.canon import CANON
from watcher.extract.docx_numbers import Numbers
from watcher.extract.docx_walk import Story
from watcher.extract.failure import failed
from watcher.extract.media import is_encrypted_office
from watcher.extract.ooxml import LockedError, Package, PackageError, attributes, short

WALK = "2"
"""The version of the walk over the parts; part of the rendition. 2 writes automatic
numbers, the signs of formulas and the characters of the Symbol font."""
_RENDITION = Rendition("ooxml", (("canon", CANON), ("walk", WALK)))
_PASSWORD = Problem("encrypted", "it opens only with a password: publish it without one")


def read_docx(data: bytes) -> Reading:
    """Return the reading of a DOCX file (or its flat XML form); never fails on bad input."""
    if is_encrypted_office(data):
        return failed(ExtractVerdict.ENCRYPTED, _PASSWORD, MediaType.DOCX, _RENDITION)
    try:
        return _Document(Package(data)).read()
    except LockedError:
        return failed(ExtractVerdict.ENCRYPTED, _PASSWORD, MediaType.DOCX, _RENDITION)
    except PackageError as error:
        problem = Problem("broken", str(error))
    except RecursionError:
        problem = Problem("broken", "its elements are nested too deeply")
    return failed(ExtractVerdict.FAILED, problem, MediaType.DOCX, _RENDITION)


class _Document:
    """The parts of one document in reading order."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._main = _main_part(package)
        self._out = TextBuilder()
        self._landmarks: list[LandmarkRange] = []
        links = package.relationships(self._main).values()
        named = {link.kind: link.target for link in links if not link.external}
        styles = package.xml(named.get("styles", "word/styles.xml"))
        self._numbers = Numbers(package, named.get("numbering"), styles)
        self._story = Story(self._out, package, _outline_levels(styles), self._numbers)
        self._written: set[str] = set()
        self._problems: list[Problem] = []

    def read(self) -> Reading:
        root = self._package.xml(self._main)
        if root is None:
            raise PackageError("it has no main document part")
        body = next((child for child in root if short(child.tag) == "w:body"), None)
        if body is None:
            raise PackageError("its main part has no body")
        relationships = self._package.relationships(self._main)
        kinds = {link.target: link.kind for link in relationships.values() if not link.external}
        sections = [_references(section, "w:headerReference") for section in _sections(body)]
        for children, headers in _by_section(body, sections):
            for reference in headers:
                if reference in relationships:
                    self._part(relationships[reference].target, Landmark.HEADER)
            self._story.write(children, relationships)
        self._rest(kinds, "header", Landmark.HEADER)
        self._notes(kinds, "footnotes", self._story.footnotes)
        self._notes(kinds, "endnotes", self._story.endnotes)
        self._rest(kinds, "footer", Landmark.FOOTER)
        self._rest(kinds, "comments", Landmark.ASIDE)
        if any(kind == "aFChunk" for kind in kinds.values()):
            self._problems.append(Problem("left_out", "it embeds a document in another format"))
        return self._reading()

    def _reading(self) -> Reading:
        story, data = self._story, self._out.finish()
        problems = self._problems
        if not data:
            problems.append(Problem("empty", "the document has no text"))
        problems += [
            Problem("list_number", f"numbers of the format {form} are written as decimal ones")
            for form in sorted(self._numbers.unknown)
        ]
        title, language = _properties(self._package)
        partial = any(problem.code == "left_out" for problem in problems)
        return Reading(
            text=CanonicalText(data),
            media_type=MediaType.DOCX,
            rendition=_RENDITION,
            verdict=ExtractVerdict.PARTIAL if partial else ExtractVerdict.OK,
            page_labels=("1",),
            title=title,
            language=language,
            headings=tuple(
                Heading(mark.range, level) for level, mark in story.headings if mark.range.length
            ),
            links=tuple(Link(mark.range, target) for target, mark in story.links),
            struck=_merged([mark.range for mark in story.struck if mark.range.length]),
            images=tuple(story.images),
            landmarks=tuple(self._landmarks),
            hidden_characters=story.hidden_characters,
            problems=tuple(problems),
        )

    def _rest(self, kinds: dict[str, str], kind: str, landmark: Landmark) -> None:
        for target in sorted(target for target, its in kinds.items() if its == kind):
            self._part(target, landmark)

    def _part(self, name: str, landmark: Landmark) -> None:
        if name in self._written:
            return
        self._written.add(name)
        root = self._package.xml(name)
        if root is None:
            return
        self._out.block(PARAGRAPH)
        mark = self._out.open()
        with self._numbers.apart():
            self._story.write(list(root), self._package.relationships(name))
        self._out.close(mark)
        self._out.block(PARAGRAPH)
        if mark.range.length:
            self._landmarks.append(LandmarkRange(landmark, mark.range))

    def _notes(self, kinds: dict[str, str], kind: str, order: list[str]) -> None:
        """Write the notes in the order in which the text refers to them, then the others."""
        for name in sorted(target for target, its in kinds.items() if its == kind):
            root = self._package.xml(name)
            if root is None:
                continue
            notes = {attributes(note).get("w:id", ""): note for note in root}
            relationships = self._package.relationships(name)
            self._out.block(PARAGRAPH)
            for note in [notes.pop(i) for i in order if i in notes] + list(notes.values()):
                self._out.block(LINE)
                with self._numbers.apart():
                    self._story.write(list(note), relationships)
            self._out.block(PARAGRAPH)


def _main_part(package: Package) -> str:
    for link in package.relationships("").values():
        if link.kind == "officeDocument":
            return link.target
    return "word/document.xml"


def _sections(body: ET.Element) -> list[ET.Element]:
    return [element for element in body.iter() if short(element.tag) == "w:sectPr"]


def _references(section: ET.Element, name: str) -> list[str]:
    return [attributes(c).get("r:id", "") for c in section if short(c.tag) == name]


def _by_section(
    body: ET.Element, headers: list[list[str]]
) -> Iterator[tuple[list[ET.Element], list[str]]]:
    """Yield the body's children section by section, each with its header references."""
    remaining = iter(headers)
    children: list[ET.Element] = []
    for child in body:
        children.append(child)
        for _ in _sections(child):
            yield children, next(remaining, [])
            children = []
    if children:
        yield children, []


def _outline_levels(root: ET.Element | None) -> dict[str, int]:
    """Return the heading level, from 1, of each paragraph style that has one."""
    own: dict[str, int] = {}
    parents: dict[str, str] = {}
    for style in root if root is not None else ():
        style_id = attributes(style).get("w:styleId", "")
        for element in style.iter():
            tag = short(element.tag)
            if tag == "w:outlineLvl":
                own[style_id] = _level(attributes(element).get("w:val", ""))
            elif tag == "w:basedOn":
                parents[style_id] = attributes(element).get("w:val", "")
    levels: dict[str, int] = {}
    for style_id in {*own, *parents}:
        at, steps = style_id, 0
        while at not in own and at in parents and steps < 50:
            at, steps = parents[at], steps + 1
        if own.get(at):
            levels[style_id] = own[at]
    return levels


def _level(value: str) -> int:
    """Return the level from 1, or 0 for body text (which OOXML calls 9)."""
    return int(value) + 1 if value.isascii() and value.isdigit() and int(value) < 9 else 0


def _properties(package: Package) -> tuple[str, str]:
    for link in package.relationships("").values():
        if link.kind == "core-properties":
            root = package.xml(link.target)
            found = {short(c.tag): c.text or "" for c in root} if root is not None else {}
            return " ".join(found.get("title", "").split()), found.get("language", "").strip()
    return "", ""


def _merged(ranges: list[Range]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for item in sorted(ranges):
        if merged and item.start <= merged[-1].end:
            merged[-1] = Range(merged[-1].start, max(merged[-1].end, item.end))
        else:
            merged.append(item)
    return tuple(merged)
