"""Every alert has a runbook, and what it tells people to type exists."""

from __future__ import annotations

import re
from collections.abc import Iterator

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


def used_commands(text: str) -> Iterator[str]:
    """Yield the commands that a page tells people to type."""
    groups = {command.split()[0] for command in commands() if " " in command}
    for line in re.findall(r"(?:\$ |`)watcher ([a-z][a-z -]*)", text):
        words = line.split()
        yield " ".join(words[:2]) if words[0] in groups else words[0]


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
    assert set(used_commands(text)) <= commands()
    for target in re.findall(r"\]\((\w+\.md)\)", text):
        assert (RUNBOOKS / target).exists()
    scenarios = {(suite.name, one.name) for suite in declared().suites for one in suite.scenarios}
    told = re.findall(r"^- `([a-z-]+)\.tests\.yml`: (.+)$", text, flags=re.MULTILINE)
    assert told
    assert set(told) <= scenarios


SITUATIONS = [
    "CompromisedCredential",
    "LostVersion",
    "MassLayoutChange",
    "RestoreFromBackup",
    "UpgradeAndRollback",
]
SITUATION_PARTS = ["When", "Before", "Steps", "Verification", "Escalation", "How it is tested"]


def test_there_is_a_runbook_for_each_situation() -> None:
    others = {path.stem for path in RUNBOOKS.glob("*.md")} - set(NAMES) - {"README"}
    assert sorted(others) == SITUATIONS


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_runbook_for_a_situation_is_whole(name: str) -> None:
    text = (RUNBOOKS / f"{name}.md").read_text("utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    assert parts[1::2] == SITUATION_PARTS
    assert all(len(part.strip()) > 20 for part in parts[2::2])
    assert set(used_commands(text)) <= commands()
    for target in re.findall(r"\]\((\w+\.md)\)", text):
        assert (RUNBOOKS / target).exists()
    told = re.findall(r"`(tests/[\w/]+\.py)`", parts[-1])
    assert told
    assert all((ROOT / path).exists() for path in told)
