"""`make bench-classify`: precision, recall, time and memory of the classifier.

Prints a table beside two baselines, then one JSON object per figure. CPU time,
so that a busy machine changes little; the labels are read from the data folder
beside the repository, and figures that need it have `holds` null without it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.classify.fresh_set import rows
from benchmarks.classify.mutations import SENTENCES, mutants
from benchmarks.figures import Figure
from watcher.align import align
from watcher.classify import Context, classify, classify_passage
from watcher.classify.packs import LANGUAGES, pack
from watcher.domain.changes import Tier

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "polidiff"
SEED, ROUNDS = 2025, 3


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled change: `label` is cosmetic, editorial or policy-bearing."""

    lang: str
    before: str
    after: str
    context: str
    label: str
    kind: str
    facets: frozenset[str] = frozenset()


Method = Callable[[Case], Tier]


def watcher_tier(case: Case) -> Tier:
    """Return the classifier's tier."""
    return classify_passage(case.before, case.after, case.lang, case.context).tier


def any_token(case: Case) -> Tier:
    """Baseline: any difference of words or signs calls a person."""
    same = re.findall(r"\w+|[^\w\s]", case.before) == re.findall(r"\w+|[^\w\s]", case.after)
    return Tier.SILENT if same else Tier.PAGE


def keyword_list(case: Case) -> Tier:
    """Baseline: a changed modal, negation or digit calls a person."""
    return Tier.PAGE if _keywords(case.before) != _keywords(case.after) else Tier.SILENT


def _keywords(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word in _LISTED or word.isdigit()]


def _listed() -> frozenset[str]:
    words: set[str] = set()
    for code in LANGUAGES:
        found = pack(code)
        if found is not None:
            for group in ("obligation", "permission", "prohibition", "recommendation", "negation"):
                words |= {w for w in found.file.operators[group] if " " not in w}
    return frozenset(words)


_LISTED = _listed()


def cases_of(name: str) -> list[Case]:
    """Return the cases of a file of the data folder, or none if there is no such folder."""
    path = DATA / name
    if not path.is_file():
        return []
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        Case(
            r["lang"],
            r["before"],
            r["after"],
            r["context_before"],
            r["label"],
            r["source"]["kind"],
            frozenset(r.get("facets", ())),
        )
        for r in lines
    ]


def made_cases() -> list[Case]:
    """Return the seeded mutants, in eight languages."""
    return [
        Case(
            m.lang,
            m.before,
            m.after,
            "",
            "policy-bearing" if m.policy_bearing else "cosmetic",
            "made",
        )
        for m in mutants(SEED, ROUNDS)
    ]


def written_cases(*, held: bool) -> list[Case]:
    """Return one half of the written set."""
    return [
        Case(row.lang, row.before, row.after, "", row.label, row.kind)
        for row in rows()
        if row.held is held
    ]


def share(hits: int, total: int) -> float | None:
    """Return hits / total, or None without any."""
    return hits / total if total else None


class Scores:
    """What a method did with a set of cases: counts of (label, tier)."""

    def __init__(self, cases: Iterable[Case], method: Method) -> None:
        self.counts: dict[tuple[str, Tier], int] = {}
        for case in cases:
            key = case.label, method(case)
            self.counts[key] = self.counts.get(key, 0) + 1

    def count(self, labels: Iterable[str], tiers: Iterable[Tier]) -> int:
        wanted = {(label, tier) for label in labels for tier in tiers}
        return sum(number for key, number in self.counts.items() if key in wanted)

    def share_of(self, label: str, *tiers: Tier) -> float | None:
        """Return the share of `label` that got one of `tiers`."""
        return share(self.count([label], tiers), self.count([label], list(Tier)))

    def precision(
        self, *tiers: Tier, against: tuple[str, ...] = ("cosmetic", "editorial")
    ) -> float | None:
        """Return how much of what got `tiers` bears policy."""
        right = self.count([POLICY], tiers)
        return share(right, right + self.count(against, tiers))


