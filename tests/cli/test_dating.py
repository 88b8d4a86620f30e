"""Dates of effect at the command line."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from tests.cli.test_commands import Cli

POLICY = (
    "# Retention policy\n\nThis policy takes effect on {day} and replaces all earlier ones.\n\n"
    "Access logs are kept for {days} days. After that they are deleted, and nobody reads them.\n"
)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    folder: Path = tmp_path_factory.mktemp("dates")
    run = Cli(folder)
    run("init")
    for day, days in (("1 May 2026", 30), ("1 March 2027", 90)):
        (folder / "policy.md").write_text(POLICY.format(day=day, days=days), encoding="utf-8")
        run("ingest", "policy.md", "--document", "retention")
    return run


def test_a_day_is_found_confirmed_and_answered_for(cli: Cli) -> None:
    first, second = cli.rows("dates", "list", "retention")
    assert (first["day"], first["status"], first["text"]) == (
        "2026-05-01",
        "extracted",
        "1 May 2026",
    )
    assert first["page"] == 1
    told = cli("show", "retention", "--in-force-on", "2026-06-01", code=2)
    assert "no confirmed date of effect lies on or before 2026-06-01" in told
    assert "2026-05-01 was found and nobody confirmed it" in told

    version = first["version"][7:19]
    (decided,) = cli.rows("dates", "confirm", "retention", "2026-05-01", "--version", version)
    assert (decided["status"], decided["number"]) == ("confirmed", first["number"])
    assert decided["by"] == pwd.getpwuid(os.getuid()).pw_name
    (answer,) = cli.rows("show", "retention", "--in-force-on", "2027-04-01")
    assert answer["version"] == first["version"]
    assert [d["day"] for d in answer["unconfirmed"]] == ["2027-03-01"]
    assert "30 days" in cli("show", "retention", "--in-force-on", "2027-04-01", "--text")

    assert "applies from 2027-03-01" in cli("dates", "confirm", "retention", "2027-03-01")
    shown = cli("show", "retention", "--in-force-on", "2027-04-01")
    assert "in force on 2027-04-01: since 2027-03-01, confirmed by" in shown
    assert second["version"] in shown
    assert "90 days" in cli("show", "retention", "--in-force-on", "2027-04-01", "--text")
    (before,) = cli.rows("show", "retention", "--in-force-on", "2027-02-28")
    assert (before["version"], before["until"]) == (first["version"], "2027-03-01")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dates", "confirm", "retention", "soon"], "not a day"),
        (["dates", "reject", "retention", "2030-01-01"], "was not found in that version"),
        (["show", "retention", "--in-force-on", "2027-01-01", "--at", "2027-01-01"], "ask for one"),
    ],
)
def test_what_cannot_be_answered_is_told(cli: Cli, arguments: list[str], words: str) -> None:
    assert words in cli(*arguments, code=2)
