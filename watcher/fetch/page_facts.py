"""What an HTML page is made of, beside its words: the evidence for a verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from watcher.extract.charset import decode
from watcher.fetch.similarity import word_count

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "select",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
    ]
)
_SILENT = frozenset(
    ["script", "style", "noscript", "template", "svg", "math", "head", "iframe", "object"]
)
_CHROME = frozenset(["nav", "header", "footer", "aside", "menu"])
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_TEXT_INPUTS = frozenset({"", "text", "email", "tel", "number", "search", "url"})
_PROSE_WORDS = 8
_LEAD_WORDS = 120
_LEAD_BLOCKS = 60
_MANY = 200
"""Headings and buttons that are kept: more say nothing more."""
_MAX_NODES = 200_000
_REFRESH = re.compile(r"\s*(\d*\.?\d+)\s*(?:[;,]\s*(?:url\s*=)?\s*['\"]?([^'\"]*))?", re.IGNORECASE)

_CHALLENGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cloudflare", ("/cdn-cgi/challenge-platform/", "challenges.cloudflare.com", "_cf_chl_")),
    ("hcaptcha", ("hcaptcha.com/", "h-captcha")),
    ("recaptcha", ("recaptcha/api", "recaptcha/enterprise", "g-recaptcha")),
    ("datadome", ("captcha-delivery.com", "js.datadome.co")),
    ("imperva", ("_incapsula_resource", "incapsula.com")),
    ("perimeterx", ("px-captcha", "captcha.px-c", "_pxappid", "perimeterx.net")),
    ("aws waf", (".awswaf.com", "awswafintegration", "gokuprops")),
    ("akamai", ("/_sec/cp_challenge", "sec-if-cpt", "errors.edgesuite.net")),
    ("geetest", ("geetest.com", "initgeetest")),
    ("friendly captcha", ("frc-captcha", "friendlycaptcha")),
    ("queue", (".queue-it.net", "queueit", "cf_waiting_room", "waiting-room", "waitingroom")),
)
"""What the makers of challenges leave in a page; they are the same in every language."""


@dataclass(slots=True)
class PageFacts:
    """Countable facts of one HTML page.

    `words` are visible ones, `prose_words` those in paragraphs outside menus,
    headers, footers and links, `link_words` those in links. `lead` is the
    beginning of the visible text, one block a line, menus left out. `refresh` is the target of
    an automatic reload ("" for the page itself, None without one).
    `mount_empty` tells that the element a script application fills is empty.
    """

    title: str = ""
    language: str = ""
    headings: list[str] = field(default_factory=list)
    words: int = 0
    prose_words: int = 0
    link_words: int = 0
    password_fields: int = 0
    text_fields: int = 0
    search_fields: int = 0
    checkboxes: int = 0
    buttons: list[str] = field(default_factory=list)
    script_bytes: int = 0
    bytes: int = 0
    noscript: str = ""
    noindex: bool = False
    refresh: str | None = None
    refresh_seconds: float = 0.0
    canonical: str = ""
    challenges: tuple[str, ...] = ()
    mount_empty: bool = False
    frames: int = 0
    lead: str = ""

    @property
    def controls(self) -> int:
        """Fields and buttons, outside of menus, headers and footers."""
        fields = self.password_fields + self.text_fields + self.search_fields + self.checkboxes
        return fields + len(self.buttons)


def page_facts(html: bytes, charset: str | None = None) -> PageFacts:
    """Return the facts of `html`; `charset` is what the sender declared.

    Never fails: whatever a browser would show something of has facts.
    """
    source = decode(html, charset, markup=True).text
    facts = PageFacts(bytes=len(html))
    lowered = source.lower()
    facts.challenges = tuple(
        name for name, marks in _CHALLENGES if any(mark in lowered for mark in marks)
    )
    tree = LexborHTMLParser(source)
    _read_head(tree, facts)
    if tree.body is not None:
        _Reader(facts).read(tree.body)
    return facts


def _read_head(tree: LexborHTMLParser, facts: PageFacts) -> None:
    title = tree.css_first("head > title") or tree.css_first("title")
    facts.title = _squeezed(title.text()) if title is not None else ""
    root = tree.root
    facts.language = ((root.attributes.get("lang") or "") if root is not None else "").lower()
    for meta in tree.css("meta"):
        attributes = meta.attributes
        name = (attributes.get("name") or attributes.get("http-equiv") or "").lower()
        content = attributes.get("content") or ""
        if name == "robots" and "noindex" in content.lower():
            facts.noindex = True
        if name == "refresh" and (found := _REFRESH.match(content)):
            facts.refresh = (found[2] or "").strip()
            facts.refresh_seconds = float(found[1])
    canonical = tree.css_first("link[rel=canonical]")
    facts.canonical = (canonical.attributes.get("href") or "") if canonical is not None else ""
    facts.noscript = " ".join(_squeezed(node.text()) for node in tree.css("noscript"))[:500]
    facts.script_bytes = sum(len(node.text()) for node in tree.css("script, style"))
    facts.frames = len(tree.css("iframe, frame, object, embed"))
    mounts = tree.css("#root, #app, #__next, #___gatsby, app-root, [data-reactroot], #main-app")
    facts.mount_empty = any(not _squeezed(node.text()) for node in mounts)


def _squeezed(text: str | None) -> str:
    return " ".join((text or "").split())


@dataclass(slots=True)
class _Block:
    """Text since the last block boundary."""

    parts: list[str] = field(default_factory=list)
    link_parts: list[str] = field(default_factory=list)
    chrome: bool = False
    control: bool = False


class _Reader:
    """Walks the body once, in document order."""

    def __init__(self, facts: PageFacts) -> None:
        self._facts = facts
        self._block = _Block()
        self._lead: list[str] = []
        self._chrome_lead: list[str] = []
        self._lead_words = 0

    def read(self, body: LexborNode) -> None:
        """Fill the facts."""
        stack: list[tuple[LexborNode, bool, bool, bool, bool]] = [
            (body, False, False, False, False)
        ]
        for _ in range(_MAX_NODES):
            if not stack:
                break
            node, link, chrome, control, closing = stack.pop()
            tag = node.tag or ""
            if closing:
                self._flush()
                continue
            if tag == "-text":
                self._add(node.text(deep=False) or "", link=link, chrome=chrome, control=control)
                continue
            if tag in _SILENT or tag.startswith(("-", "!")) or _hidden(node):
                continue
            link = link or tag == "a"
            chrome = chrome or tag in _CHROME
            self._count(node, tag, chrome=chrome)
            control = control or tag in ("button", "label", "option", "select")
            if tag in _BLOCKS:
                self._flush()
                stack.append((node, link, chrome, control, True))
            children = list(node.iter(include_text=True))
            stack.extend((child, link, chrome, control, False) for child in reversed(children))
        self._flush()
        self._facts.lead = "\n".join(self._lead or self._chrome_lead)

    def _add(self, text: str, *, link: bool, chrome: bool, control: bool) -> None:
        block = self._block
        block.parts.append(text)
        block.chrome = block.chrome or chrome
        block.control = block.control or control
        if link:
            block.link_parts.append(text)

    def _flush(self) -> None:
        block, self._block = self._block, _Block()
        text = _squeezed("".join(block.parts))
        if not text:
            return
        words, linked = word_count(text), word_count("".join(block.link_parts))
        facts = self._facts
        facts.words += words
        facts.link_words += linked
        if block.chrome:
            if len(self._chrome_lead) < 20:
                self._chrome_lead.append(text[:600])
            return
        if words >= _PROSE_WORDS and linked * 2 <= words and not block.control:
            facts.prose_words += words
        if self._lead_words < _LEAD_WORDS and len(self._lead) < _LEAD_BLOCKS:
            self._lead.append(text[:600])
            self._lead_words += words

    def _count(self, node: LexborNode, tag: str, *, chrome: bool) -> None:
        """Count headings everywhere, and controls outside of menus, headers and footers."""
        facts = self._facts
        if tag in _HEADINGS and len(facts.headings) < _MANY:
            facts.headings.append(_squeezed(node.text())[:200])
        if chrome:
            return
        if tag == "button" or (tag == "a" and _like_a_button(node)):
            self._add_button(node.text())
        elif tag == "input":
            self._count_input(node)

    def _add_button(self, label: str | None) -> None:
        if len(self._facts.buttons) < _MANY:
            self._facts.buttons.append(_squeezed(label)[:80])

    def _count_input(self, node: LexborNode) -> None:
        facts, attributes = self._facts, node.attributes
        kind = (attributes.get("type") or "").lower()
        name = (attributes.get("name") or "").lower()
        if kind == "password":
            facts.password_fields += 1
        elif kind == "search" or name in ("q", "s", "query", "search", "keyword"):
            facts.search_fields += 1
        elif kind in _TEXT_INPUTS:
            facts.text_fields += 1
        elif kind == "checkbox":
            facts.checkboxes += 1
        elif kind in ("submit", "button"):
            self._add_button(attributes.get("value"))


def _like_a_button(node: LexborNode) -> bool:
    attributes = node.attributes
    role, style = attributes.get("role") or "", attributes.get("class") or ""
    return role == "button" or "btn" in style or "button" in style


def _hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "hidden" in attributes or "display:none" in style or "visibility:hidden" in style