POLICY = "policy-bearing"
TOLD = (Tier.TICKET, Tier.PAGE)


def quality(labels: list[Case], generated: list[Case], made: list[Case]) -> list[Figure]:
    """Return the figures on recall and precision."""
    mix = Scores(labels, watcher_tier)
    built = Scores([c for c in labels if c.kind == "constructed"], watcher_tier)
    machine, own = Scores(generated, watcher_tier), Scores(made, watcher_tier)
    paged = mix.share_of("editorial", Tier.PAGE)
    against_cosmetic = mix.precision(*TOLD, against=("cosmetic",))
    return [
        _least("recall, constructed hard cases and traps", built.share_of(POLICY, *TOLD), 1.0),
        _least("recall, all labels", mix.share_of(POLICY, *TOLD), 0.995),
        _least("recall, generated", machine.share_of(POLICY, *TOLD), 0.999),
        _least("recall, own mutants in 8 languages", own.share_of(POLICY, *TOLD), 0.999),
        _least("precision of page", mix.precision(Tier.PAGE), 0.95),
        _least("policy-bearing that page covers", mix.share_of(POLICY, Tier.PAGE), 0.70),
        _least("precision of page + ticket, mix", mix.precision(*TOLD), 0.88),
        _least("precision of page + ticket, against cosmetic", against_cosmetic, 0.98),
        _least("cosmetic silenced, labels", mix.share_of("cosmetic", Tier.SILENT), 0.98),
        _least("cosmetic silenced, generated", machine.share_of("cosmetic", Tier.SILENT), 0.98),
        _least("cosmetic silenced, own mutants", own.share_of("cosmetic", Tier.SILENT), 0.98),
        _least("editorial not paged", None if paged is None else 1 - paged, 0.90),
    ]  # fmt: skip


def written(name: str, cases: list[Case]) -> list[Figure]:
    """Return the figures on one half of the written set.

    Its mix is not that of the world: every kind of noise stands in it alike, so
    that its precisions are told without a target.
    """
    mix = Scores(cases, watcher_tier)
    paged = mix.share_of("editorial", Tier.PAGE)
    return [
        _least(f"{name}: recall", mix.share_of(POLICY, *TOLD), 0.995),
        _least(f"{name}: cosmetic silenced", mix.share_of("cosmetic", Tier.SILENT), 0.98),
        _least(f"{name}: editorial not paged", None if paged is None else 1 - paged, 0.90),
        _told(f"{name}: precision of page", mix.precision(Tier.PAGE)),
        _told(f"{name}: policy-bearing that page covers", mix.share_of(POLICY, Tier.PAGE)),
        _told(f"{name}: precision of page + ticket", mix.precision(*TOLD)),
    ]


def facets(cases: list[Case]) -> list[Figure]:
    """Return how well the facets of policy-bearing changes are named."""
    found = wanted = both = 0
    for case in cases:
        if case.label == POLICY and case.facets:
            said = frozenset(
                classify_passage(case.before, case.after, case.lang, case.context).facets
            )
            found, wanted = found + len(said), wanted + len(case.facets)
            both += len(said & case.facets)
    return [
        _told("facets named that are labelled", share(both, found)),
        _told("labelled facets that are named", share(both, wanted)),
    ]


def _told(name: str, value: float | None) -> Figure:
    return Figure(name, None if value is None else round(value, 4), "share", "-", None)


def _least(name: str, value: float | None, target: float) -> Figure:
    if value is None:
        return Figure(name, None, "share", f">= {target}", None, "the labelled data is not here")
    return Figure(name, round(value, 4), "share", f">= {target}", value >= target)


def _most(name: str, value: float, unit: str, target: float) -> Figure:
    return Figure(name, round(value, 3), unit, f"<= {target}", value <= target)


