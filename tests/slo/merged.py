"""Many histories in one run of promtool: each is a job of its own.

A run's cost is that of its rules, not of their series, so the histories of a
suite share one. The rules are the generated ones; only `job="watcher"` becomes
any job, and what no alert needs (a month of budget) is left out.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml  # type: ignore[import-untyped, unused-ignore]

from tests.slo.project import ROOT, declared, program
from watcher.slo.evaluate import KEEP_SECONDS, Evaluator, Standing, budgeted
from watcher.slo.history import History, seconds

Firing = frozenset[tuple[str, str]]
"""Names and severities of the alerts that fire."""
Values = list[float | None]


@dataclass(frozen=True, slots=True)
class Past:
    """One history: values a step by series, and what fires at which steps.

    `only` is a regular expression of the alerts that are looked at.
    """

    series: Mapping[str, Values]
    fires: Mapping[int, Firing]
    only: str = ".+"


def expand(notation: str, steps: int) -> Values:
    """Return the values that promtool makes of its notation."""
    found: Values = []
    for part in notation.replace("{n}", str(steps)).split():
        gap = re.fullmatch(r"_(?:x(\d+))?", part)
        if gap:
            found += [None] * int(gap[1] or 1)
            continue
        match = re.fullmatch(r"(-?[\d.e+]+?)(?:([+-][\d.]+))?(?:x(\d+))?", part)
        assert match, part
        start, grow = float(match[1]), float(match[2] or 0)
        found += [start + grow * n for n in range(int(match[3] or 0) + 1)]
    return (found + [None] * (steps + 1))[: steps + 1]


def of_own_job(series: str, job: str) -> str:
    return series.replace('job="watcher"', f'job="{job}"')


def check(folder: Path, files: Sequence[str], interval: str, pasts: Sequence[Past]) -> None:
    """Let promtool hold that in each history fires exactly what is said."""
    rules = [_rules(folder, name) for name in files]
    test = {
        "rule_files": rules,
        "evaluation_interval": interval,
        "tests": [
            {
                "interval": interval,
                "input_series": [
                    {
                        "series": of_own_job(series, f"w{n:03}"),
                        "values": " ".join("_" if v is None else repr(v) for v in values),
                    }
                    for n, past in enumerate(pasts)
                    for series, values in past.series.items()
                ],
                "promql_expr_test": [
                    _expected(pasts, at, only, at * int(seconds(interval)))
                    for only in sorted({past.only for past in pasts})
                    for at in sorted({at for p in pasts if p.only == only for at in p.fires})
                ],
            }
        ],
    }
    (folder / "merged.tests.json").write_text(json.dumps(test), "utf-8")
    done = subprocess.run(
        [program("promtool"), "test", "rules", "merged.tests.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def _expected(pasts: Sequence[Past], at: int, only: str, second: int) -> object:
    """Return the test of what fires at one time, in the histories that are looked at then."""
    looked = {
        f"w{n:03}": past.fires[at]
        for n, past in enumerate(pasts)
        if past.only == only and at in past.fires
    }
    jobs = "|".join(looked)
    return {
        "expr": "count by (job, alertname, severity)"
        f' (ALERTS{{alertstate="firing", alertname=~"{only}", job=~"{jobs}"}})',
        "eval_time": f"{second}s",
        "exp_samples": [
            {
                "labels": f'{{alertname="{name}", job="{job}", severity="{severity}"}}',
                "value": 1,
            }
            for job, fires in looked.items()
            for name, severity in sorted(fires)
        ],
    }


def _rules(folder: Path, name: str) -> str:
    text = (ROOT / "config" / "prometheus" / name).read_text("utf-8")
    tree = yaml.safe_load(text.replace('job="watcher"', 'job=~"w.+"'))
    for group in tree["groups"]:
        group["rules"] = [
            rule
            for rule in group["rules"]
            if "alert" in rule or re.fullmatch(r"slo:sli_error:ratio_rate\d+[mhd]", rule["record"])
            if rule.get("record") != "slo:sli_error:ratio_rate30d"
        ]
    (folder / name).write_text(json.dumps(tree), "utf-8")
    return name


def evaluated(series: Mapping[str, Values], interval: str, steps: int) -> Iterator[Firing]:
    """Yield what the evaluator of the daemon lets fire, step by step."""
    evaluator = Evaluator(budgeted(declared()), gap=5 * seconds(interval))
    own = {_own(name): values for name, values in series.items()}
    history = History(KEEP_SECONDS)
    standing: dict[str, Standing] = {}
    for step in range(steps + 1):
        at = step * seconds(interval)
        history.add(
            at, {name: v for name, values in own.items() if (v := values[step]) is not None}
        )
        found = evaluator.look(history, at, standing)
        standing = {key: stands for key, (_, stands) in found.items()}
        yield frozenset(
            (rule.name, rule.severity.value)
            for rule, stands in found.values()
            if stands.firing_since is not None
        )


def _own(series: str) -> str:
    """Return a series as a process names it: without what the scrape adds."""
    name, _, rest = series.partition("{")
    labels = re.findall(r'([a-z_]+)="([^"]*)"', rest)
    inner = ",".join(f'{k}="{v}"' for k, v in sorted(labels) if k not in {"job", "instance"})
    return f"{name}{{{inner}}}"
