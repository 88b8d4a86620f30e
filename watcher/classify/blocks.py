"""Cut a map into the blocks that are judged, and judge what a move means."""

from __future__ import annotations

from watcher.align import BlockPair, TextMap, hunks
from watcher.align.model import KEPT, MOVED
from watcher.classify.context import Heading, path_at
from watcher.domain.changes import HunkKind
from watcher.domain.ranges import Range

_NEWLINES = b"\n\f"


def changed_blocks(text_map: TextMap, old: bytes, new: bytes) -> tuple[BlockPair, ...]:
    """Return the changed blocks, whole lines on both sides.

    Only moves of whole lines stay moves. Words that moved inside or between
    lines changed those lines: who pays whom is said by order alone.
    """
    runs = []
    for a, b, c, d, kind in zip(
        text_map.old_starts,
        text_map.old_ends,
        text_map.new_starts,
        text_map.new_ends,
        text_map.kinds,
        strict=True,
    ):
        if kind in {KEPT, MOVED} and (
            kind == KEPT or (_whole_lines(old, a, b) and _whole_lines(new, c, d))
        ):
            runs.append((a, b, c, d, kind))
    whole = TextMap.of(text_map.old_size, text_map.new_size, runs, text_map.algorithm)
    return tuple(
        block
        for block in hunks(whole, old, new)
        if block.kind is HunkKind.MOVED
        or old[block.old.start : block.old.end] != new[block.new.start : block.new.end]
    )


def _whole_lines(text: bytes, start: int, end: int) -> bool:
    """Tell whether `start:end` begins and ends where lines do, blanks left aside."""
    before = text[:start].rstrip(b" \t")[-1:]
    after = text[end : end + 200].lstrip(b" \t")[:1]
    starts = not before or before in _NEWLINES or text[start : start + 1] in (b"\n", b"\f")
    ends = not after or after in _NEWLINES or text[end - 1 : end] in (b"\n", b"\f")
    return starts and ends


def moved_why(
    old: bytes,
    new: bytes,
    block: BlockPair,
    old_headings: tuple[Heading, ...],
    new_headings: tuple[Heading, ...],
) -> str:
    """Return why a moved block may mean something else now, or "" if it cannot.

    Its headings must be the same, and so must the sentence that introduces
    the list it stands in. A heading moves only with all that stands under it.
    """
    if _cuts_section(old, block.old, old_headings) or _cuts_section(new, block.new, new_headings):
        return "a heading moves, and the text beside it stands under another one"
    paths = path_at(old_headings, block.old.start), path_at(new_headings, block.new.start)
    if paths[0] != paths[1]:
        here, there = (" > ".join(path) or "no heading" for path in paths)
        return f"it stood under “{here}” and stands under “{there}” now"
    if _introduction(old, block.old) != _introduction(new, block.new):
        return "another sentence introduces it now"
    return ""


def _cuts_section(text: bytes, part: Range, headings: tuple[Heading, ...]) -> bool:
    """Tell whether `part` holds a heading and text follows that is not headed itself."""
    starts = [heading.range.start for heading in headings]
    if not any(part.start <= start < part.end for start in starts):
        return False
    rest = text[part.end :]
    following = part.end + len(rest) - len(rest.lstrip())
    return following < len(text) and following not in starts


def _introduction(text: bytes, part: Range) -> bytes:
    """Return the nearest line above that ends in a colon, unless a blank gap follows a text."""
    position = part.start
    for _ in range(200):
        if position <= 0:
            return b""
        start = max(text.rfind(b"\n", 0, position - 1), text.rfind(b"\f", 0, position - 1)) + 1
        line = text[start:position].strip()
        if line.endswith(b":"):
            return line
        if line and not line[:1].isalnum() and not line.startswith((b"#", b"|")):
            position = start
            continue
        if line and line[:3].rstrip(b".) ").isalnum() and line[1:4].find(b".") >= 0:
            position = start
            continue
        if line:
            return b""
        position = start
    return b""
