"""The pure tool: JSON lines in, one answer for each, bad lines answered closed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from watcher.classify.tool import run


def _answers(*lines: str) -> list[dict[str, object]]:
    out = io.StringIO()
    run(io.StringIO("\n".join(lines) + "\n"), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_case_is_answered_with_class_tier_score_facets_and_explanation() -> None:
    case = {"id": "a", "lang": "en", "before": "Pay 5 EUR.", "after": "Pay 6 EUR."}
    (answer,) = _answers(json.dumps(case))
    assert list(answer) == ["id", "class", "tier", "score", "facets", "explanation"]
    assert answer["id"] == "a"
    assert (answer["class"], answer["tier"]) == ("policy-bearing", "page")
    assert answer["facets"] == ["amount"]
    assert isinstance(answer["explanation"], list)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"id": 7}',
        '{"id": 7, "before": 5, "after": "x"}',
        '{"id": 7, "before": "x", "after": "x", "lang": 5}',
        '{"id": 7, "before": "\\ud800", "after": "y"}',
        '"' + "[" * 100_000,
        "[" * 100_000,
    ],
    ids=lambda line: line[:24],
)
def test_a_bad_line_is_answered_and_fails_closed(line: str) -> None:
    good = json.dumps({"id": 8, "before": "a  b", "after": "a b", "lang": None})
    first, second = _answers(line, "", good)
    assert (first["class"], first["tier"]) == ("policy-bearing", "ticket")
    assert first["explanation"]
    assert first["id"] in {None, 7}
    assert (second["id"], second["tier"]) == (8, "silent")


@pytest.mark.shared
def test_the_figures_hold_on_the_labelled_changes(shared_data: Path) -> None:
    for name, least in (("labels.jsonl", 0.995), ("generated.jsonl", 0.999)):
        cases = (shared_data / "polidiff" / name).read_text("utf-8").splitlines()
        cases = cases[::3] if name == "generated.jsonl" else cases
        labels = {case["id"]: case["label"] for case in map(json.loads, cases)}
        tiers = {str(a["id"]): a["tier"] for a in _answers(*cases)}
        told = [tiers[key] in {"ticket", "page"} for key, v in labels.items() if v[0] == "p"]
        quiet = [tiers[key] == "silent" for key, v in labels.items() if v == "cosmetic"]
        assert sum(told) / len(told) >= least
        assert sum(quiet) / len(quiet) >= 0.9


def test_half_a_character_is_named_and_fails_closed() -> None:
    (found,) = _answers('{"id": 7, "before": "a \\ud800 b", "after": "a b"}')
    assert found["tier"] == "ticket"
    assert "half a character" in str(found["explanation"])
    assert "failed" not in str(found["explanation"])
