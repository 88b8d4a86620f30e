"""What an HTML page is made of, beside its words: the evidence for a verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from watcher.extract.charset import decode
from watcher.fetch.markup import parse
from watcher.fetch.similarity import word_count

_BLOCK_NAMES = """
address article aside blockquote body br caption center dd details dialog div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre
section select summary table tbody td tfoot th thead title tr ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_SILENT = frozenset(
    ("script", "style", "noscript", "template", "svg", "math", "head", "iframe", "object")
)
_CHROME = frozenset(("nav", "header", "footer", "aside", "menu"))
_CHROME_ROLES = frozenset(("banner", "navigation", "contentinfo", "complementary", "search"))
_CHROME_NAMES = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "site-", "page-", "global-", "main-", "top-")
    for name in ("footer", "nav", "navbar", "navigation", "menu", "sidebar", "breadcrumbs")
) | {"breadcrumb", "site-header", "global-header", "topbar", "top-bar"}
_OWNED = re.compile("[\u00a9\u00ae]|\\(c\\) ?(?:19|20)\\d\\d", re.IGNORECASE)
"""A line that says whose the site is."""
_CLAUSE = re.compile(
    r"\s*(?:\u00a7|\(?\d{1,3}[.)\]\u3001]|\d{1,2}(?:\.\d{1,2})+\s|\(?[a-z][.)]\s|[ivx]{1,5}[.)]\s"
    r"|(?:art(?:icle|ikel|[i\u00ed]culo|icolo|igo)?|section|clause|madde"
    r"|\u0441\u0442\u0430\u0442\u044c\u044f)[. ]+\d"
    r"|\u7b2c[\d\u3007\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u767e]{1,5}"
    r"[\u6761\u689d\u7ae0]|\uc81c ?\d+ ?\uc870|\u0627\u0644\u0645\u0627\u062f\u0629)",
    re.IGNORECASE,
)
"""How a numbered paragraph begins."""
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CONTROLS = frozenset(("button", "label", "option", "select"))
_TEXT_INPUTS = frozenset(("", "text", "email", "tel", "number", "url"))
_SEARCH_NAMES = frozenset(("q", "s", "query", "search", "keyword"))
_PROSE_WORDS = 8
_LEAD_WORDS = 120
_LEAD_BLOCKS = 60
_LEAD_CHARACTERS = 400
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
_MOUNTS = "#root, #app, #__next, #___gatsby, app-root, [data-reactroot], #main-app"
"""The elements that script applications fill."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a page says of itself, out of sight.

    `refresh` is the target of an automatic reload ("" for the page itself,
    None without one). `mount_empty` tells that the element a script
    application fills is empty.
    """

    title: str = ""
    canonical: str = ""
    noindex: bool = False
    refresh: str | None = None
    refresh_seconds: float = 0.0
    noscript: str = ""
    script_bytes: int = 0
    mount_empty: bool = False
    challenges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Countable facts of one HTML page.

    `words` are visible ones, `prose_words` those in paragraphs outside menus,
    headers, footers and links. Fields and buttons are those outside of menus,
    headers and footers. `lead` is the beginning of the visible text, one block
    a line, menus left out.

    `content_words` are the words that can be a document: those beside menus,
    headings, controls, lists of links and the site owner's line, inside of the
    main element where there is one. `clauses` are its numbered paragraphs,
    `rows` its table rows of several cells, `frames` the other pages it shows.
    """

    head: Head
    headings: tuple[str, ...] = ()
    words: int = 0
    prose_words: int = 0
    password_fields: int = 0
    text_fields: int = 0
    search_fields: int = 0
    checkboxes: int = 0
    buttons: tuple[str, ...] = ()
    lead: str = ""
    content_words: int = 0
    clauses: int = 0
    rows: int = 0
    frames: int = 0

    @property
    def controls(self) -> int:
        """How many fields and buttons there are."""
        fields = self.password_fields + self.text_fields + self.search_fields + self.checkboxes
        return fields + len(self.buttons)


def page_facts(html: bytes, charset: str | None = None) -> PageFacts:
    """Return the facts of `html`; `charset` is what the sender declared.

    Never fails: whatever a browser would show something of has facts. A page
    made to keep a parser busy has those of an empty one.
    """
    source = decode(html, charset, markup=True).text
    tree = parse(source)
    reader = _Reader()
    if tree is None:
        return reader.facts(Head())
    if tree.body is not None:
        reader.read(tree.body)
    return reader.facts(_head(tree, source.lower()))


def _head(tree: LexborHTMLParser, lowered: str) -> Head:
    title = tree.css_first("head > title") or tree.css_first("title")
    canonical = tree.css_first("link[rel=canonical]")
    noindex, refresh, seconds = _metas(tree)
    return Head(
        title=_squeezed(title.text()) if title is not None else "",
        canonical=(canonical.attributes.get("href") or "") if canonical is not None else "",
        noindex=noindex,
        refresh=refresh,
        refresh_seconds=seconds,
        noscript=" ".join(_squeezed(node.text()) for node in tree.css("noscript"))[:500],
        script_bytes=sum(len(node.text()) for node in tree.css("script, style")),
        mount_empty=any(not _squeezed(node.text()) for node in tree.css(_MOUNTS)),
        challenges=tuple(
            name for name, marks in _CHALLENGES if any(mark in lowered for mark in marks)
        ),
    )


def _metas(tree: LexborHTMLParser) -> tuple[bool, str | None, float]:
    """Return whether the page hides from indexes, and where and when it reloads to."""
    noindex, refresh, seconds = False, None, 0.0
    for meta in tree.css("meta"):
        attributes = meta.attributes
        name = (attributes.get("name") or attributes.get("http-equiv") or "").lower()
        content = attributes.get("content") or ""
        if name == "robots" and "noindex" in content.lower():
            noindex = True
        if name == "refresh" and (found := _REFRESH.match(content)):
            refresh, seconds = (found[2] or "").strip(), float(found[1])
    return noindex, refresh, seconds


def _squeezed(text: str | None) -> str:
    return " ".join((text or "").split())


class _Block:
    """Text since the last block boundary."""

    __slots__ = ("beside", "chrome", "control", "link_parts", "main", "parts")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.link_parts: list[str] = []
        self.chrome = False
        self.control = False
        self.main = False
        self.beside = False


@dataclass(frozen=True, slots=True)
class _Within:
    """What a node is inside of. `beside` is a heading, or chrome by its name only."""

    link: bool = False
    chrome: bool = False
    control: bool = False
    main: bool = False
    beside: bool = False


class _Reader:
    """Walks the body once, in document order, and counts."""

    def __init__(self) -> None:
        self._block = _Block()
        self._lead: list[str] = []
        self._chrome_lead: list[str] = []
        self._lead_words = 0
        self._words = 0
        self._prose_words = 0
        self._headings: list[str] = []
        self._buttons: list[str] = []
        self._content = {False: 0, True: 0}
        self._has_main = False
        self._clauses = 0
        self._rows = 0
        self._frames = 0
        self._inputs = {"password": 0, "text": 0, "search": 0, "checkbox": 0}

    def facts(self, head: Head) -> PageFacts:
        """Return what was counted."""
        return PageFacts(
            head=head,
            headings=tuple(self._headings),
            words=self._words,
            prose_words=self._prose_words,
            password_fields=self._inputs["password"],
            text_fields=self._inputs["text"],
            search_fields=self._inputs["search"],
            checkboxes=self._inputs["checkbox"],
            buttons=tuple(self._buttons),
            lead="\n".join(self._lead or self._chrome_lead),
            content_words=self._content[True] + (0 if self._has_main else self._content[False]),
            clauses=self._clauses,
            rows=self._rows,
            frames=self._frames,
        )

    def read(self, body: LexborNode) -> None:
        """Count what is in `body`; a page of more nodes than the bound is read in part."""
        # A node, what it is inside of, and whether it is being left.
        stack = [(body, _Within(), False)]
        for _ in range(_MAX_NODES):
            if not stack:
                break
            node, within, leaving = stack.pop()
            tag = node.tag or ""
            if leaving:
                self._flush()
                continue
            if tag == "-text":
                self._add(node.text(deep=False) or "", within)
                continue
            if tag in ("iframe", "object") and not within.chrome:
                self._frames += 1
            if tag in _SILENT or tag.startswith(("-", "!")) or _hidden(node):
                continue
            within = _inside(node, tag, within)
            self._count(node, tag, chrome=within.chrome)
            if tag in _BLOCKS:
                self._flush()
                stack.append((node, within, True))
            children = list(node.iter(include_text=True))
            stack.extend((child, within, False) for child in reversed(children))
        self._flush()

    def _add(self, text: str, within: _Within) -> None:
        block = self._block
        block.parts.append(text)
        block.chrome = block.chrome or within.chrome
        block.control = block.control or within.control
        block.main = block.main or within.main
        block.beside = block.beside or within.beside
        if within.link:
            block.link_parts.append(text)

    def _flush(self) -> None:
        block = self._block
        if not block.parts:
            return
        self._block = _Block()
        text = _squeezed("".join(block.parts))
        if not text:
            return
        words, linked = word_count(text), word_count(" ".join(block.link_parts))
        self._words += words
        if block.chrome:
            if len(self._chrome_lead) < _LEAD_BLOCKS // 3:
                self._chrome_lead.append(text[:_LEAD_CHARACTERS])
            return
        if linked * 2 <= words and not block.control:
            self._prose_words += words if words >= _PROSE_WORDS else 0
            self._count_content(block, text, words)
        if self._lead_words < _LEAD_WORDS and len(self._lead) < _LEAD_BLOCKS:
            self._lead.append(text[:_LEAD_CHARACTERS])
            self._lead_words += words

    def _count_content(self, block: _Block, text: str, words: int) -> None:
        if block.beside or _OWNED.search(text[:_LEAD_CHARACTERS]):
            return
        self._content[block.main] += words
        self._clauses += words > 3 and _CLAUSE.match(text) is not None

    def _count(self, node: LexborNode, tag: str, *, chrome: bool) -> None:
        """Count headings everywhere, and controls outside of menus, headers and footers."""
        if tag in _HEADINGS and len(self._headings) < _MANY:
            self._headings.append(_squeezed(node.text())[:200])
        self._has_main = self._has_main or _is_main(node, tag)
        if chrome:
            return
        if tag == "tr":
            self._rows += sum(child.tag in ("td", "th") for child in node.iter()) > 1
        elif tag == "button" or (tag == "a" and _like_a_button(node)):
            self._add_button(node.text())
        elif tag == "input":
            self._count_input(node)

    def _add_button(self, label: str | None) -> None:
        if len(self._buttons) < _MANY:
            self._buttons.append(_squeezed(label)[:80])

    def _count_input(self, node: LexborNode) -> None:
        attributes = node.attributes
        kind = (attributes.get("type") or "").lower()
        name = (attributes.get("name") or "").lower()
        if kind in ("submit", "button"):
            self._add_button(attributes.get("value"))
        elif kind == "search" or (kind in _TEXT_INPUTS and name in _SEARCH_NAMES):
            self._inputs["search"] += 1
        elif kind in _TEXT_INPUTS:
            self._inputs["text"] += 1
        elif kind in self._inputs:
            self._inputs[kind] += 1


def _inside(node: LexborNode, tag: str, within: _Within) -> _Within:
    """Return what the children of `node` are inside of, given what it is inside of."""
    return _Within(
        link=within.link or tag == "a",
        chrome=within.chrome or tag in _CHROME,
        control=within.control or tag in _CONTROLS,
        main=within.main or _is_main(node, tag),
        beside=within.beside or tag in _HEADINGS or _named_as_chrome(node, tag),
    )


def _is_main(node: LexborNode, tag: str) -> bool:
    return tag == "main" or (node.attributes.get("role") or "") == "main"


def _named_as_chrome(node: LexborNode, tag: str) -> bool:
    """Tell whether an element calls itself a menu or the like, where its tag does not."""
    if tag in ("body", "main", "article"):
        return False
    attributes = node.attributes
    if (attributes.get("role") or "").lower() in _CHROME_ROLES:
        return True
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()
    return not _CHROME_NAMES.isdisjoint(names.split())


def _like_a_button(node: LexborNode) -> bool:
    attributes = node.attributes
    role, style = attributes.get("role") or "", attributes.get("class") or ""
    return role == "button" or "btn" in style or "button" in style


def _hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "hidden" in attributes or "display:none" in style or "visibility:hidden" in style
