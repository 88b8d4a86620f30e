"""The short way for a gap whose two sides are plainly one sentence, edited.

Most gaps of a real change are: a few words in the middle of a line. They need
no anchors, no search for moves and no judgement of chance.
"""

from __future__ import annotations

from itertools import accumulate

from rapidfuzz.distance import LCSseq

from watcher.align.chain import common_prefix, common_suffix
from watcher.align.model import EDITED, KEPT
from watcher.align.runs import Link, RawRun, unequal
from watcher.align.tokens import SPACE, Texts, Vocabulary, Words, split

_ALIKE = 0.5
"""Share of the bytes of the longer side that must agree, in order."""
_LIMIT = 20_000
"""Bytes of a side above which a gap takes the long way."""
_WORD = bytes([*b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz*#~-=>`"]) + bytes(
    range(0x80, 0x100)
)
"""Bytes between two of which a word may go on, so that no cut is made there."""


def align_alike(
    gap: tuple[int, int, int, int], texts: Texts, vocabulary: Vocabulary
) -> list[RawRun] | None:
    """Return the runs of a gap, or None if it takes the long way.

    The short way is taken if the two sides agree up to one stretch, the sentences
    in it correspond, and nothing there could be matched differently.
    """
    a, b, c, d = gap
    longer = max(b - a, d - c)
    if a == b or c == d or longer > _LIMIT:
        return None
    old, new = texts.old[a:b], texts.new[c:d]
    left = common_prefix(old, new)
    if left < len(old) or left < len(new):
        left = len(old[:left].rstrip(_WORD))
    if _torn(old, new, left):
        return None
    right = common_suffix(old[left:], new[left:])
    right = len(old[len(old) - right :].lstrip(_WORD)) if right else 0
    e, f = b - right, d - right
    runs: list[RawRun] = [(a, a + left, c, c + left, KEPT)] if left else []
    same = left + right
    if a + left < e and c + left < f:
        middle = _middle((a + left, e, c + left, f), texts, vocabulary)
        if middle is None:
            return None
        runs += middle[0]
        same += middle[1]
    elif _slides(
        old[:left], old[left : len(old) - right] or new[left : len(new) - right], vocabulary
    ):
        return None
    if right:
        runs.append((e, b, f, d, KEPT))
    return runs if same >= _ALIKE * longer else None


_HEAD = 16
"""Bytes of the mark that begins a line: "| ", "- ", "12. "."""


def _torn(old: bytes, new: bytes, left: int) -> bool:
    """Tell whether only the mark of a line agrees, and a line came or went on one side."""
    head = left - old.rfind(b"\n", 0, left) - 1
    if not 0 < head <= _HEAD:
        return False
    return (b"\n" in old[left:]) != (b"\n" in new[left:])


def _slides(before: bytes, middle: bytes, vocabulary: Vocabulary) -> bool:
    """Tell whether text that is on one side only may stand at several places."""
    bare = middle.strip()
    if not bare:
        return False
    word = bare[len(bare.rstrip(_WORD)) :] or bare[-1:]
    if before.rstrip().endswith(word):
        return True
    return not vocabulary.breaks.isdisjoint(
        map(vocabulary.__getitem__, split(middle, 0, len(middle)))
    )


def _middle(
    gap: tuple[int, int, int, int], texts: Texts, vocabulary: Vocabulary
) -> tuple[list[RawRun], int] | None:
    """Return the runs of the stretch that differs and the bytes of equal words in it.

    None unless all ends of sentences in it agree.
    """
    a, b, c, d = gap
    old_parts, new_parts = split(texts.old, a, b), split(texts.new, c, d)
    old_all = "".join(map(vocabulary.__getitem__, old_parts))
    new_all = "".join(map(vocabulary.__getitem__, new_parts))
    old, new = old_all.replace(SPACE, ""), new_all.replace(SPACE, "")
    found = LCSseq.opcodes(old, new).as_matching_blocks()
    breaks = vocabulary.breaks
    if not breaks.isdisjoint(old) or not breaks.isdisjoint(new):
        kept = "".join([old[match.a : match.a + match.size] for match in found])
        ends = [symbol for symbol in kept if symbol in breaks]
        if any(ends != [symbol for symbol in side if symbol in breaks] for side in (old, new)):
            return None
    left = _places(old_all, old_parts, a)
    right = _places(new_all, new_parts, c)
    runs: list[RawRun] = []
    at_old = at_new = same = 0
    for match in found:
        o, n, size = match.a, match.b, match.size
        if at_old < o and at_new < n:
            runs.append(
                (
                    left.starts[at_old],
                    left.ends[o - 1],
                    right.starts[at_new],
                    right.ends[n - 1],
                    EDITED,
                )
            )
        at_old, at_new = o + size, n + size
        if size:
            a, b = left.starts[o], left.ends[at_old - 1]
            c, d = right.starts[n], right.ends[at_new - 1]
            same += b - a
            if texts.old[a:b] == texts.new[c:d]:
                runs.append((a, b, c, d, KEPT))
            else:
                link = Link(o, at_old, n, at_new, True)
                runs += unequal(link, left, right, texts, (KEPT, EDITED))
    return runs, same


def _places(symbols: str, parts: list[bytes], start: int) -> Words:
    """Return the words among `parts`, as one sentence."""
    ends = list(accumulate(map(len, parts), initial=start))
    kept = [i for i, symbol in enumerate(symbols) if symbol != SPACE]
    return Words("", [ends[i] for i in kept], [ends[i + 1] for i in kept], [0] * len(kept))
