"""Questions about single nodes of an HTML tree."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from selectolax.lexbor import LexborNode

FRACTION = "mfrac"
_HEADING = re.compile(r"h([1-6])")


def is_layout(table: LexborNode, attributes: dict[str, str | None]) -> bool:
    """Tell whether a table only arranges the page.

    It says so by its role, or it holds what no cell of data holds: a heading
    or a table of its own. Its cells are blocks then, not cells.
    """
    if (attributes.get("role") or "").strip().lower() in ("presentation", "none"):
        return True
    return any(node.tag in _LAYOUT_EVIDENCE for node in _descendants(table))


_LAYOUT_EVIDENCE = frozenset(["table", "h1", "h2", "h3", "h4", "h5", "h6"])


def is_lower(node: LexborNode) -> bool:
    """Tell whether a node is below the bar of a fraction: one over two is not twelve."""
    parent = node.parent
    if parent is None or parent.tag != FRACTION:
        return False
    before = node.prev
    while before is not None and not before.is_element_node:
        before = before.prev
    return before is not None


def _descendants(top: LexborNode) -> Iterator[LexborNode]:
    nodes = top.traverse(include_text=False)
    next(nodes, None)
    yield from nodes


def heading_level(tag: str, attributes: dict[str, str | None]) -> int:
    """Return the level of a heading from 1, by its tag or its role; 0 for anything else."""
    if found := _HEADING.fullmatch(tag):
        return int(found[1])
    if (attributes.get("role") or "").strip().lower() == "heading":
        level = attributes.get("aria-level") or ""
        return int(level) if level.isascii() and level.isdigit() and 0 < int(level) < 10 else 2
    return 0


def element_id(node: LexborNode, attributes: dict[str, str | None]) -> str:
    """Return the id by which a fragment reaches the heading: its own or an anchor's inside."""
    if own := attributes.get("id"):
        return own
    for inner in _descendants(node):
        inside = inner.attributes
        if found := inside.get("id") or (inner.tag == "a" and inside.get("name")):
            return found or ""
    return ""


def image_bytes(source: str) -> bytes:
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
