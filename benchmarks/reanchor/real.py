"""Real successive versions: how long a pair takes, and whether a chain of hops agrees."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.reanchor.pieces import atoms_of, sentences
from benchmarks.reanchor.score import Score, overlap, verdict
from benchmarks.reanchor.structure import real_cases
from watcher.align import align
from watcher.domain.ranges import Range
from watcher.domain.statements import Statement, Status
from watcher.reanchor import reanchor

HOPS = 20
"""Versions that a chain goes over."""
_PASSAGES = 100
_SAME = 0.9
"""Overlap from which two places are one."""
_CASES = 20
"""Cases that are made of each real pair."""


def place_of(statement: Statement) -> tuple[int, int] | None:
    """Return the place of a statement: the largest part of a split, else from end to end."""
    parts = statement.ranges
    if not parts:
        return None
    if statement.status is Status.SPLIT:
        largest = max(parts, key=lambda part: part.length)
        return largest.start, largest.end
    return parts[0].start, parts[-1].end


def versions(histories: Path) -> Iterator[list[bytes]]:
    """Yield the texts of each document, the oldest first; files that are no text are left out."""
    for folder in sorted(path for path in histories.iterdir() if path.is_dir()):
        texts = [path.read_bytes() for path in sorted(folder.glob("*.md"))]
        if len(texts) > 1:
            yield [
                text for text, before in zip(texts, [b"", *texts], strict=False) if text != before
            ]


def passages_of(text: bytes, seed: int, count: int = _PASSAGES) -> list[Range]:
    """Return some sentences of a text, at most `count`."""
    atoms = atoms_of(text.decode())
    offsets = [0]
    for atom in atoms:
        offsets.append(offsets[-1] + len(atom.text.encode()))
    found = sentences(atoms)
    chosen = random.Random(seed).sample(found, min(count, len(found)))
    return [Range(offsets[piece.first], offsets[piece.last]) for piece in chosen]


def pair_times(histories: Path) -> list[float]:
    """Return the CPU seconds of each real pair: its map and a hundred citations; sorted."""
    times: list[float] = []
    for texts in versions(histories):
        for old, new in itertools.pairwise(texts):
            passages = passages_of(old, len(old))
            start = time.process_time()
            reanchor(old, new, align(old, new), passages)
            times.append(time.process_time() - start)
    return sorted(times)


def pair_accuracy(histories: Path) -> Score:
    """Return the verdicts on sentences of real pairs whose place is beyond doubt."""
    found = Score()
    for texts in versions(histories):
        for old, new in list(itertools.pairwise(texts))[::4]:
            made = align(old, new)
            cases = list(real_cases(old.decode(), new.decode(), len(old), _CASES))
            stated = reanchor(old, new, made, [Range(case.start, case.end) for case in cases])
            for case, statement in zip(cases, stated, strict=True):
                place = place_of(statement)
                found.add(case.kind, "", verdict(case.expected, case.acceptable, place))
    return found


def chains(histories: Path) -> Counter[str]:
    """Count how the place after twenty hops compares with the direct one."""
    counts: Counter[str] = Counter()
    for texts in versions(histories):
        for first in range(0, len(texts) - HOPS, HOPS):
            counts += _chain(texts[first : first + HOPS + 1])
    return counts


def _chain(texts: Sequence[bytes]) -> Counter[str]:
    passages = passages_of(texts[0], len(texts[0]))
    direct = reanchor(texts[0], texts[-1], align(texts[0], texts[-1]), passages)
    places: list[tuple[int, int] | None] = [(p.start, p.end) for p in passages]
    for old, new in itertools.pairwise(texts):
        live = [index for index, place in enumerate(places) if place is not None]
        moved = reanchor(old, new, align(old, new), [Range(*(places[i] or (0, 0))) for i in live])
        for index, statement in zip(live, moved, strict=True):
            places[index] = place_of(statement)
    return Counter(
        word
        for hop, statement in zip(places, direct, strict=True)
        for word in ("n", _compared(hop, place_of(statement)))
    )


def _compared(hop: tuple[int, int] | None, direct: tuple[int, int] | None) -> str:
    if hop is None or direct is None:
        return "same" if hop is direct else "only direct" if direct else "only by hops"
    share = overlap(hop, direct)
    return "same" if share >= _SAME else "overlap" if share else "disjoint"
