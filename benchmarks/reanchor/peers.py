"""Other ways to find a passage again, where they are installed; skipped by name otherwise."""

from __future__ import annotations

import difflib
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.reanchor.score import read_cases, verdict

Place = tuple[int, int] | None
Method = Callable[[bytes, bytes, int, int], Place]
_CASES, _BYTES = 150, 40_000
"""Cases that each peer gets, on texts small enough for the slow ones."""


def nearest(old: bytes, new: bytes, start: int, end: int) -> Place:
    """Find the verbatim occurrence nearest to the old offset."""
    quote, best, at = old[start:end], None, -1
    while (at := new.find(quote, at + 1)) >= 0:
        if best is None or abs(at - start) < abs(best - start):
            best = at
    return None if best is None else (best, best + len(quote))


def difflib_words(old: bytes, new: bytes, start: int, end: int) -> Place:
    """Map the ends of the passage through difflib's matching blocks of words."""
    left, right = old.split(b" "), new.split(b" ")
    starts = [_offsets(left), _offsets(right)]
    ends = [(0, 0)]
    for block in difflib.SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
        ends += [(starts[0][block.a + i], starts[1][block.b + i]) for i in range(block.size)]
    inside = [b for a, b in ends if start <= a < end]
    return (min(inside), max(inside) + end - start) if inside else None


def _offsets(words: list[bytes]) -> list[int]:
    offsets, at = [], 0
    for word in words:
        offsets.append(at)
        at += len(word) + 1
    return offsets


def _rapidfuzz() -> Method:
    fuzz = importlib.import_module("rapidfuzz.fuzz")

    def find(old: bytes, new: bytes, start: int, end: int) -> Place:
        found = fuzz.partial_ratio_alignment(old[start:end], new, score_cutoff=70)
        return None if found is None else (found.dest_start, found.dest_end)

    return find


def _edlib() -> Method:
    edlib = importlib.import_module("edlib")

    def find(old: bytes, new: bytes, start: int, end: int) -> Place:
        quote = old[start:end]
        found = edlib.align(quote, new, mode="HW", task="locations", k=int(0.35 * len(quote)))
        if not found["locations"]:
            return None
        first, last = min(found["locations"], key=lambda place: abs((place[0] or 0) - start))
        return (first or 0, last + 1)

    return find


def _diff_match_patch() -> Method:
    module = importlib.import_module("diff_match_patch")
    tool = module.diff_match_patch()

    def find(old: bytes, new: bytes, start: int, end: int) -> Place:
        diffs = tool.diff_main(old.decode("latin-1"), new.decode("latin-1"))
        first, last = tool.diff_xIndex(diffs, start), tool.diff_xIndex(diffs, end)
        return (first, last) if first < last else None

    return find


def peers(data: Path | None) -> Iterator[tuple[str, float, float]]:
    """Yield name, share of correct answers and CPU seconds for each case, for each peer."""
    if data is None:
        return
    cases = [c for c in read_cases(data / "cases.jsonl") if c.new_bytes < _BYTES][::11][:_CASES]
    sys.path.extend(map(str, Path().glob(".venv-peers/lib/python*/site-packages")))
    methods: dict[str, Callable[[], Method]] = {
        "verbatim, nearest": lambda: nearest,
        "difflib on words": lambda: difflib_words,
        "rapidfuzz partial ratio": _rapidfuzz,
        "edlib infix": _edlib,
        "diff-match-patch": _diff_match_patch,
    }
    for name, load in methods.items():
        try:
            find = load()
        except ImportError:
            print(f"peer {name} is not installed: skipped", file=sys.stderr)
            continue
        right = 0
        start = time.process_time()
        for case in cases:
            old = (data / case.old_ref).read_bytes()
            new = (data / case.new_ref).read_bytes()
            found = find(old, new, case.start, case.end)
            right += "correct" in verdict(case.expected, case.acceptable, found)
        yield name, right / len(cases), (time.process_time() - start) / len(cases)
