"""Parsing markup beside the killable worker: only what surely costs little.

The parser needs time that grows with the square of the depth of nesting and of
the number of attributes in one tag, and nothing can stop it while it works. So
the work is estimated first, in time that grows with the length.
"""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser

_MOST_WORK = 20_000_000
"""Steps of the parser that are tolerated, some nanoseconds each. A page of 100,000
tags at a depth of 50 takes a quarter of it."""
_TOKEN = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][^\s/>]*))")
_ATTRIBUTE = re.compile(
    r"""[\s/]*[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"?|'[^']*'?|[^\s>"'][^\s>]*)?)?"""
)
_COMMENT_END = re.compile(r"--!?>")
_RAW = frozenset(("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"))
"""Elements whose content holds no tags, in HTML itself."""
_FOREIGN = ("svg", "math")
_FLAT_NAMES = """
area base br col embed hr img input link meta param source track wbr
p li dt dd td th tr thead tbody tfoot option optgroup
"""
_FLAT = frozenset(_FLAT_NAMES.split())
"""Elements that end where the next of their kind begins, or that hold nothing."""
_FORMATTING_NAMES = "b big code em font i nobr s small strike strong tt u"
_FORMATTING = frozenset(_FORMATTING_NAMES.split())
_FORMATS = re.compile(rf"<(?:{'|'.join(sorted(_FORMATTING))})(?=[\s/>])", re.IGNORECASE)
_COPY = 100
"""Steps that one more copy of an element costs: what formats is made anew in every
block until it is closed."""


def parse(html: str) -> LexborHTMLParser | None:
    """Return the tree of `html`, None where making it might take long."""
    return LexborHTMLParser(html) if is_cheap(html) else None


def is_cheap(html: str) -> bool:
    """Tell whether the parser surely makes a tree of `html` within a moment."""
    tags = html.count("<")
    pieces = len(html.split()) + html.count("/") + html.count('"') + html.count("'")
    formats = len(_FORMATS.findall(html))
    # Most pages are too small to be costly however they are made.
    most = (tags * tags + pieces * pieces) // 2 + _COPY * formats * tags
    return most <= _MOST_WORK or _Scan(html).is_cheap()


class _Scan:
    """One pass over tags, as a browser tells them apart."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._open: Counter[str] = Counter()
        self._depth = 0
        self._formats = 0
        self._work = 0

    def is_cheap(self) -> bool:
        position = 0
        while self._work <= _MOST_WORK and (token := _TOKEN.search(self._html, position)):
            comment, closing, name = token.groups()
            if comment:
                # An opening mark may also be the end: <!-->.
                end = _COMMENT_END.search(self._html, token.end() - 2)
                position = end.end() if end else len(self._html)
            else:
                position = self._tag(token.end(), name.lower(), closing=bool(closing))
        return self._work <= _MOST_WORK

    def _tag(self, position: int, name: str, *, closing: bool) -> int:
        """Count one tag, whose attributes begin at `position`; return where it ends."""
        attributes = 0
        while found := _ATTRIBUTE.match(self._html, position):
            position, attributes = found.end(), attributes + 1
        self._work += self._depth + attributes * attributes // 2 + _COPY * self._formats
        if closing:
            if self._open[name]:
                self._count(name, -1)
        elif name not in _FLAT:
            if name in _RAW and not any(self._open[foreign] for foreign in _FOREIGN):
                return self._past(name, position)
            self._count(name, 1)
        return position

    def _count(self, name: str, change: int) -> None:
        self._open[name] += change
        self._depth += change
        self._formats += change if name in _FORMATTING else 0

    def _past(self, name: str, position: int) -> int:
        end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self._html, position)
        return end.end() if end else len(self._html)
