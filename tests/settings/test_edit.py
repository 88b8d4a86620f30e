"""One number of the service file is changed, and nothing else."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from watcher.errors import ConfigError
from watcher.settings.edit import set_number


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "\n[rules]\npage_threshold = 0.55\n"),
        ("a = 1 # one\n", "a = 1 # one\n\n[rules]\npage_threshold = 0.55\n"),
        ("[rules]\n# why\nx = 2\n[b]\n", "[rules]\npage_threshold = 0.55\n# why\nx = 2\n[b]\n"),
        (
            "[rules]\n  page_threshold=0.7  # ours\n[b]\npage_threshold = 1\n",
            "[rules]\n  page_threshold = 0.55  # ours\n[b]\npage_threshold = 1\n",
        ),
        ("[[rules.ignore]]\nname = 'x'\n", "[[rules.ignore]]\nname = 'x'\n\n[rules]\npage_threshold = 0.55\n"),
    ],
)  # fmt: skip
def test_only_the_number_changes(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "watcher.toml"
    path.write_text(before, encoding="utf-8")
    path.chmod(0o640)
    set_number(path, "rules", "page_threshold", 0.55)
    assert path.read_text(encoding="utf-8") == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert tomllib.loads(after)["rules"]["page_threshold"] == 0.55
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["rules = { page_threshold = 0.7 }\n", "not toml at all\n"])
def test_what_is_written_otherwise_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "watcher.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="by hand"):
        set_number(path, "rules", "page_threshold", 0.55)
    assert path.read_text(encoding="utf-8") == text
    assert list(tmp_path.iterdir()) == [path]
