"""What became of the words between two matches: sentence by sentence."""

from __future__ import annotations

import re
from bisect import bisect_right

from rapidfuzz.distance import Indel

from watcher.align.tokens import LINE, PARAGRAPH, SPACE, Texts, Words

Link = tuple[int, int, int, int]
"""Words `a:b` of old became words `c:d` of new."""

_ALIKE = 0.5
"""Similarity from which two sentences without a common word sequence are one, edited."""
_COMPARED = 1_000_000
"""Product of the lengths of two sentences that are compared, at most."""
_BARRIERS = re.compile(f"[{SPACE}{LINE}{PARAGRAPH}]")
_PAIRS = 64
"""Pairs of sentences that are compared in one gap at most."""


def replaced(a: int, b: int, c: int, d: int, old: Words, new: Words, texts: Texts) -> list[Link]:
    """Link words `a:b` of old, all unmatched, with what they became in `c:d` of new.

    The sentence that was open before the gap goes on in it, and the sentence
    that is open after it began in it; whole sentences between are linked where
    they are alike. Everything else was removed or inserted.
    """
    olds, news = _sentences(a, b, old), _sentences(c, d, new)
    if not olds or not news:
        return []
    head = _open(a, old) and _open(c, new)
    tail = _open(b, old) and _open(d, new)
    if len(olds) == 1 and head and tail:
        return [_inside(olds[0], news, old, new)]
    links: list[Link] = []
    last: list[Link] = []
    if head:
        links.append((*olds.pop(0), *news.pop(0)))
    if tail and olds and news:
        last.append((*olds.pop(), *news.pop()))
    if olds and news:
        links += _alike(olds, news, old, new, texts)
    elif news and head:
        links[0] = _lengthen(links[0], news, old, new)
    return links + last


def _open(at: int, side: Words) -> bool:
    """Tell whether word `at` goes on with the sentence of the word before it."""
    return 0 < at < len(side.segments) and side.segments[at - 1] == side.segments[at]


def _sentences(start: int, end: int, side: Words) -> list[tuple[int, int]]:
    """Return the sentences, or parts of them, in words `start:end`; barriers part them, too."""
    found: list[tuple[int, int]] = []
    at = start
    while at < end:
        first, at = at, bisect_right(side.segments, side.segments[at], at, end)
        for part in _BARRIERS.split(side.symbols[first:at]):
            if part:
                found.append((first, first + len(part)))
            first += len(part) + 1
    return found


def _size(start: int, end: int, side: Words) -> int:
    return side.ends[end - 1] - side.starts[start]


def _inside(part: tuple[int, int], news: list[tuple[int, int]], old: Words, new: Words) -> Link:
    """Link a part in the middle of one old sentence with all, the first or the last new part."""
    size = _size(part[0], part[1], old)
    whole = (news[0][0], news[-1][1])
    fits = len(news) == 1 or _size(whole[0], whole[1], new) <= 3 * size + 48
    if fits and _whole(whole, new):
        return (*part, *whole)
    best = min((news[0], news[-1]), key=lambda n: abs(_size(n[0], n[1], new) - size))
    return (*part, *best)


def _whole(part: tuple[int, int], side: Words) -> bool:
    return all(symbol > PARAGRAPH for symbol in side.symbols[part[0] : part[1]])


def _lengthen(link: Link, news: list[tuple[int, int]], old: Words, new: Words) -> Link:
    """Let the end of an old sentence become more than one new sentence if it was that long."""
    a, b, c, d = link
    size = _size(a, b, old)
    ends = [d, *(end for _, end in news)]
    ends = [end for end in ends if _whole((c, end), new)]
    return (a, b, c, min(ends, key=lambda end: abs(_size(c, end, new) - size)))


def _alike(
    olds: list[tuple[int, int]],
    news: list[tuple[int, int]],
    old: Words,
    new: Words,
    texts: Texts,
) -> list[Link]:
    """Link sentences that are alike, in order, so that the sum of likeness is highest."""
    if len(olds) * len(news) > _PAIRS:
        return []
    best: list[list[tuple[float, tuple[Link, ...]]]] = [[(0.0, ())] * (len(news) + 1)]
    for a, b in olds:
        left = texts.old[old.starts[a] : old.ends[b - 1]]
        row: list[tuple[float, tuple[Link, ...]]] = [(0.0, ())]
        for index, (c, d) in enumerate(news):
            right = texts.new[new.starts[c] : new.ends[d - 1]]
            if len(left) * len(right) > _COMPARED:
                row.append(max(best[-1][index + 1], row[index], key=lambda x: x[0]))
                continue
            score = Indel.normalized_similarity(left, right, score_cutoff=_ALIKE)
            choice = max(best[-1][index + 1], row[index], key=lambda x: x[0])
            if score:
                total, links = best[-1][index]
                if total + score > choice[0]:
                    choice = (total + score, (*links, (a, b, c, d)))
            row.append(choice)
        best.append(row)
    return list(best[-1][-1][1])
