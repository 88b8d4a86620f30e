"""The daemon's own evaluator fires what Prometheus fires: in scenarios, and at random."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.slo.merged import Firing, Past, Values, check, evaluated, expand
from tests.slo.project import declared
from watcher.slo.evaluate import Evaluator, Standing, budgeted
from watcher.slo.history import History, Sample, Selector
from watcher.slo.model import RuleFile, Severity, Suite

OBJECTIVES = budgeted(declared())
BURNING = frozenset((rule.name, rule.severity.value) for each in OBJECTIVES for rule in each.alerts)
HISTORIES = 8
FILES = {
    RuleFile.ALERTS: "watcher.rules.yml",
    RuleFile.OBJECTIVES: "watcher-slo.rules.yml",
}
SHARED = [suite for suite in declared().suites if RuleFile.OBJECTIVES in suite.rules]
"""The suites whose scenarios share a run: no alert of theirs asks what is absent."""


def pasts(suite: Suite) -> list[Past]:
    """Return the scenarios of a suite; what has no job (the heartbeat) is not looked at."""
    found = []
    for scenario in suite.scenarios:
        series = {**suite.healthy, **scenario.changed}
        values = {name: expand(text, suite.steps) for name, text in series.items()}
        fires = frozenset(
            (name, severity.value) for name, severity in scenario.fires if severity != Severity.NONE
        )
        found.append(Past(values, {scenario.at: fires}))
    return found


@pytest.mark.parametrize("suite", SHARED, ids=lambda suite: suite.name)
def test_the_evaluator_fires_what_each_scenario_says(suite: Suite) -> None:
    for scenario, past in zip(suite.scenarios, pasts(suite), strict=True):
        (at,) = past.fires
        found = list(evaluated(past.series, suite.interval, at))
        if scenario.name == "the daemon evaluates its budgets by itself":
            continue  # that is this evaluator
        assert found[at] == past.fires[at] & BURNING, scenario.name


def noisy(chance: random.Random, steps: int, most: int) -> Values:
    """Return how many of `most` are bad: mostly none, now and then some, for a while."""
    found: Values = []
    while len(found) <= steps:
        share = chance.choice([0, 0, 0, 0.001, 0.004, 0.01, 0.02, 0.07, 0.3, 1])
        level = float(round(share * most)) if chance.random() < 0.95 else None
        found += [level] * chance.randint(1, max(2, steps // 4))
    return found[: steps + 1]


def counted(chance: random.Random, levels: Values, scale: float) -> Values:
    """Return a counter that grows by these levels, starts anew now and then, and misses some."""
    value, found = 0.0, Values()
    for level in levels:
        if chance.random() < 0.01:
            value = 0.0
        value += (level or 0.0) * scale
        found.append(None if chance.random() < 0.02 else value)
    return found


def history_at_random(seed: int, steps: int) -> dict[str, Values]:
    chance = random.Random(seed)
    own = 'job="watcher", instance="a"'
    live = chance.choice([0, 3, 50, 2000])
    documents = chance.choice([0, 5, 51, 400])
    stale = noisy(chance, steps, documents)
    hourly = chance.choice([1.0, 3.0, 60.0])
    failed = noisy(chance, steps, 10)
    return {
        f"watcher_citations_live{{{own}}}": [float(live)] * (steps + 1),
        f'watcher_citations_unresolvable{{{own}, reason="range_invalid"}}': noisy(
            chance, steps, live
        ),
        f'watcher_citations_unresolvable{{{own}, reason="hash_mismatch"}}': [0.0] * (steps + 1),
        f'watcher_citation_checks_total{{{own}, source="caller", result="ok"}}': counted(
            chance, [10.0 - (level or 0.0) for level in failed], hourly / 10
        ),
        f'watcher_citation_checks_total{{{own}, source="caller", result="unreadable"}}': counted(
            chance, failed, hourly / 10
        ),
        f'watcher_documents{{{own}, state="active"}}': [float(documents)] * (steps + 1),
        f'watcher_documents{{{own}, state="failing"}}': [0.0] * (steps + 1),
        f"watcher_documents_fresh{{{own}}}": [
            None if level is None else documents - level for level in stale
        ],
    }


@pytest.mark.system
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("suite", "steps"), list(zip(SHARED, (390, 300), strict=True)), ids=["minutes", "days"]
)
def test_prometheus_fires_what_scenarios_say_and_what_the_evaluator_fires_at_random(
    tmp_path: Path, suite: Suite, steps: int
) -> None:
    found, fired = [], set[Firing]()
    for seed in range(HISTORIES):
        series = history_at_random(seed, steps)
        fires = dict(enumerate(evaluated(series, suite.interval, steps)))
        fired |= set(fires.values())
        looked = {at: fires[at] for at in range(0, steps + 1, 5)}
        found.append(Past(series, looked, "|".join(sorted({name for name, _ in BURNING}))))
    assert frozenset().union(*fired) == BURNING, "every alert fires somewhere"
    assert frozenset() in fired
    check(tmp_path, [FILES[each] for each in suite.rules], suite.interval, found + pasts(suite))


def test_a_gap_starts_a_waiting_alert_no_sooner() -> None:
    """A ticket waits 30 minutes; time in which nobody looked does not count."""
    evaluator = Evaluator(OBJECTIVES)
    history = History(300_000)
    bad = {"watcher_documents_fresh{}": 0.0, 'watcher_documents{state="active"}': 10.0}
    standing: dict[str, Standing] = {}
    key = "WatcherFreshnessBudgetBurn/document-freshness/ticket"
    for at in [0.0, 60.0, 120.0, 4000.0, 4060.0]:
        history.add(at, bad)
        found = evaluator.look(history, at, standing)
        standing = {name: stands for name, (_, stands) in found.items()}
    assert standing[key].active_since is not None
    assert standing[key].firing_since is None
    for at in range(4120, 5900, 60):
        history.add(float(at), bad)
        found = evaluator.look(history, float(at), standing)
        standing = {name: stands for name, (_, stands) in found.items()}
    assert standing[key].firing_since is not None


def test_a_selector_takes_what_it_says() -> None:
    selector = Selector.parse('checks_total{job="watcher", result=~"ok|bad", source="caller"}')
    good = Sample("checks_total", {"source": "caller", "result": "bad"}, 1.0)
    assert selector.takes(good)
    assert selector.names(good.series)
    assert not selector.takes(Sample("checks_total", {"source": "audit", "result": "ok"}, 1.0))
    assert not selector.names('checks_total_of{result="ok",source="caller"}')
