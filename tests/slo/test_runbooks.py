"""Every alert has a runbook, and what it tells people to type exists."""

from __future__ import annotations

import re

import pytest
import typer

from tests.slo.project import ROOT, declared
from watcher.cli.main import app
from watcher.slo import all_alerts

RUNBOOKS = ROOT / "docs" / "runbooks"
NAMES = sorted({rule.name for rule in all_alerts(declared())})
PARTS = [
    "Meaning",
    "Impact",
    "Is it real?",
    "Mitigation",
    "Verification",
    "Escalation",
    "How it is tested",
]


def commands() -> set[str]:
    """Return every command that exists, with those of its groups."""
    group = typer.main.get_command(app)
    found: set[str] = set()
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        found |= {name, *(f"{name} {sub}" for sub in getattr(command, "commands", {}))}
    return found


def test_there_is_a_runbook_for_each_alert_and_no_other() -> None:
    assert sorted(path.stem for path in RUNBOOKS.glob("Watcher*.md")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_runbook_is_whole(name: str) -> None:
    text = (RUNBOOKS / f"{name}.md").read_text("utf-8")
    assert text.startswith(f"# {name}\n")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    assert parts[1::2] == PARTS
    assert all(len(part.strip()) > 20 for part in parts[2::2])
    assert "$ " in parts[6], "says how to see whether it is real"


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_file_in_it_exists(name: str) -> None:
    text = (RUNBOOKS / f"{name}.md").read_text("utf-8")
    known = commands()
    groups = {command.split()[0] for command in known if " " in command}
    for line in re.findall(r"(?:\$ |`)watcher ([a-z][a-z -]*)", text):
        words = line.split()
        used = " ".join(words[:2]) if words[0] in groups else words[0]
        assert used in known, used
    for target in re.findall(r"\]\((\w+\.md)\)", text):
        assert (RUNBOOKS / target).exists()
    scenarios = {(suite.name, one.name) for suite in declared().suites for one in suite.scenarios}
    told = re.findall(r"^- `([a-z-]+)\.tests\.yml`: (.+)$", text, flags=re.MULTILINE)
    assert told
    assert set(told) <= scenarios
