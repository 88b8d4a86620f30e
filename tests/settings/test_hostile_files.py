"""Files that are no settings: each is told by name, none hangs or floods."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from watcher.errors import ConfigError
from watcher.settings import load, load_documents

ENTRY = '[[document]]\ndocument_id = "d{}"\nurl = "{}://example.org/"\n'


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 20_000,
        "a = " + "9" * 10_000,
        ENTRY.format(1, "https") + 'schedule = "999999w"\n',
        ENTRY.format(1, "https") + "[[document.rules.ignore]]\nname = 'n'\n"
        "pattern = 'a{5000}'\nexpires = 2030-01-31\n",
    ],
)
def test_a_file_that_no_parser_takes_is_a_mistake_in_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"x\.toml"):
        load_documents(tmp_path)


def test_a_pipe_or_a_device_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toml")
    (tmp_path / "b.toml").symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match=r"a\.toml is not a regular file(.|\n)*b\.toml is not"):
        load_documents(tmp_path)


def test_an_editors_lock_is_not_an_entry(tmp_path: Path) -> None:
    (tmp_path / ".#x.toml").symlink_to("somebody@host.1")
    (tmp_path / "x.toml").write_text(ENTRY.format(1, "https"), encoding="utf-8")
    assert len(load_documents(tmp_path)) == 1


def test_thousands_of_mistakes_are_told_in_part(tmp_path: Path) -> None:
    text = "".join(ENTRY.format(number, "ftp") for number in range(3000))
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load_documents(tmp_path)
    assert len(str(raised.value).splitlines()) == 51
    assert "and 2950 more" in str(raised.value)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "watcher.toml").write_bytes(b"\xef\xbb\xbf[log]\nlevel = 'debug'\n")
    assert load(tmp_path / "watcher.toml").log.level == "debug"