def document(blocks: int, changed: int) -> tuple[bytes, bytes]:
    """Return a text of `blocks` paragraphs of about 350 bytes, and one with `changed` changes."""
    sentences = SENTENCES["en"]
    old = [
        f"Clause {n}. " + " ".join(sentences[(n + k) % len(sentences)] for k in range(4))
        for n in range(blocks)
    ]
    new = list(old)
    for k in range(changed):
        at = k * blocks // changed
        new[at] = old[at].replace("14", "15").replace("must", "may", 1).replace("30", "90")
    return "\n\n".join(old).encode(), "\n\n".join(new).encode()


def cpu(old: bytes, new: bytes, times: int = 3) -> float:
    """Return the least CPU seconds of one classification, alignment left out."""
    text_map, best = align(old, new), float("inf")
    for _ in range(times):
        started = time.process_time()
        classify(old, new, text_map, Context(language="en"))
        best = min(best, time.process_time() - started)
    return best


_MEMORY = """
import resource
from benchmarks.classify.__main__ import document
from watcher.align import align
from watcher.classify import Context, classify
old, new = document(1000, 1000)
classify(old, new, align(old, new), Context(language="en"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def speed() -> list[Figure]:
    """Return the figures on time and memory."""
    classify_passage("warm", "up", "en")
    line = " ".join(f"word{number}" for number in range(110_000))
    started = time.process_time()
    judged = classify_passage(line, line.replace("word9 ", "word8 "), "en")
    seconds = time.process_time() - started
    memory = subprocess.run(
        [sys.executable, "-c", _MEMORY], capture_output=True, check=True, text=True
    )
    ticket = judged.tier is Tier.TICKET
    return [
        _most("350 KB, 1,000 changed blocks", cpu(*document(1000, 1000)), "s CPU", 2.0),
        _most("50 KB, 20 changes", cpu(*document(140, 20), times=5) * 1000, "ms CPU", 50.0),
        _most("1 MB single line", seconds, "s CPU", 5.0),
        Figure("1 MB single line gives a ticket", float(ticket), "", "= 1", ticket),
        _most("resident, 350 KB with 1,000 changed blocks", float(memory.stdout), "MB", 150.0),
    ]  # fmt: skip


def table(cases: list[Case]) -> str:
    """Return the comparison with the two baselines as text."""
    lines = [f"{'method':26} {'recall':>7} {'precision':>10} {'cosmetic silenced':>18}"]
    for name, method in (
        ("any token change", any_token),
        ("keyword list", keyword_list),
        ("watcher, page + ticket", watcher_tier),
    ):
        scores = Scores(cases, method)
        row = (
            scores.share_of(POLICY, *TOLD),
            scores.precision(*TOLD),
            scores.share_of("cosmetic", Tier.SILENT),
        )
        recall, precision, silenced = (f"{v:.3f}" if v is not None else "-" for v in row)
        lines.append(f"{name:26} {recall:>7} {precision:>10} {silenced:>18}")
    return "\n".join(lines)


def main() -> None:
    """Measure everything and print it."""
    labels, generated, made = cases_of("labels.jsonl"), cases_of("generated.jsonl"), made_cases()
    for name, cases in (("labels", labels), ("generated", generated), ("own mutants", made)):
        if cases:
            print(f"\n{name}: {len(cases)} changes\n{table(cases)}")
    figures = [
        *quality(labels, generated, made),
        *written("written, tuned on", written_cases(held=False)),
        *written("written, held", written_cases(held=True)),
        *facets(labels),
        *speed(),
    ]
    print(f"\n{'figure':48} {'value':>9} {'unit':7} {'target':>9}  holds")
    for figure in figures:
        held = "-" if figure.holds is None else "yes" if figure.holds else "NO"
        value = "-" if figure.value is None else f"{figure.value:g}"
        print(f"{figure.figure:48} {value:>9} {figure.unit:7} {figure.target:>9}  {held}")
    print()
    for figure in figures:
        row = asdict(figure)
        if not figure.reason:
            del row["reason"]
        print(json.dumps(row))


if __name__ == "__main__":
    main()
