"""docs/api.md names every address and every problem, and no others."""

from __future__ import annotations

import re
from pathlib import Path

from tests.web.conftest import Served
from watcher.web.problems import PROBLEMS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text(encoding="utf-8")


def test_every_address_is_documented(shared: Served) -> None:
    paths = shared.http.get("/api/openapi.json").json()["paths"]
    described = {f"{method.upper()} {path}" for path, found in paths.items() for method in found}
    assert set(re.findall(r"^\| `([A-Z]+ /[^`]*)` \|", PAGE, re.MULTILINE)) == described


def test_every_problem_is_documented() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \| (\d+) \|", PAGE, re.MULTILINE)
    assert {code: int(status) for code, status in rows} == {
        code: status for code, (status, _) in PROBLEMS.items()
    }
