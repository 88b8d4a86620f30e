"""The review loop at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_commands import Cli

POLICY = """# Retention policy

Last updated: {day} May 2026

Access logs are kept for {days} days. After that they are deleted, and nobody can read them.

Exceptions need the written approval of the data protection officer, who keeps a list of them.
"""


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    run = Cli(tmp_path)
    run("init")
    with (tmp_path / "config" / "watcher.toml").open("a", encoding="utf-8") as service:
        service.write("\n[review]\nsample_rate = 1.0\n")
    for day, days in ((1, 30), (2, 30), (2, 90)):
        (tmp_path / "policy.md").write_text(POLICY.format(day=day, days=days), encoding="utf-8")
        run("ingest", "policy.md", "--document", "retention")
    return run


def test_a_sample_is_reviewed_and_reported(cli: Cli) -> None:
    (waiting,) = cli.rows("review", "list")
    assert waiting["tier"] == "silent"
    shown = cli("review", "next")
    assert "{+2 May 2026+}" in shown
    short = waiting["change_id"][:12]
    assert f"watcher review record {short} VERDICT   (right or missed)" in shown
    (recorded,) = cli.rows("review", "record", short, "missed", "--note", "it was the new scope")
    assert (recorded["verdict"], recorded["note"]) == ("missed", "it was the new scope")
    assert cli.rows("review", "list") == []
    assert "nothing waits" in cli("review", "next")

    (told,) = cli.rows("review", "list", "--told")
    cli("review", "record", told["change_id"][:12], "right")
    (report,) = cli.rows("review", "report")
    assert (report["missed"]["rate"], report["missed"]["verdicts"]) == (1.0, 1)
    assert report["queue"] == 0
    words = cli("review", "report")
    assert "missed: 100.0% (95% between 20.7% and 100.0%, 1 verdicts)" in words
    assert "BUDGET EXCEEDED" in words


def test_what_cannot_be_recorded_is_told(cli: Cli) -> None:
    (waiting,) = cli.rows("review", "list")
    assert "one of right, false-page, missed" in cli(
        "review", "record", waiting["change_id"], "wrong", code=2
    )
    assert "cannot be false-page" in cli(
        "review", "record", waiting["change_id"], "false-page", code=2
    )
    assert "0 changes begin" in cli("review", "record", "ffffff", "right", code=2)


def test_a_calibration_without_verdicts_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    service = tmp_path / "config" / "watcher.toml"
    before = service.read_bytes()
    assert "it takes 30 verdicts" in cli("calibrate")
    assert "speak for no threshold" in cli("calibrate", "--apply", code=2)
    assert service.read_bytes() == before
