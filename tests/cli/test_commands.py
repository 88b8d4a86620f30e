"""The command line as a person and as a script meet it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.warm import warm_command

POLICY = (
    "# Retention policy\n\nAccess logs are kept for {days} days. § 17 gilt: Löschung am Ende.\n\n"
    "Exceptions need the written approval of the data protection officer.\n"
)

REFUSED, HELD = 3, 4
"""Exit codes of commands that did their work and say what became of a document."""


class Cli:
    """Runs the real command in a folder with a configuration of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, code: int = 0, stdin: str = "") -> str:
        done = warm_command()(
            arguments,
            cwd=self.folder,
            stdin=stdin,
            env=os.environ | {"COLUMNS": "200", "NO_COLOR": "1"},
        )
        assert done.returncode == code, (
            f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
        assert "Traceback" not in done.stderr
        return done.stdout if code in (0, REFUSED, HELD) else done.stderr

    def rows(self, *arguments: str, code: int = 0) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self(*arguments, "--json", code=code).splitlines()]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    run = Cli(tmp_path)
    run("init")
    return run


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """One document, one version, for commands that fail and change nothing."""
    folder = tmp_path_factory.mktemp("prepared")
    run = Cli(folder)
    run("init")
    # Bytes 30 and 32 begin the two section signs: 31 is inside the first.
    (folder / "policy.md").write_text("Access logs: kept for 30 days §§ 17, always.\n", "utf-8")
    run("ingest", "policy.md", "--document", "retention")
    return run


def policy(folder: Path, days: int) -> str:
    path = folder / "policy.md"
    path.write_text(POLICY.format(days=days), encoding="utf-8")
    return str(path)


def test_help_loads_next_to_nothing() -> None:
    program = (
        "import sys; sys.argv = ['watcher', '--help']\n"
        "from watcher.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'pydantic', 'sqlmodel', 'sqlalchemy', 'httpx', 'pypdf', 'structlog', 'apscheduler'}\n"
        "print('LOADED', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert "LOADED []" in done.stdout
    for command in ("run", "demo", "cite", "resolve", "extract", "reanchor", "classify", "verify"):
        assert command in done.stdout


def test_a_document_from_first_version_to_affected_answer(cli: Cli, tmp_path: Path) -> None:
    (first,) = cli.rows("ingest", policy(tmp_path, 30), "--document", "retention")
    assert first["outcome"] == "accepted"
    text = cli("show", "retention", "--text")
    assert text == POLICY.format(days=30)
    assert first["version"] == "sha256:" + hashlib.sha256(text.encode()).hexdigest()

    (cited,) = cli.rows(
        "cite", "retention", "--answer", "a1", "--quote", "Access logs are kept for 30 days."
    )
    assert cited["found_by"] == "bytes"
    assert cited["current"] is True
    start, end = cited["anchors"][0]["start"], cited["anchors"][0]["end"]
    assert text.encode()[start:end].decode() == "Access logs are kept for 30 days."
    (same,) = cli.rows("cite", "retention", "--answer", "a1", "--range", f"{start}:{end}")
    assert same["citation_id"] == cited["citation_id"]
    assert same["new"] is False

    (second,) = cli.rows("ingest", policy(tmp_path, 90), "--document", "retention")
    (change,) = cli.rows("changes", "retention")
    assert change["class"] == "policy-bearing"
    (affected,) = cli.rows("citations", "affected", change["change_id"][:12])
    assert affected["answers"] == ["cli/a1#0"]
    assert affected["status"] == "edited"

    (resolved,) = cli.rows("resolve", cited["citation_id"])
    assert resolved["passages"] == ["Access logs are kept for 30 days."]
    assert resolved["standing"] == "superseded"
    (by_anchor,) = cli.rows("resolve", json.dumps(cited["anchors"][0]))
    assert by_anchor["passages"] == resolved["passages"]

    (shown,) = cli.rows("diff", "retention")
    assert shown["to_version"] == second["version"]
    assert "30" in json.dumps(shown["hunks"])
    redline = cli("diff", "retention")
    assert "[-30 days-]" in redline
    assert "{+90 days+}" in redline
    assert "everything holds" in cli("verify")
    assert [v["standing"] for v in cli.rows("versions", "retention")] == ["superseded", "current"]
    (alert,) = cli.rows("alerts", "list")
    assert alert["state"] == "delivered"
    assert "90 days" in cli("alerts", "show", str(alert["number"]))


def test_show_at_names_what_was_observed_and_the_gap(cli: Cli, tmp_path: Path) -> None:
    cli("ingest", policy(tmp_path, 30), "--document", "retention")
    (before,) = cli.rows("show", "retention", "--at", "2001-01-01")
    assert before["version"] is None
    (now,) = cli.rows("show", "retention", "--at", "2100-01-01T00:00:00Z")
    assert now["version"].startswith("sha256:")
    assert now["confirmed"]["count"] == 1
    assert now["gap"] is not None, "between the last observation and then nothing is claimed"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["show", "nothing"], 11, "no such document"),
        (["show", "NOT AN ID"], 2, "document_id"),
        (["resolve", "c1" + "a" * 32], 2, "citation"),
        (["resolve", "nonsense"], 2, "neither a citation id nor an anchor"),
        (["cite", "retention", "--answer", "x", "--range", "31:32"], 15, "inside a character"),
        (["cite", "retention", "--answer", "x", "--range", "5:5"], 15, "empty"),
        (["cite", "retention", "--answer", "x", "--range", "0:99999"], 15, "outside the text"),
        (["cite", "retention", "--answer", "x", "--quote", "nowhere to be found"], 1, "does not contain"),
        (["cite", "retention", "--answer", "x", "--quote", "e"], 1, "places"),
        (["cite", "retention", "--answer", "x"], 2, "ranges or a quote"),
        (["cite", "retention", "--answer", "x", "--range", "0:3", "--unit", "bytes"], 14, "not a unit"),
        (["ingest", "missing.md", "--document", "retention"], 2, "not a file"),
        (["check", "nothing"], 11, "no such document"),
        (["diff", "retention"], 2, "has not changed"),
        (["show", "retention", "--at", "yesterday"], 2, "not a time"),
        (["show", "retention", "--page", "7"], 2, "no page 7"),
        (["alerts", "show", "99"], 2, "no such alert"),
        (["classify", "--cases", "missing.jsonl"], 2, "cannot be read"),
        (["init"], 2, "exists already"),
        (["documents", "--config", "nowhere.toml"], 78, "watcher init"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)  # fmt: skip
