"""Settings: mistakes are told with file, line, key and fix; secrets stay hidden."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from watcher.errors import ConfigError
from watcher.settings import DocumentEntry, load, load_documents
from watcher.settings.durations import format_duration, parse_duration
from watcher.settings.secrets import read_secret

IGNORE = """[[document.rules.ignore]]
name = "stamp"
pattern = 'v[0-9]+'
expires = 2030-01-31
"""
REPOSITORY = Path(__file__).resolve().parents[2]
ENTRY = '[[document]]\ndocument_id = "{id}"\nurl = "https://example.org/p"\n'


def write(folder: Path, service: str = "", **documents: str) -> Path:
    (folder / "documents").mkdir(exist_ok=True)
    for name, text in documents.items():
        (folder / "documents" / f"{name}.toml").write_text(text, encoding="utf-8")
    path = folder / "watcher.toml"
    path.write_text(service, encoding="utf-8")
    return path


def test_the_shipped_configuration_is_the_default_one() -> None:
    settings = load(REPOSITORY / "config" / "watcher.toml")
    assert len(settings.documents) == 3
    assert sum(str(d.url).endswith(".pdf") for d in settings.documents) == 1
    bare = settings.model_copy(
        update={
            "documents": (),
            "documents_dir": Path("documents"),
            "channels": (),
            "slo": settings.slo.model_copy(update={"folder": Path("slo")}),
        }
    )
    assert bare == type(settings)()


def test_the_environment_outranks_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, '[check]\ntick = "9s"\nfull_every = 7\n')
    monkeypatch.setenv("WATCHER_CHECK__TICK", "3s")
    settings = load(path)
    assert settings.check.tick == timedelta(seconds=3)
    assert settings.check.full_every == 7


@pytest.mark.parametrize(
    ("service", "line", "words"),
    [
        ('\n[check]\ntik = "1s"\n', 3, ["check.tik", "unknown key", "'tick'"]),
        ('dat_dir = "x"\n', 1, ["dat_dir", "'data_dir'"]),
        ("[fetch]\nper_host = 0\n", 2, ["fetch.per_host", "greater than or equal to 1"]),
        ('[check]\n\ntick = "soon"\n', 3, ["check.tick", "6h"]),
        ('[listen]\nhost = "0.0.0.0"\n', 2, ["listen.host", "127.0.0.1"]),
        ('[[channels]]\nname = "a"\nkind = "console"\n[[channels]]\nname = "b"\nkind = "fax"\n', 6, ["channels.kind"]),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(
    tmp_path: Path, service: str, line: int, words: list[str]
) -> None:
    path = write(tmp_path, service)
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert f"{path}:{line}:" in str(caught.value)
    for word in words:
        assert word in str(caught.value)
    assert caught.value.exit_code == 78


@pytest.mark.parametrize(
    ("entry", "line", "words"),
    [
        (ENTRY.format(id="a") + 'titel = "x"\n', 4, ["titel", "'title'"]),
        (ENTRY.format(id="A B"), 2, ["document_id", "a-z 0-9"]),
        ('[[document]]\ndocument_id = "a"\n', 1, ["url", "missing"]),
        (ENTRY.format(id="a").replace("https", "ftp"), 3, ["url"]),
        (ENTRY.format(id="a").replace("//", "//u:p@"), 1, ["credentials"]),
        (ENTRY.format(id="ok") + ENTRY.format(id="b") + 'schedule = "0s"\n', 4, ["once a second"]),
        (ENTRY.format(id="a") + "[document.headers]\nAuthorization = 'x'\n", 5, ["credentials table"]),
        (ENTRY.format(id="a") + "[document.credentials]\nkind='header'\nsecret='hunter2'\n", 6, ["file:/path"]),
        ("[documents]\n", 1, ["[[document]]"]),
        (ENTRY.format(id="a") + IGNORE + IGNORE.replace("stamp", "other").replace("[0-9]", "["), 10, ["document.rules.ignore.pattern", "regular expression"]),
        (ENTRY.format(id="b") + IGNORE + ENTRY.format(id="a") + IGNORE.replace("v[0-9]+", "x*"), 13, ["empty text"]),
        (ENTRY.format(id="a") + IGNORE.replace("expires = 2030-01-31\n", ""), 4, ["expires", "missing"]),
        (ENTRY.format(id="a") + IGNORE + IGNORE, 1, ["'stamp' is there twice"]),
        (ENTRY.format(id="a") + "[document.rules]\npage_threshold = 7\n", 5, ["less than or equal to 1"]),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_told_with_its_line(
    tmp_path: Path, entry: str, line: int, words: list[str]
) -> None:
    path = write(tmp_path, "", one=entry)
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert f"one.toml:{line}:" in str(caught.value), str(caught.value)
    for word in words:
        assert word in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_all_mistakes_are_told_at_once_and_ids_are_unique(tmp_path: Path) -> None:
    write(tmp_path, "", a=ENTRY.format(id="x"), b=ENTRY.format(id="x"), c="nonsense", d="[x]\n")
    with pytest.raises(ConfigError) as caught:
        load_documents(tmp_path / "documents")
    told = str(caught.value).splitlines()
    assert len(told) == 3
    assert "is also in" in told[0]


def test_missing_files_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="watcher init"):
        load(tmp_path / "watcher.toml")
    path = tmp_path / "watcher.toml"
    path.write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="documents folder"):
        load(path)


def test_secrets_come_from_references_and_hide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("s3cr3t\n", encoding="utf-8")
    monkeypatch.setenv("SOME_KEY", "s3cr3t")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    for reference in (f"file:{tmp_path}/key", "env:SOME_KEY", "credential:key"):
        secret = read_secret(reference)
        assert secret.reveal() == "s3cr3t"
        assert "s3cr3t" not in f"{secret} {secret!r}"
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")
    for reference in ("file:/nowhere/at/all", "env:NO_SUCH_VARIABLE", "credential:key"):
        with pytest.raises(ConfigError):
            read_secret(reference)


def test_the_digest_of_an_entry_follows_its_fields() -> None:
    entry = DocumentEntry.model_validate({"document_id": "a", "url": "https://e.org/"})
    assert entry.digest == entry.model_copy().digest
    assert entry.digest != entry.model_copy(update={"title": "t"}).digest


@pytest.mark.parametrize(
    ("written", "seconds"), [("90s", 90), ("15m", 900), ("6h", 21600), ("2w", 1209600)]
)
def test_durations_read_and_write(written: str, seconds: int) -> None:
    value = parse_duration(written)
    assert value == timedelta(seconds=seconds)
    assert parse_duration(format_duration(timedelta(seconds=seconds))) == value


def test_a_secret_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 100_000)
    for name in (str(tmp_path / "pipe"), "/dev/zero", str(tmp_path)):
        with pytest.raises(ConfigError) as caught:
            read_secret(f"file:{name}", "channel ops")
        assert str(caught.value).startswith(f"channel ops: the secret in file {name} cannot")
    with pytest.raises(ConfigError, match="larger than"):
        read_secret(f"file:{tmp_path / 'large'}")


def test_an_unset_variable_is_not_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPTY", "")
    with pytest.raises(ConfigError, match=r"document terms: the secret in .* is empty"):
        read_secret("env:EMPTY", "document terms")
    with pytest.raises(ConfigError, match="environment variable NO_SUCH is not set"):
        read_secret("env:NO_SUCH")
