"""HTML to canonical text: a walk over every node that a browser could show.

There is no idea of "main content" here. Whatever a style sheet or a click could
make visible is text: accordions, hidden tabs, navigation, footers. What is
furniture is labelled (landmarks), what is hidden is counted. Left out is only
what no reader can see: scripts, styles, templates, and what stands in for
scripts in browsers without them.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from watcher.domain.ranges import Range
from watcher.domain.reading import Heading, Landmark, LandmarkRange, Link
from watcher.extract.builder import LINE, PARAGRAPH, Mark, TextBuilder
from watcher.extract.canon import clean
from watcher.extract.html_nodes import (
    FRACTION,
    element_id,
    heading_level,
    image_bytes,
    is_layout,
    is_lower,
)
from watcher.extract.html_style import display, hides, is_coloured
from watcher.extract.names import names

WALK = "2"
"""The version of this walk; part of the rendition. 2 reads declarative shadow trees,
writes the signs of fractions and roots, and follows `display` where a style gives it."""

_UNSEEN = names(
    "script style template noscript head title iframe noembed noframes datalist audio video "
    "canvas annotation annotation-xml desc metadata defs"
)
_BLOCKS = dict.fromkeys(
    names(
        "address article aside body button center dd details dialog dir div dt fieldset "
        "figcaption footer form frameset header hgroup html legend li listing main menu nav "
        "optgroup option search section select summary tbody tfoot thead tr td th caption "
        "textarea xmp plaintext text foreignobject marquee"
    ),
    LINE,
) | dict.fromkeys(names("blockquote dl figure h1 h2 h3 h4 h5 h6 hr ol p pre table ul"), PARAGRAPH)
_LISTS = frozenset(["ul", "ol", "dl", "dir", "menu"])
_PRESERVED = frozenset(["pre", "textarea", "listing", "xmp", "plaintext"])
_STRUCK = frozenset(["del", "s", "strike"])
_LANDMARK_TAGS = {
    "nav": Landmark.NAV,
    "header": Landmark.HEADER,
    "footer": Landmark.FOOTER,
    "aside": Landmark.ASIDE,
}
_LANDMARK_ROLES = {
    "navigation": Landmark.NAV,
    "banner": Landmark.HEADER,
    "contentinfo": Landmark.FOOTER,
    "complementary": Landmark.ASIDE,
}
_SECTIONS = frozenset(["article", "main", "section", "aside", "nav"])
"""Inside these a header or footer belongs to the section, not to the site."""

_SHADOW = re.compile(r"<template(?=\s[^>]{0,500}?shadowrootmode\s*=)", re.IGNORECASE)
_ROOTS = frozenset(["msqrt", "mroot"])
_DEEPEST_FRAME = 3
_PUSHED_BUTTONS = frozenset(["submit", "button", "reset"])


@dataclass(slots=True)
class HtmlText:
    """What a walk found."""

    text: bytes = b""
    title: str = ""
    language: str = ""
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    struck: tuple[Range, ...] = ()
    images: tuple[str, ...] = ()
    landmarks: tuple[LandmarkRange, ...] = ()
    hidden_characters: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def read_html(markup: str, select: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> HtmlText:
    """Return the text of an HTML document with everything that stands beside it."""
    # A declarative shadow tree is what the reader sees; the parser keeps templates apart.
    tree = LexborHTMLParser(_SHADOW.sub("<x-shadow", markup), scripting=True)
    found = HtmlText()
    root = tree.root
    if root is None:
        return found
    try:
        selected = _matches(tree, select)
        removed = _matches(tree, remove)
    except (SelectolaxError, ValueError) as error:
        found.problems.append(("rules", f"a selector cannot be read: {error}"))
        return found
    if select and not selected:
        found.problems.append(("rules", f"nothing matches {', '.join(select)}"))
        return found
    head = tree.css_first("head > title", default=None)
    found.title = " ".join(clean(head.text() or "").split()) if head is not None else ""
    found.language = clean(root.attributes.get("lang") or "").strip()
    _Walk(found, selected if select else None, removed).run(root)
    if not found.text and tree.css_first("frameset", default=None) is not None:
        frames = [node.attributes.get("src") or "" for node in tree.css("frame")[:8]]
        said = f"it is a set of frames: watch what they show ({', '.join(frames)})"
        found.notes.append(("frames", clean(said)))
    return found


def _matches(tree: LexborHTMLParser, selectors: tuple[str, ...]) -> frozenset[int]:
    return frozenset(node.mem_id for selector in selectors for node in tree.css(selector))


@dataclass(slots=True)
class _Frame:
    """What to undo when an element ends."""

    tag: str
    line_ends: int = 0
    preserved: bool = False
    hidden: bool = False
    coloured: bool = False
    fraction: bool = False
    section: bool = False
    cell: bool = False
    table: bool = False
    list: bool = False
    selected: bool = False
    heading: tuple[int, str, Mark] | None = None
    link: tuple[str, Mark] | None = None
    landmark: tuple[Landmark, Mark] | None = None
    struck: Mark | None = None


class _Walk:
    """One pass over the tree, without recursion: depth is the document's choice."""

    def __init__(
        self, found: HtmlText, selected: frozenset[int] | None, removed: frozenset[int]
    ) -> None:
        self._found = found
        self._selected = selected
        self._removed = removed
        self._out = TextBuilder()
        self._reading = 1 if selected is None else 0
        self._preserved = 0
        self._hidden = 0
        self._coloured = 0
        self._fractions = 0
        self._sections = 0
        self._lists = 0
        self._frames = 0
        self._hidden_characters = 0
        self._layout: list[bool] = []
        self._first_cell = True
        self._headings: list[tuple[int, str, Mark]] = []
        self._links: list[tuple[str, Mark]] = []
        self._landmarks: list[tuple[Landmark, Mark]] = []
        self._struck: list[Mark] = []
        self._images: list[str] = []

    def run(self, root: LexborNode) -> None:
        """Walk from `root` and fill what was found."""
        self._visit(root)
        found, out = self._found, self._out
        found.text = out.finish()
        found.headings = tuple(
            Heading(mark.range, level, name)
            for level, name, mark in self._headings
            if mark.start < mark.end
        )
        found.links = tuple(Link(mark.range, target) for target, mark in self._links)
        found.landmarks = tuple(
            LandmarkRange(kind, mark.range)
            for kind, mark in self._landmarks
            if mark.start < mark.end
        )
        found.struck = tuple(mark.range for mark in self._struck if mark.start < mark.end)
        found.images = tuple(self._images)
        found.hidden_characters = self._hidden_characters

    def _visit(self, root: LexborNode) -> None:
        stack: list[_Frame] = []
        node: LexborNode | None = root
        while node is not None:
            below: LexborNode | None = None
            if node.is_text_node:
                self._characters(node)
            elif node.tag == "iframe":
                self._embedded(node)
            elif node.is_element_node and self._is_seen(node):
                stack.append(self._enter(node))
                below = node.first_child
                if below is None:
                    self._leave(stack.pop())
            if below is not None:
                node = below
                continue
            while node is not None and node.next is None:
                node = node.parent if stack else None
                if node is not None:
                    self._leave(stack.pop())
            if node is not None:
                node = node.next if stack else None

    def _embedded(self, frame: LexborNode) -> None:
        """Walk the document that a frame holds in itself (`srcdoc`); others are not here."""
        markup = frame.attributes.get("srcdoc")
        if not markup or self._frames >= _DEEPEST_FRAME or frame.mem_id in self._removed:
            return
        inner = LexborHTMLParser(markup, scripting=True)
        if inner.root is not None:
            self._frames += 1
            self._out.block(LINE)
            self._visit(inner.root)
            self._out.block(LINE)
            self._frames -= 1

    def _is_seen(self, node: LexborNode) -> bool:
        return node.tag not in _UNSEEN and not (self._removed and node.mem_id in self._removed)

    def _characters(self, node: LexborNode) -> None:
        if not self._reading:
            return
        before = self._out.characters
        self._out.text(node.text_content or "", preserve=bool(self._preserved))
        if self._hidden:
            self._hidden_characters += self._out.characters - before

    def _enter(self, node: LexborNode) -> _Frame:
        tag = node.tag or ""
        attributes = node.attributes
        style = attributes.get("style") or ""
        frame = _Frame(tag, display(style, _BLOCKS.get(tag, 0)))
        if self._fractions and is_lower(node):
            self._out.text("/")
        if self._selected is not None and node.mem_id in self._selected:
            frame.selected = True
            self._reading += 1
        if tag in _TABLE_PARTS:
            self._enter_table_part(frame, node, tag, attributes)
        elif tag in _LISTS:
            frame.list = True
            frame.line_ends = LINE if self._lists else PARAGRAPH
            self._out.block(frame.line_ends)
        elif frame.line_ends:
            self._out.block(frame.line_ends)
        elif tag == "br":
            self._out.line_break()
        frame.preserved = tag in _PRESERVED
        frame.coloured = is_coloured(style, attributes)
        frame.hidden = "hidden" in attributes or hides(
            style, on_colour=frame.coloured or bool(self._coloured) or "class" in attributes
        )
        frame.fraction = tag == FRACTION
        frame.section = tag in _SECTIONS or attributes.get("role") in ("main", "article", "region")
        if self._reading:
            self._mark(frame, node, attributes)
        self._preserved += frame.preserved
        self._hidden += frame.hidden
        self._coloured += frame.coloured
        self._fractions += frame.fraction
        if tag in _ROOTS:
            self._out.text("\u221a")
        self._sections += frame.section
        self._lists += frame.list
        return frame

    def _mark(self, frame: _Frame, node: LexborNode, attributes: dict[str, str | None]) -> None:
        out, tag = self._out, frame.tag
        level = heading_level(tag, attributes)
        if level:
            frame.heading = (level, element_id(node, attributes), out.open())
            self._headings.append(frame.heading)
        if tag in ("a", "area") and attributes.get("href") is not None:
            frame.link = (attributes["href"] or "", out.open())
            self._links.append(frame.link)
        landmark = self._landmark(tag, attributes)
        if landmark is not None:
            frame.landmark = (landmark, out.open())
            self._landmarks.append(frame.landmark)
        if tag in _STRUCK:
            frame.struck = out.open()
            self._struck.append(frame.struck)
        if tag in ("img", "image"):
            self._image(attributes)
        if tag == "input" and (attributes.get("type") or "").lower() in _PUSHED_BUTTONS:
            out.block(LINE)
            out.text(attributes.get("value") or "")
            out.block(LINE)

    def _leave(self, frame: _Frame) -> None:
        out = self._out
        self._preserved -= frame.preserved
        self._hidden -= frame.hidden
        self._coloured -= frame.coloured
        self._fractions -= frame.fraction
        self._sections -= frame.section
        self._lists -= frame.list
        for mark in (
            frame.heading and frame.heading[2],
            frame.link and frame.link[1],
            frame.landmark and frame.landmark[1],
            frame.struck,
        ):
            if mark is not None:
                out.close(mark)
        if frame.cell:
            out.end_cell()
        if frame.table:
            self._layout.pop()
        if frame.line_ends and not frame.cell:
            out.block(frame.line_ends)
        self._reading -= frame.selected

    def _enter_table_part(
        self, frame: _Frame, node: LexborNode, tag: str, attributes: dict[str, str | None]
    ) -> None:
        layout = bool(self._layout) and self._layout[-1]
        if tag == "table":
            self._out.block(PARAGRAPH)
            self._layout.append(is_layout(node, attributes))
            frame.table = True
        elif tag == "tr" or layout or not self._layout:
            self._out.block(LINE)
            self._first_cell = True
        elif self._reading:
            self._out.begin_cell(first=self._first_cell)
            self._first_cell = False
            frame.cell = True

    def _landmark(self, tag: str, attributes: dict[str, str | None]) -> Landmark | None:
        by_role = _LANDMARK_ROLES.get((attributes.get("role") or "").strip().lower())
        if by_role is not None:
            return by_role
        kind = _LANDMARK_TAGS.get(tag)
        if kind in (Landmark.HEADER, Landmark.FOOTER) and self._sections:
            return None
        return kind

    def _image(self, attributes: dict[str, str | None]) -> None:
        source = (attributes.get("src") or attributes.get("href") or "").strip()
        if source:
            self._images.append(hashlib.sha256(image_bytes(source)).hexdigest())


_TABLE_PARTS = frozenset(["table", "tr", "td", "th"])