def test_an_error_is_one_line_that_says_what_to_do(
    prepared: Cli, arguments: list[str], code: int, words: str
) -> None:
    told = prepared(*arguments, code=code)
    assert words in told
    assert len(told.strip().splitlines()) == 1
    assert told.startswith("watcher: ")


def test_a_wrong_configuration_is_told_with_its_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "config" / "documents" / "x.toml").write_text(
        '[[document]]\ndocument_id = "x"\nurl = "https://example.org"\nshedule = "1h"\n',
        encoding="utf-8",
    )
    told = cli("config", "check", code=78)
    assert "x.toml:4: document.shedule: unknown key -> did you mean 'schedule'?" in told


def test_documents_in_other_formats_enter_by_the_same_path(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "locked.pdf").write_bytes(b"%PDF-1.7\ngarbage")
    (refused,) = cli.rows("ingest", "locked.pdf", "--document", "pdf", code=REFUSED)
    assert refused["outcome"] == "refused"
    assert refused["version"] is None
    (tmp_path / "page.html").write_text(
        "<html><title>T</title><body><h1>Terms</h1><p>You must give 30 days notice before you"
        " leave the service, in writing, to the address below.</p></body></html>",
        encoding="utf-8",
    )
    (accepted,) = cli.rows("ingest", "page.html", "--document", "terms")
    assert accepted["outcome"] == "accepted", accepted
    assert "30 days notice" in cli("show", "terms", "--text")


def test_the_pure_tools_answer_every_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("One.\nKeep logs for 30 days.\n", encoding="utf-8")
    (tmp_path / "new.txt").write_text("Zero.\nOne.\nKeep logs for 30 days.\n", encoding="utf-8")
    case = {
        "case_id": "1",
        "old_text_ref": "old.txt",
        "new_text_ref": "new.txt",
        "start": 5,
        "end": 28,
    }
    cases = tmp_path / "cases.jsonl"
    cases.write_text(
        json.dumps(case) + "\n" + json.dumps(case | {"end": 999}) + "\n", encoding="utf-8"
    )
    first, second = map(
        json.loads, cli("reanchor", "--cases", "cases.jsonl", "--root", ".").splitlines()
    )
    assert (first["status"], first["start"], first["end"]) == ("moved", 11, 34)
    assert second["start"] is None

    change = {
        "id": "1",
        "lang": "en",
        "before": "You may leave.",
        "after": "You must leave.",
        "context_before": "",
    }
    cases.write_text(json.dumps(change) + "\n", encoding="utf-8")
    (judged,) = map(json.loads, cli("classify", "--cases", "cases.jsonl").splitlines())
    assert judged["class"] == "policy-bearing"
    assert judged["tier"] in {"ticket", "page"}

    answers = list(map(json.loads, cli("extract", "old.txt", "missing.pdf", "--json").splitlines()))
    assert answers[0]["text"] == "One.\nKeep logs for 30 days.\n"
    assert answers[1]["version"] is None
