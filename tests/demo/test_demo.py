"""The demo tells what the histories say: a changed file changes what it prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from watcher.demo.play import play
from watcher.demo.site import HISTORIES

PERIOD = "We keep access logs for {days} days, and then we delete them from all our systems."
REST = (
    "\n\nExceptions need the written approval of the data protection officer.\n\n"
    "This policy applies to every employee and to every contractor of the company.\n"
)


def write_history(folder: Path, *periods: int) -> None:
    """Write a history of one HTML document with one citation."""
    document = folder / "basecamp-privacy"
    document.mkdir(parents=True)
    for number, days in enumerate(periods):
        text = "# Retention\n\n" + PERIOD.format(days=days) + REST
        (document / f"{number:03d}.md").write_text(text, encoding="utf-8")
    cited = [
        {
            "document": "basecamp-privacy",
            "answer": "how-long-are-logs-kept",
            "quote": f"We keep access logs for {periods[0]} days",
        }
    ]
    (folder / "citations.json").write_text(json.dumps(cited), encoding="utf-8")


@pytest.mark.parametrize("days", [90, 61])
def test_what_is_printed_comes_from_the_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], days: int
) -> None:
    write_history(tmp_path / "histories", 30, days, 30)
    assert play(tmp_path / "kept", tmp_path / "histories") == 0
    told = capsys.readouterr().out
    assert f"We keep access logs for {days} days" in told
    assert "policy-bearing" in told
    assert "how-long-are-logs-kept" in told
    assert "refused (maintenance)" in told
    assert "edited" in told
    assert re.search(r"--config .*/kept/watcher.toml", told)


def test_the_histories_are_the_real_ones_and_named() -> None:
    notice = (HISTORIES / "NOTICE.md").read_text(encoding="utf-8")
    files = [path for path in HISTORIES.glob("*/*") if path.is_file()]
    assert len(files) >= 20
    for path in files:
        assert f"{path.parent.name}/{path.name}" in notice
    assert {path.suffix for path in files} == {".md", ".pdf"}
    assert any(path.parent.name == "basecamp-privacy" for path in files)


def steady(line: str) -> str:
    """Return a line without what differs from run to run: times, ports, counts of checks."""
    line = re.sub(r"^\d\d:\d\d:\d\d", "TIME", line.rstrip())
    line = re.sub(r"127\.0\.0\.1:\d+", "HOST", line)
    line = re.sub(r"^In \d+ s:", "In N s:", line)
    # A refusal that lasts is told: on a slow machine the maintenance page of the demo lasts.
    line = re.sub(r"alerts sent: \d+", "alerts sent: N", line)
    return re.sub(r"\d+ (not_modified|refused|same_bytes)", r"N \1", line)


@pytest.mark.timeout(240)
def test_the_readme_shows_what_the_demo_prints(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (HISTORIES.parents[2] / "README.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- demo -->\n```text\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    assert play(None) == 0
    printed = [steady(line) for line in capsys.readouterr().out.splitlines()]
    for line in block[1].splitlines():
        if line == "...":
            continue
        wanted = steady(line)
        if wanted.endswith("…"):
            assert any(p.startswith(wanted[:-1]) for p in printed), wanted
        else:
            assert wanted in printed, wanted
