"""HTML to canonical text: a walk over every node that a browser could show.

There is no idea of "main content" here. Whatever a style sheet or a click could
make visible is text: accordions, hidden tabs, navigation, footers. What is
furniture is labelled (landmarks), what is hidden is counted. Left out is only
what no reader can see: scripts, styles, templates, and what stands in for
scripts in browsers without them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from watcher.domain.ranges import Range
from watcher.domain.reading import Heading, Landmark, LandmarkRange, Link
from watcher.extract.builder import LINE, PARAGRAPH, Mark, TextBuilder
from watcher.extract.canon import clean
from watcher.extract.names import names

WALK = "1"
"""The version of this walk; part of the rendition."""

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
_HEADING = re.compile(r"h([1-6])")
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

_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0*(?:\.0+)?\s*(?:;|$|!)"
    r"|font-size\s*:\s*0)",
    re.IGNORECASE,
)
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


def read_html(markup: str, select: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> HtmlText:
    """Return the text of an HTML document with everything that stands beside it."""
    tree = LexborHTMLParser(markup, scripting=True)
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
        frame = _Frame(tag, _BLOCKS.get(tag, 0))
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
        frame.hidden = "hidden" in attributes or bool(_HIDING.search(attributes.get("style") or ""))
        frame.section = tag in _SECTIONS or attributes.get("role") in ("main", "article", "region")
        if self._reading:
            self._mark(frame, node, attributes)
        self._preserved += frame.preserved
        self._hidden += frame.hidden
        self._sections += frame.section
        self._lists += frame.list
        return frame

    def _mark(self, frame: _Frame, node: LexborNode, attributes: dict[str, str | None]) -> None:
        out, tag = self._out, frame.tag
        level = _heading_level(tag, attributes)
        if level:
            frame.heading = (level, _element_id(node, attributes), out.open())
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
            self._layout.append(_is_layout(node, attributes))
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
            self._images.append(hashlib.sha256(_image_bytes(source)).hexdigest())


_TABLE_PARTS = frozenset(["table", "tr", "td", "th"])


def _is_layout(table: LexborNode, attributes: dict[str, str | None]) -> bool:
    """Tell whether a table only arranges the page.

    It says so by its role, or it holds what no cell of data holds: a heading
    or a table of its own. Its cells are blocks then, not cells.
    """
    if (attributes.get("role") or "").strip().lower() in ("presentation", "none"):
        return True
    return any(node.tag in _LAYOUT_EVIDENCE for node in _descendants(table))


_LAYOUT_EVIDENCE = frozenset(["table", "h1", "h2", "h3", "h4", "h5", "h6"])


def _descendants(top: LexborNode) -> Iterator[LexborNode]:
    nodes = top.traverse(include_text=False)
    next(nodes, None)
    yield from nodes


def _heading_level(tag: str, attributes: dict[str, str | None]) -> int:
    if found := _HEADING.fullmatch(tag):
        return int(found[1])
    if (attributes.get("role") or "").strip().lower() == "heading":
        level = attributes.get("aria-level") or ""
        return int(level) if level.isascii() and level.isdigit() and 0 < int(level) < 10 else 2
    return 0


def _element_id(node: LexborNode, attributes: dict[str, str | None]) -> str:
    """Return the id by which a fragment reaches the heading: its own or an anchor's inside."""
    if own := attributes.get("id"):
        return own
    for inner in _descendants(node):
        inside = inner.attributes
        if found := inside.get("id") or (inner.tag == "a" and inside.get("name")):
            return found or ""
    return ""


def _image_bytes(source: str) -> bytes:
    """Return what identifies an image: its own bytes where the page holds them."""
    if not source.startswith("data:"):
        return source.encode("utf-8", "replace")
    head, _, body = source.partition(",")
    raw = unquote_to_bytes(body)
    if not head.endswith(";base64"):
        return raw
    try:
        return base64.b64decode(raw)
    except (binascii.Error, ValueError):
        return raw
