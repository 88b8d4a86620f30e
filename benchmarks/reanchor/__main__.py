"""`python -m benchmarks.reanchor [DATA]`: accuracy and speed, a table, then JSON lines.

DATA is the folder with cases.jsonl, renumber.jsonl and their texts; without it
only cases of our own making are run.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.reanchor.generate import cases
from benchmarks.reanchor.peers import peers
from benchmarks.reanchor.real import HOPS, chains, pair_accuracy, pair_times, place_of
from benchmarks.reanchor.score import Score, read_cases, score, verdict
from benchmarks.reanchor.texts import edited, statute
from watcher.align import align
from watcher.domain.ranges import Range
from watcher.reanchor import reanchor, reanchor_by_ink

_SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "reanchor"
_HISTORIES = _SHARED.parent / "histories"
_SEEDS = (1001,)


def cpu(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the least CPU seconds of some rounds of `work`."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


class Report:
    """Figures, printed as a table and as JSON lines."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []

    def add(self, figure: str, value: float, unit: str, target: str, holds: bool | None) -> None:
        """Add one figure."""
        self.rows.append(
            {
                "figure": figure,
                "value": round(value, 4),
                "unit": unit,
                "target": target,
                "holds": holds,
            }
        )

    def show(self) -> None:
        """Print the table, then one JSON object for each figure."""
        width = max(len(str(row["figure"])) for row in self.rows)
        for row in self.rows:
            mark = {True: "holds", False: "misses", None: "-"}[row["holds"]]  # type: ignore[index]
            told = f"{row['value']:>12} {row['unit']:<4} {row['target']:<10} {mark}"
            print(f"{row['figure']:<{width}}  {told}")
        print()
        for row in self.rows:
            print(json.dumps(row))


def accuracy(report: Report, name: str, found: Score) -> None:
    """Add the figures of one set of cases."""
    total = found.total
    percent = {word: 100 * found.share(word) for word in ("correct", "exact", "wrong", "orphan")}
    false = 100 * found.false_anchors
    report.add(f"{name}: cases", total["n"], "", "", None)
    report.add(f"{name}: correct", percent["correct"], "%", ">= 99.7", percent["correct"] >= 99.7)
    report.add(f"{name}: exact", percent["exact"], "%", ">= 99.0", percent["exact"] >= 99.0)
    report.add(f"{name}: wrong", percent["wrong"], "%", "<= 0.05", percent["wrong"] <= 0.05)
    report.add(f"{name}: orphan", percent["orphan"], "%", "<= 0.15", percent["orphan"] <= 0.15)
    report.add(f"{name}: false of gone", false, "%", "<= 0.1", false <= 0.1)


def given(report: Report, data: Path) -> None:
    """Run the given cases; documents of even and of odd name apart, so that tuning shows."""
    everything = read_cases(data / "cases.jsonl")
    halves: tuple[list, list] = ([], [])  # type: ignore[type-arg]
    for case in everything:
        document = case.old_ref.split("/")[-1 if "synth" in case.old_ref else -2].split(".")[0]
        halves[sum(document.encode()) % 2].append(case)
    for name, half in zip(("given, half A", "given, half B"), halves, strict=True):
        accuracy(report, name, score(half, data))
    renumber = score(read_cases(data / "renumber.jsonl"), data)
    right = 100 * renumber.correct
    report.add("renumbering traps: correct", right, "%", "100", right == 100)
    whole = score(everything, data)
    equal = whole.misplaced_on_equal_bytes
    report.add("given: misplaced on equal bytes", equal, "", "0", equal == 0)
    other = whole.unchanged_on_other_bytes
    report.add("given: unchanged on other bytes", other, "", "0", other == 0)
    for lang, counts in sorted(whole.langs.items()):
        share = 100 * counts["correct"] / counts["n"]
        report.add(f"language {lang}: correct", share, "%", ">= 99.5", share >= 99.5)


