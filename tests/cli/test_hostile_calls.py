"""What a hostile or careless caller types: one line and a code, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from watcher.cli.main import main

HUGE = "9" * 5000
URL = "http://127.0.0.1:9/x"


class Call:
    """Runs the command in this process, in a folder with one document."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self.folder, self._patch, self._capture = folder, patch, capture

    def __call__(self, *arguments: str) -> tuple[int | str | None, str]:
        self._patch.setattr(sys, "argv", ["watcher", *arguments])
        try:
            main()
            code: int | str | None = 0
        except SystemExit as end:
            code = end.code
        return code, self._capture.readouterr().err


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WATCHER_CONFIG", str(tmp_path / "watcher.toml"))
    (tmp_path / "documents").mkdir()
    (tmp_path / "watcher.toml").write_text("", encoding="utf-8")
    text = (
        "# Retention\n\nAccess logs are kept for 30 days. The controller answers within a week.\n"
    )
    (tmp_path / "p.md").write_text(text * 3, encoding="utf-8")
    made = Call(tmp_path, monkeypatch, capsys)
    code, err = made("ingest", "p.md", "--document", "p")
    assert code == 0, err
    return made


CITE = ("cite", "p", "--answer", "a")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((*CITE, "--range", f"{HUGE}:{HUGE}"), 2),
        ((*CITE, "--range", "\u0661:\u0663"), 2),
        ((*CITE, "--range", "1:3", "--ordinal", "9" * 30), 2),
        ((*CITE, "--range", "1:3", "--ordinal", "-1"), 2),
        ((*CITE, "--range", "1:3", "--version", ""), 2),
        ((*CITE, "--range", "1:3", "--version", "sha256:"), 2),
        ((*CITE, "--range", "1:3", "--caller", ""), 2),
        ((*CITE, "--range", "1:3", "--caller", "\udcff"), 2),
        ((*CITE, "--range", "1:3", "--label", "a=\udcff"), 2),
        ((*CITE, "--range", "1:3", "--caller", "x" * 100_000), 2),
        ((*CITE, "--quote", "\udcff"), 2),
        (("cite", "p", "--answer", "", "--range", "1:3"), 2),
        (("resolve", "[" * 100_000), 2),
        (("resolve", '{"schema": "' + "x" * 1_000_000 + '"}'), 2),
        (("citations", "list", "nobody"), 11),
        (("changes", "nobody"), 11),
        (("changes", "--limit", "9" * 30), 2),
        (("citations", "list", "--limit", "-1"), 2),
        (("alerts", "show", "9" * 30), 2),
        (("show", "p", "--at", "9999-12-31T23:59:59-14:00"), 2),
        (("try", "http://[::1/"), 2),
        (("try", URL, "--allow-network", "zz"), 2),
        (("init", "watcher.toml/new"), 1),
    ],
)
def test_a_wrong_call_is_one_short_line_and_its_code(
    call: Call, arguments: tuple[str, ...], code: int
) -> None:
    found, err = call(*arguments)
    assert (found, len(err) < 3000) == (code, True), err[:500]
    assert "Traceback" not in err


def test_an_entry_that_cannot_be_written_leaves_no_broken_file(call: Call) -> None:
    call("add", URL, "--document", "odd", "--title", "\udcff \x7f\U0001f600")
    assert call("config", "check")[0] == 0


def test_errors_do_not_move_the_terminal(call: Call) -> None:
    entry = '[[document]]\ndocument_id = "d"\nurl = "http://x.example"\n"\\u001b[31mkey" = 1\n'
    (call.folder / "documents" / "d.toml").write_text(entry, encoding="utf-8")
    code, err = call("config", "check")
    assert code == 78
    assert "\x1b" not in err


@pytest.mark.parametrize("tool", ["classify", "reanchor"])
def test_a_broken_line_of_cases_stops_no_other(
    tool: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    surrogate = '{"id": "\\ud800", "case_id": "\\ud800", "lang": "en", "before": "\\ud800"}\n'
    cases = tmp_path / "cases.jsonl"
    cases.write_bytes(b'{"id": "\xff"}\n' + surrogate.encode() + b"[[\n{}\n")
    command = [sys.executable, "-m", "watcher.cli.main", tool, "--cases", str(cases)]
    assert subprocess.run(command, timeout=120, check=False).returncode == 0
    lines = capfdbinary.readouterr().out.splitlines()
    answers = [json.loads(line) for line in lines]
    assert len(answers) == 4
    assert {answers[1].get("id"), answers[1].get("case_id")} == {None, "\ud800"}
