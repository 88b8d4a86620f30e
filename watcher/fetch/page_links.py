"""The links of an HTML page, in its order. Pure."""

from __future__ import annotations

import httpx
from selectolax.lexbor import LexborNode

from watcher.domain.newest import PageLink
from watcher.extract.charset import decode
from watcher.fetch.markup import parse
from watcher.fetch.model import RefusedError
from watcher.fetch.urls import join

_MAX_LINKS = 5_000
_MAX_TEXT = 2_000
_MAX_READ = 20_000_000
"""Characters of link texts read in all: links inside of links say the same again."""


def page_links(html: bytes, charset: str, url: str) -> tuple[PageLink, ...]:
    """Return the links of the page at `url`, targets absolute and without fragment.

    `charset` is what the sender declared, "" for nothing. Left out is every
    link to what is never fetched: other schemes, and targets that two parsers
    read differently. The words of a link without any are those of its picture
    or its label. A page made to keep a parser busy has no links.
    """
    tree = parse(decode(html, charset or None, markup=True).text)
    if tree is None:
        return ()
    base = httpx.URL(url)
    for node in tree.css("base[href]")[:1]:
        base = _joined(base, node) or base
    found, read = [], 0
    for node in tree.css("a[href], area[href]")[:_MAX_LINKS]:
        target = _joined(base, node)
        if target is not None:
            text = node.text(deep=True, separator=" ") if read < _MAX_READ else ""
            read += len(text)
            found.append(PageLink(str(target), _words(node, text)))
    return tuple(found)


def _joined(base: httpx.URL, node: LexborNode) -> httpx.URL | None:
    try:
        return join(base, node.attributes.get("href") or "")
    except RefusedError:
        return None


def _words(node: LexborNode, text: str) -> str:
    text = " ".join(text.split())
    attributes = node.attributes
    if not text:
        picture = node.css_first("img[alt]", default=None)
        alternative = picture.attributes.get("alt") if picture is not None else None
        named = alternative or attributes.get("aria-label") or attributes.get("title")
        text = " ".join((named or attributes.get("alt") or "").split())
    return text[:_MAX_TEXT]
