"""From matched words to runs of bytes."""

from __future__ import annotations

from collections import Counter

from watcher.align.chain import Block
from watcher.align.model import EDITED, KEPT, MOVED, MOVED_EDITED
from watcher.align.replaced import replaced
from watcher.align.tokens import Texts, Words

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
    if not blocks:
        return []
    shared: Counter[tuple[int, int]] = Counter()
    for o, n, length in blocks:
        for step in range(length):
            shared[old.segments[o + step], new.segments[n + step]] += (
                old.ends[o + step] - old.starts[o + step]
            )
    old_sizes, new_sizes = sizes(old), sizes(new)
    good = set()
    for (a, b), weight in shared.items():
        short, long = sorted((old_sizes[a], new_sizes[b]))
        if weight >= _SHORTER * short and weight >= _LONGER * long:
            good.add((a, b))
    out: list[Block] = []
    for o, n, length in blocks:
        size = old.ends[o + length - 1] - old.starts[o]
        if length >= _SURE_WORDS and size >= _SURE_BYTES:
            out.append(Block(o, n, length))
            continue
        start = 0
        for step in range(length + 1):
            if step == length or (old.segments[o + step], new.segments[n + step]) not in good:
                if step > start:
                    out.append(Block(o + start, n + start, step - start))
                start = step + 1
    return out


def sizes(words: Words) -> Counter[int]:
    """Return the bytes of words in each sentence."""
    total: Counter[int] = Counter()
    for segment, start, end in zip(words.segments, words.starts, words.ends, strict=True):
        total[segment] += end - start
    return total


def byte_runs(
    blocks: list[Block], old: Words, new: Words, texts: Texts, *, moved: bool
) -> list[RawRun]:
    """Return the runs of matched blocks and of what was replaced between them."""
    runs: list[RawRun] = []
    same, other = (MOVED, MOVED_EDITED) if moved else (KEPT, EDITED)
    last = Block(0, 0, 0)
    for block in [*blocks, Block(len(old.symbols), len(new.symbols), 0)]:
        a, b = last.old + last.length, block.old
        c, d = last.new + last.length, block.new
        if a < b and c < d:
            runs += [
                (old.starts[a], old.ends[b - 1], new.starts[c], new.ends[d - 1], other)
                for a, b, c, d in replaced(a, b, c, d, old, new, texts)
            ]
        if block.length:
            runs += _equal(block, old, new, texts, same, other)
        last = block
    return runs


def _equal(
    block: Block, old: Words, new: Words, texts: Texts, same: int, other: int
) -> list[RawRun]:
    o, n, length = block
    a, b = old.starts[o], old.ends[o + length - 1]
    c, d = new.starts[n], new.ends[n + length - 1]
    if texts.old[a:b] == texts.new[c:d]:
        return [(a, b, c, d, same)]
    runs: list[RawRun] = []
    for step in range(length):
        a, b = old.starts[o + step], old.ends[o + step]
        c, d = new.starts[n + step], new.ends[n + step]
        kind = same if texts.old[a:b] == texts.new[c:d] else other
        if step:
            e, f = old.ends[o + step - 1], new.ends[n + step - 1]
            if e < a and f < c:
                between = same if texts.old[e:a] == texts.new[f:c] else other
                runs.append((e, a, f, c, between))
        runs.append((a, b, c, d, kind))
    return runs


def join(runs: list[RawRun], texts: Texts) -> list[RawRun]:
    """Merge neighbours, and link the white space between two runs that follow each other."""
    runs.sort()
    out: list[RawRun] = []
    for run in runs:
        if out:
            a, b, c, d, kind = out[-1]
            e, f, g, h, next_kind = run
            order = (kind in (KEPT, EDITED)) == (next_kind in (KEPT, EDITED))
            if order and d <= g:
                gap_old, gap_new = texts.old[b:e], texts.new[d:g]
                if kind == next_kind and gap_old == gap_new and kind in (KEPT, MOVED):
                    out[-1] = (a, f, c, h, kind)
                    continue
                if gap_old and gap_new and not gap_old.strip() and not gap_new.strip():
                    if gap_old == gap_new:
                        if kind in (KEPT, MOVED):
                            out[-1] = (a, e, c, g, kind)
                        elif next_kind in (KEPT, MOVED):
                            run = (b, f, d, h, next_kind)
                    else:
                        out.append((b, e, d, g, EDITED if kind in (KEPT, EDITED) else MOVED_EDITED))
        out.append(run)
    return out
