"""Score answers of `watcher reanchor` against the truth."""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from watcher.reanchor.tool import run

_CORRECT, _NEAR = 0.9, 0.5
"""Overlap (intersection over union) with the expected range."""


@dataclass(frozen=True, slots=True)
class Case:
    """A passage with its true place; `expected` is None if it is gone."""

    case_id: str
    kind: str
    lang: str
    old_ref: str
    new_ref: str
    start: int
    end: int
    expected: tuple[int, int] | None
    acceptable: tuple[tuple[int, int], ...]
    new_bytes: int


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a JSON lines file."""
    cases = []
    for line in path.read_text().splitlines():
        given = json.loads(line)
        expected = given["expected"]
        cases.append(
            Case(
                given["case_id"],
                given["kind"],
                given["lang"],
                given["old_text_ref"],
                given["new_text_ref"],
                given["start"],
                given["end"],
                (expected[0], expected[1]) if expected else None,
                tuple((a, b) for a, b in given["acceptable"]),
                given["new_bytes"],
            )
        )
    return cases


@dataclass(slots=True)
class Score:
    """Counts of verdicts, in all, by kind and by language."""

    total: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    langs: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unchanged_on_other_bytes: int = 0
    misplaced_on_equal_bytes: int = 0

    def add(self, kind: str, lang: str, verdicts: Iterable[str]) -> None:
        """Count one case."""
        for counter in (self.total, self.kinds[kind], self.langs[lang]):
            counter.update(["n", *verdicts])

    def share(self, verdict: str, of: str = "n") -> float:
        """Return the share of `verdict` among `of`."""
        return self.total[verdict] / max(self.total[of], 1)

    @property
    def correct(self) -> float:
        """Share of cases answered right."""
        return self.share("correct")

    @property
    def wrong(self) -> float:
        """Share of cases anchored elsewhere."""
        return self.share("wrong")

    @property
    def false_anchors(self) -> float:
        """Share of gone cases that were anchored."""
        return self.share("false", "gone")


def overlap(a: tuple[int, int], b: tuple[int, int]) -> float:
    """Return intersection over union of two ranges."""
    common = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    return common / max((a[1] - a[0]) + (b[1] - b[0]) - common, 1)


def verdict(
    expected: tuple[int, int] | None,
    acceptable: Sequence[tuple[int, int]],
    found: tuple[int, int] | None,
) -> list[str]:
    """Return the words that describe one answer; `found` is None for no offsets."""
    if expected is None:
        return ["gone", "correct", "exact"] if found is None else ["gone", "false"]
    if found is None:
        return ["orphan"]
    wanted = [expected, *acceptable]
    best = max(overlap(found, place) for place in wanted)
    word = "correct" if best >= _CORRECT else "near" if best >= _NEAR else "wrong"
    return [word, "exact"] if found in wanted else [word]


def score(cases: Sequence[Case], root: Path) -> Score:
    """Run the tool on `cases` and count."""
    lines = io.StringIO(
        "".join(
            json.dumps(
                {
                    "case_id": c.case_id,
                    "old_text_ref": c.old_ref,
                    "new_text_ref": c.new_ref,
                    "start": c.start,
                    "end": c.end,
                }
            )
            + "\n"
            for c in cases
        )
    )
    out = io.StringIO()
    run(lines, root, out)
    total = Score()
    for case, line in zip(cases, out.getvalue().splitlines(), strict=True):
        answer = json.loads(line)
        placed = answer["start"] is not None
        found = (answer["start"], answer["end"]) if placed else None
        words = verdict(case.expected, case.acceptable, found)
        total.add(case.kind, case.lang, words)
        if found is None:
            continue
        old = (root / case.old_ref).read_bytes()[case.start : case.end]
        equal = old == (root / case.new_ref).read_bytes()[found[0] : found[1]]
        total.unchanged_on_other_bytes += answer["status"] == "unchanged" and not equal
        total.misplaced_on_equal_bytes += equal and ("wrong" in words or "false" in words)
    return total
