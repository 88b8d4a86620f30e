"""How a source is reached: credentials and proxies, from entries to requests."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from watcher.domain.ids import DocumentId
from watcher.errors import ConfigError
from watcher.fetch import BasicAuth, OAuthClient, Request
from watcher.pipeline.requests import fetch_request
from watcher.pipeline.sync import declare
from watcher.settings import load
from watcher.store import Store


def requested(folder: Path, lines: str, service: str = "") -> Request:
    """Return the request that an entry with `lines` leads to."""
    (folder / "documents").mkdir(exist_ok=True)
    (folder / "secret").write_text("user:p@ss/word\n", encoding="utf-8")
    text = lines.replace("FILE", f"file:{folder}/secret")
    (folder / "documents" / "x.toml").write_text(
        f'[[document]]\ndocument_id = "x"\nurl = "https://example.org/p"\n{text}\n',
        encoding="utf-8",
    )
    (folder / "watcher.toml").write_text(
        service.replace("FILE", f"file:{folder}/secret"), encoding="utf-8"
    )
    settings = load(folder / "watcher.toml")
    with Store.open(folder / "var") as store:
        document = store.documents.put(
            declare(settings.documents[0]), datetime(2026, 1, 1, tzinfo=UTC)
        )
        assert document.document_id == DocumentId("x")
    return fetch_request(settings, settings.documents[0], document, full=False)


def test_every_kind_of_credentials_reaches_the_request(tmp_path: Path) -> None:
    made = requested(tmp_path, 'credentials = { kind = "basic", user = "u", secret = "FILE" }')
    assert isinstance(made.credentials, BasicAuth)
    assert made.credentials.password.get_secret_value() == "user:p@ss/word"

    made = requested(
        tmp_path, 'credentials = { kind = "header", header = "X-API-Key", secret = "FILE" }'
    )
    assert made.credentials is None
    assert [(name, value.get_secret_value()) for name, value in made.headers] == [
        ("X-API-Key", "user:p@ss/word")
    ]

    made = requested(
        tmp_path,
        'credentials = { kind = "oauth", token_url = "https://login.example.org/t",'
        ' client_id = "me", scope = "read", secret = "FILE" }',
    )
    assert isinstance(made.credentials, OAuthClient)
    assert (made.credentials.token_url, made.credentials.client_id, made.credentials.scope) == (
        "https://login.example.org/t", "me", "read"
    )  # fmt: skip
    assert "p@ss" not in repr(made)


def test_a_proxy_is_the_entrys_or_the_services(tmp_path: Path) -> None:
    service = '[fetch]\nproxy = "http://proxy.example:3128"\nproxy_secret = "FILE"\n'
    made = requested(tmp_path, "", service)
    assert made.proxy is not None
    assert made.proxy.get_secret_value() == "http://user:p%40ss%2Fword@proxy.example:3128/"
    made = requested(tmp_path, 'proxy = "http://own.example:8080"', service)
    assert made.proxy is not None
    assert made.proxy.get_secret_value() == "http://own.example:8080/"
    assert requested(tmp_path, "").proxy is None


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('credentials = { kind = "oauth", secret = "env:X" }', "need a token_url"),
        (
            'credentials = { kind = "basic", user = "u", scope = "s", secret = "env:X" }',
            "belong to",
        ),
        (
            'credentials = { kind = "oauth", token_url = "http://login.example.org/t", client_id = "me", secret = "env:X" }',
            "over https",
        ),
        ('credentials = { kind = "oauth", tokn_url = "x", secret = "env:X" }', "'token_url'"),
        ('proxy = "http://user:hunter2@proxy.example:3128"', "proxy_secret"),
        ('proxy_secret = "env:X"', "no proxy"),
    ],
)
def test_a_mistake_is_told_and_no_secret_with_it(tmp_path: Path, lines: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        requested(tmp_path, lines)
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value)