def fresh(report: Report, data: Path | None) -> None:
    """Run cases made now; those of documents that nothing was tuned on count by themselves."""
    halves: dict[str, list[str]] = {"tune": [], "held": [statute(seed, 200) for seed in range(6)]}
    if data is not None:
        for file in sorted((data / "corpus").glob("*/0.txt")):
            if file.stat().st_size < 60_000:
                half = ("tune", "held")[sum(file.parent.name.encode()) % 2]
                halves[half].append(file.read_text())
    for half, texts in halves.items():
        if not texts:
            continue
        found = Score()
        for case in (case for seed in _SEEDS for text in texts for case in cases(text, seed)):
            made = align(case.old, case.new)
            (statement,) = reanchor(case.old, case.new, made, [Range(case.start, case.end)])
            place = place_of(statement)
            found.add(case.kind, "", verdict(case.expected, case.acceptable, place))
        accuracy(report, f"fresh, {half}", found)
        other = found.kinds["replaced"]
        rate = 100 * other["false"] / max(other["n"], 1)
        report.add(f"fresh, {half}: anchored in a replaced text", rate, "%", "<= 0.1", rate <= 0.1)


def real(report: Report, histories: Path) -> None:
    """Run real successive versions: accuracy, time for a pair, chains of twenty hops."""
    accuracy(report, "real pairs", pair_accuracy(histories))
    times = pair_times(histories)
    middle, late = times[len(times) // 2], times[len(times) * 95 // 100]
    report.add("real pair, 100 citations, p50", 1000 * middle, "ms", "<= 1.5", middle <= 0.0015)
    report.add("real pair, 100 citations, p95", 1000 * late, "ms", "<= 50", late <= 0.050)
    counts = chains(histories)
    apart = 100 * counts["disjoint"] / counts["n"]
    report.add(f"{HOPS} hops: passages", counts["n"], "", "", None)
    report.add(f"{HOPS} hops: disjoint from direct", apart, "%", "<= 0.1", apart <= 0.1)
    for word in ("same", "overlap", "only direct", "only by hops"):
        report.add(f"{HOPS} hops: {word}", 100 * counts[word] / counts["n"], "%", "", None)


def speed(report: Report) -> None:
    """Time maps and statements on a made statute of 1 and 10 MB, a tenth of its lines edited."""
    old = statute(7, 9_000).encode()[:1_000_000]
    new = edited(old.decode("utf-8", "ignore"), 7, 0.1).encode()
    old = old.decode("utf-8", "ignore").encode()
    made = align(old, new)
    took = cpu(lambda: align(old, new))
    report.add("map of 1 MB", 1000 * took, "ms", "<= 60", took <= 0.060)
    rng = random.Random(7)
    passages = []
    for _ in range(10_000):
        start = rng.randrange(len(old) - 400)
        passages.append(Range(start, start + rng.randint(40, 300)))
    took = cpu(lambda: reanchor(old, new, made, passages))
    report.add("10,000 citations on 1 MB", took, "s", "<= 0.15", took <= 0.15)
    longest = max((r for r in made.runs if r.kind.value == "kept"), key=lambda r: r.old.length)
    middle = (longest.old.start + longest.old.end) // 2
    exact = [Range(middle - 50, middle + 50)] * 10_000
    took = cpu(lambda: reanchor(old, new, made, exact)) / 10_000
    report.add("look-up of a kept passage", 1e6 * took, "us", "<= 5", took <= 5e-6)
    wide = old.replace(b"e", "é".encode())[:1_000_000].decode("utf-8", "ignore").encode()
    spread = wide.replace(b" ", b"  ")
    took = cpu(lambda: reanchor_by_ink(wide, spread, passages[:100]), 1)
    report.add("100 citations by the ink of 1 MB, not ASCII", took, "s", "", None)
    large = "".join(statute(seed, 9_000)[:1_000_000] for seed in range(10))
    large_old, large_new = large.encode(), edited(large, 8, 0.1).encode()
    took = cpu(lambda: align(large_old, large_new), 1)
    report.add("map of 10 MB", took, "s", "<= 0.8", took <= 0.8)
    with tempfile.TemporaryDirectory() as folder:
        names = [Path(folder, name) for name in ("old", "new")]
        for name, text in zip(names, (large_old, large_new), strict=True):
            name.write_bytes(text)
        told = subprocess.check_output([sys.executable, "-c", _MEMORY, *map(str, names)], text=True)
    before, peak = map(float, told.split())
    report.add("10 MB pair: resident before its map", before, "MB", "", None)
    report.add("10 MB pair: resident at the peak", peak, "MB", "<= 100", peak <= 100)


_MEMORY = """
import re, sys
from pathlib import Path
from watcher.align import align
old, new = (Path(name).read_bytes() for name in sys.argv[1:])
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(peak())
align(old, new)
print(peak())
"""
"""Run by itself, on texts that another made: the peak counts everything a process did.
VmHWM, since the peak of getrusage is handed on by the process that started this one."""


def hostile(report: Report) -> None:
    """Time pairs of 1 MB made to be slow."""
    text = statute(9, 9_000)[:1_000_000]
    rng = random.Random(9)
    lines, words = text.split("\n"), text.split(" ")
    letters = "".join(rng.choices("abcdefghij \n", k=1_000_000))
    other = statute(77, 9_000)[:1_000_000].replace("shall", "must").replace("the", "a")
    numbers = [[str(rng.randrange(10**6)) for _ in range(10)] for _ in range(14_000)]
    table = "\n".join(map(",".join, numbers))
    for row in rng.sample(numbers, len(numbers) // 3):
        row[rng.randrange(10)] = str(rng.randrange(10**6))
    ideographs = ["".join(chr(rng.randrange(0x4E00, 0x5A00)) for _ in range(333_000)) for _ in "ab"]
    pairs = {
        "one line": (text.replace("\n", " "), edited(text, 9, 0.1).replace("\n", " ")),
        "one line reversed": (
            text.replace("\n", " "),
            " ".join(reversed(text.replace("\n", " ").split(" "))),
        ),
        "all blanks doubled": (text, text.replace(" ", "  ")),
        "shuffled lines": (text, "\n".join(rng.sample(lines, len(lines)))),
        "shuffled words": (text, " ".join(rng.sample(words, len(words)))),
        "random characters": (text, letters),
        "random characters twice": (letters, "".join(rng.sample(letters, len(letters)))),
        "unrelated": (text, other),
        "table edited": (table, "\n".join(map(",".join, numbers))),
        "ideographs": (ideographs[0], ideographs[1]),
        "equal rows": ("the same row\n" * 70_000, "the same row\n" * 60_000),
        "doubled": (text[:500_000], text[:500_000] * 2),
        "upper case": (text, text.upper()),
    }
    for name, (old, new) in pairs.items():
        left, right = old.encode(), new.encode()
        took = cpu(lambda a=left, b=right: align(a, b), 1)  # type: ignore[misc]
        report.add(f"hostile 1 MB, {name}", took, "s", "<= 1", took <= 1)


def main() -> None:
    """Run everything."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else _SHARED
    report = Report()
    if data.is_dir():
        given(report, data)
    else:
        print(f"no cases at {data}: only cases of our own making are run", file=sys.stderr)
    fresh(report, data if data.is_dir() else None)
    if _HISTORIES.is_dir():
        real(report, _HISTORIES)
    speed(report)
    hostile(report)
    for name, share, took in peers(data if data.is_dir() else None):
        report.add(f"peer {name}: correct", 100 * share, "%", "", None)
        report.add(f"peer {name}: CPU for each case", 1000 * took, "ms", "", None)
    report.show()


if __name__ == "__main__":
    main()
