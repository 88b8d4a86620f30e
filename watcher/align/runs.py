"""From matched words to runs of bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from watcher.align.chain import Block, merge
from watcher.align.model import EDITED, KEPT, MOVED, MOVED_EDITED
from watcher.align.parts import parts_of, sentence_size, weights_of
from watcher.align.replaced import replaced
from watcher.align.tokens import Texts, Words, is_blank

RawRun = tuple[int, int, int, int, int]
"""Old start, old end, new start, new end, kind."""

_SURE_WORDS, _SURE_BYTES = 4, 24
_SHORTER, _LONGER = 0.34, 0.12


def dense(blocks: list[Block], old: Words, new: Words) -> list[Block]:
    """Drop the matches that two unrelated sentences have by chance.

    A long block counts by itself. A short one counts if the two sentences in
    which it stands share at least `_SHORTER` of the shorter one's bytes and
    `_LONGER` of the longer one's.
    """
    parts = [list(parts_of(block, old, new)) for block in blocks]
    shared = weights_of(part for block in parts for part in block)
    good = set()
    for (a, b), weight in shared.items():
        short, long = sorted((sentence_size(old, a), sentence_size(new, b)))
        if weight >= _SHORTER * short and weight >= _LONGER * long:
            good.add((a, b))
    out: list[Block] = []
    for block, pieces in zip(blocks, parts, strict=True):
        size = old.ends[block.old + block.length - 1] - old.starts[block.old]
        if block.length >= _SURE_WORDS and size >= _SURE_BYTES:
            out.append(block)
        else:
            out += [Block(p.old, p.new, p.length) for p in pieces if p.pair in good]
    return merge(out)


class Link(NamedTuple):
    """Words `old:old_end` became words `new:new_end`; `same` if their symbols are equal."""

    old: int
    old_end: int
    new: int
    new_end: int
    same: bool


def links_of(blocks: Sequence[Block], old: Words, new: Words, texts: Texts) -> list[Link]:
    """Return the matched words of `blocks`, and what was replaced before, between and after."""
    links: list[Link] = []
    last = Block(0, 0, 0)
    for block in [*blocks, Block(len(old.symbols), len(new.symbols), 0)]:
        a, b = last.old + last.length, block.old
        c, d = last.new + last.length, block.new
        if a < b and c < d:
            links += [Link(*link, False) for link in replaced(a, b, c, d, old, new, texts)]
        if block.length:
            links.append(Link(b, b + block.length, d, d + block.length, True))
        last = block
    return links


def byte_runs(
    links: Sequence[Link], old: Words, new: Words, texts: Texts, *, moved: bool
) -> list[RawRun]:
    """Return the runs of `links`: byte-equal ones and others."""
    runs: list[RawRun] = []
    same, other = (MOVED, MOVED_EDITED) if moved else (KEPT, EDITED)
    for a, b, c, d, equal in links:
        e, f, g, h = old.starts[a], old.ends[b - 1], new.starts[c], new.ends[d - 1]
        if texts.old[e:f] == texts.new[g:h]:
            runs.append((e, f, g, h, same))
        elif equal:
            runs += unequal(Link(a, b, c, d, equal), old, new, texts, (same, other))
        else:
            runs.append((e, f, g, h, other))
    return runs


_COARSE = 4
"""Differences in blanks or spelling from which a sentence is one edited run."""


def unequal(
    link: Link, old: Words, new: Words, texts: Texts, kinds: tuple[int, int]
) -> Iterator[RawRun]:
    """Yield the runs of equal words whose bytes differ: in blanks, case, marks."""
    a, b, c, _, _ = link
    while a < b:
        stop = bisect_right(old.segments, old.segments[a], a, b)
        size = stop - a
        e, f = old.starts[a], old.ends[stop - 1]
        g, h = new.starts[c], new.ends[c + size - 1]
        if texts.old[e:f] == texts.new[g:h]:
            yield e, f, g, h, kinds[0]
        else:
            runs = _by_word(Link(a, stop, c, c + size, True), old, new, texts, kinds)
            yield from runs or ((e, f, g, h, kinds[1]),)
        if stop < b:
            i, j = old.starts[stop], new.starts[c + size]
            if f < i and h < j:
                blank = texts.old[f:i] == texts.new[h:j]
                yield f, i, h, j, kinds[0] if blank else kinds[1]
        a, c = stop, c + size


def _by_word(
    link: Link, old: Words, new: Words, texts: Texts, kinds: tuple[int, int]
) -> list[RawRun]:
    """Return the runs of single words and blanks; none if too many of them differ."""
    runs: list[RawRun] = []
    different = 0
    last_old = last_new = -1
    for step in range(link.old_end - link.old):
        a, b = old.starts[link.old + step], old.ends[link.old + step]
        c, d = new.starts[link.new + step], new.ends[link.new + step]
        if -1 < last_old < a and last_new < c:
            blank = texts.old[last_old:a] == texts.new[last_new:c]
            runs.append((last_old, a, last_new, c, kinds[0] if blank else kinds[1]))
            different += not blank
        same = texts.old[a:b] == texts.new[c:d]
        runs.append((a, b, c, d, kinds[0] if same else kinds[1]))
        different += not same
        if different >= _COARSE:
            return []
        last_old, last_new = b, d
    return runs


def join(runs: list[RawRun], texts: Texts) -> list[RawRun]:
    """Merge neighbours, and link the white space between two runs that follow each other."""
    out: list[RawRun] = []
    for run in sorted(runs):
        out += _bridged(out.pop(), run, texts) if out else (run,)
    return out


def _bridged(run: RawRun, following: RawRun, texts: Texts) -> tuple[RawRun, ...]:
    """Return two runs, made one or longer, or with a run between, if only blanks part them."""
    a, b, c, d, kind = run
    e, f, g, h, next_kind = following
    old, new = texts.old[b:e], texts.new[d:g]
    if (
        d > g
        or (kind in _IN_ORDER) != (next_kind in _IN_ORDER)
        or not (is_blank(old) and is_blank(new))
    ):
        return run, following
    same, other = (KEPT, EDITED) if kind in _IN_ORDER else (MOVED, MOVED_EDITED)
    if old == new and kind == next_kind == same:
        return ((a, f, c, h, same),)
    if old == new and kind == same:
        return (a, e, c, g, same), following
    if old == new and next_kind == same:
        return run, (b, f, d, h, same)
    if old and new:
        return run, (b, e, d, g, same if old == new else other), following
    return run, following


_IN_ORDER = (KEPT, EDITED)
