"""Backup and restore as a drill, the trail, and a copied directory that nobody may write."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.test_commands import Cli, policy


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """Two versions, a citation of the first, and acts of several kinds."""
    folder = tmp_path_factory.mktemp("kept")
    run = Cli(folder)
    run("init")
    with (folder / "config" / "watcher.toml").open("a", encoding="utf-8") as config:
        config.write('\n[[channels]]\nname = "duty"\nkind = "console"\n')
    run("ingest", policy(folder, 30), "--document", "retention")
    run("cite", "retention", "--quote", "kept for 30 days", "--answer", "a1", "--caller", "bot")
    run("ingest", policy(folder, 90), "--document", "retention")
    return run


def cited(run: Cli) -> str:
    (citation,) = run.rows("citations", "list", "retention")
    return str(citation["citation_id"])


def test_a_restore_drill(kept: Cli, tmp_path: Path) -> None:
    citation, target = cited(kept), tmp_path / "backup"
    before = kept("resolve", citation, "--json")
    assert "all verified" in kept("backup", "--to", str(target))
    assert "(0 written, 0 removed)" in kept("backup", "--to", str(target))
    lost = kept.folder / "lost"
    data = kept.folder / "var"
    assert "not empty" in kept("restore", "--from", str(target), code=2)
    data.rename(lost)
    try:
        assert "all verified" in kept("restore", "--from", str(target))
        assert kept("resolve", citation, "--json") == before
        assert "everything holds" in kept("verify")
        assert sorted(p.name for p in data.iterdir()) == ["blobs", "watcher.sqlite3"]
        (target / "watcher.sqlite3").write_bytes(b"other")
        data.rename(kept.folder / "again")
        assert "not the one" in kept("restore", "--from", str(target), code=1)
    finally:
        shutil.rmtree(data, ignore_errors=True)
        lost.rename(data)


def test_a_copied_directory_is_read_where_nothing_can_be_written(kept: Cli, tmp_path: Path) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(kept.folder / "var", copied / "var")
    shutil.copytree(kept.folder / "config", copied / "config")
    run = Cli(copied)
    entries = [copied / "var", *(copied / "var").rglob("*")]
    for path in entries:
        path.chmod(0o555 if path.is_dir() else 0o444)
    # Not the folder: root may write into it all the same, and a reader's index comes and goes.
    before = {path: path.stat().st_mtime_ns for path in entries if path.is_file()}
    try:
        assert "90 days" in run("show", "retention", "--text")
        assert "30 days" in run("resolve", cited(kept))
        if os.geteuid() != 0:
            run("ingest", policy(copied, 1), "--document", "retention", code=1)
        assert {path: path.stat().st_mtime_ns for path in before} == before
    finally:
        for path in entries:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_every_act_that_can_hide_something_is_on_the_trail(kept: Cli) -> None:
    (alert, *_) = kept.rows("alerts", "list")
    silence = ("alerts", "silence", "--reason", '=cmd|"x"', "--document", "retention")
    assert "holds until" in kept(*silence, "--for", "2h", "--by", "mara")
    assert "31 days" in kept(*silence, "--for", "99d", code=2)
    (shown,) = kept.rows("alerts", "silences")
    assert (shown["state"], shown["by"]) == ("holds", "mara")
    kept("alerts", "unsilence", str(shown["number"]), "--reason", "done")
    kept("alerts", "ack", str(alert["number"]))
    kept("alerts", "resolve", str(alert["number"]))
    exported = [json.loads(line) for line in kept("trail", "export").splitlines()]
    acts = [act["act"] for act in exported]
    assert acts == ["silence", "unsilence", "ack", "resolve"]
    assert exported[0]["actor"] == "mara"
    assert exported[0]["after"].startswith("document=retention until ")
    rows = list(csv.DictReader(io.StringIO(kept("trail", "export", "--format", "csv"))))
    assert [row["act"] for row in rows] == acts
    assert rows[0]["reason"].startswith("'=")
    after = str(exported[2]["number"])
    assert kept.rows("trail", "list", "--limit", "1") == [
        json.loads(kept("trail", "export", "--after", after))
    ]


def test_a_channel_is_tried_and_says_what_was_answered(kept: Cli) -> None:
    said = kept("alerts", "test", "duty")
    assert "delivered: written to the console" in said
    assert "duty" in kept("alerts", "test", "nobody", code=2)
