"""`watcher import` writes entries that load, and never over anything."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from watcher.settings import load


def run(folder: Path, *arguments: str, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "watcher.cli.main", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run(tmp_path, "init")
    return tmp_path


def documents(folder: Path) -> dict[str, str]:
    settings = load(folder / "config" / "watcher.toml")
    return {entry.document_id: str(entry.url) for entry in settings.documents}


def test_entries_are_written_once_and_never_over_others(folder: Path) -> None:
    before = documents(folder)
    (folder / "list.txt").write_text(
        'https://a.example/privacy\nhttps://a.example/terms terms Zusätzliche \u202e"Regeln"\n'
        "https://user:pass@b.example/x\nhttps://b.example:99999/y\n",
        encoding="utf-8",
    )
    printed, told = run(folder, "import", "list.txt", "--dry-run")
    assert documents(folder) == before
    planned = tomllib.loads(printed)["document"]
    assert [row["document_id"] for row in planned] == ["a-privacy", "terms", "b-x"]
    assert planned[1]["title"] == 'Zusätzliche \u202e"Regeln"'
    assert "line 3: its url holds a password" in told
    assert "pass@" not in printed + told
    assert "line 4: url: " in told

    written, _ = run(folder, "import", "list.txt")
    assert "imported-list.toml: 3 documents" in written
    kept = (folder / "config" / "documents" / "imported-list.toml").read_bytes()
    after = documents(folder)
    assert set(after) - set(before) == {"a-privacy", "terms", "b-x"}

    _, told = run(folder, "import", "list.txt")
    assert told.count("is watched already") == 3
    assert "no document to add" in told
    (folder / "list.txt").write_text("https://c.example/privacy a-privacy\n", encoding="utf-8")
    _, told = run(folder, "import", "list.txt")
    assert "the document_id a-privacy is taken" in told
    (folder / "list.txt").write_text("https://c.example/new\n", encoding="utf-8")
    written, _ = run(folder, "import", "list.txt")
    assert "imported-list-2.toml" in written
    assert (folder / "config" / "documents" / "imported-list.toml").read_bytes() == kept


def test_jobs_of_one_name_and_url_get_ids_of_their_own(folder: Path) -> None:
    (folder / "urls.yaml").write_text(
        "name: プライバシー\nurl: https://a.example/p\nfilter: [{css: main}]\n---\n"
        "name: Terms & More\nurl: https://a.example/t\nheaders: {X-Quote: 'a \"b\" \\ c'}\n---\n"
        "name: Terms & More\nurl: https://a.example/t\nfilter: [{css: '#b'}]\n",
        encoding="utf-8",
    )
    run(folder, "import", "urls.yaml")
    settings = load(folder / "config" / "watcher.toml")
    found = {entry.document_id: entry for entry in settings.documents}
    assert found["a-p"].title == "プライバシー"
    assert found["terms-more"].headers == {"X-Quote": 'a "b" \\ c'}
    assert found["terms-more-2"].select == ("#b",)


def test_nothing_is_written_where_one_of_the_files_is_none(folder: Path) -> None:
    before = documents(folder)
    (folder / "good.txt").write_text("https://a.example/privacy\n", encoding="utf-8")
    (folder / "bad.json").write_text("[]", encoding="utf-8")
    _, told = run(folder, "import", "good.txt", "bad.json", code=78)
    assert told.startswith("watcher: bad.json: it is no declaration")
    assert documents(folder) == before
    for arguments, code in (
        (["missing.txt"], 2),
        (["good.txt", "--format", "xml"], 2),
        (["good.txt", "--config", "nowhere.toml"], 78),
    ):
        _, told = run(folder, "import", *arguments, code=code)
        assert len(told.strip().splitlines()) == 1


def test_history_is_told_as_claimed(folder: Path) -> None:
    text = "# Retention\n\nAccess logs are kept for {} days, and then deleted everywhere.\n"
    for year, days in (("2020", 10), ("2021", 20)):
        (folder / f"{year}-01-01.md").write_text(text.format(days), encoding="utf-8")
    printed, _ = run(
        folder, "history", "import", "2021-01-01.md", "2020-01-01.md", "--document", "retention"
    )
    assert "2 of 2 states of retention are citable" in printed
    listed, _ = run(folder, "versions", "retention")
    assert listed.count("imported") == 2
    shown, _ = run(folder, "show", "retention", "--at", "2020-06-01")
    assert "no version is known" in shown
    _, told = run(folder, "history", "import", "--document", "retention", code=2)
    assert "one source" in told
