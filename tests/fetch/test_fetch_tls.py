"""https: who is trusted, and what is recorded of them."""

from __future__ import annotations

import hashlib
import ssl
from pathlib import Path

import pytest
import trustme

from tests.fetch.fetching import fetch
from tests.fetch.scenario_server import Reply, ScenarioServer
from watcher.domain.verdicts import Refusal
from watcher.fetch import AnswerKind


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def ca_file(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return path


def serving(authority: trustme.CA, *names: str) -> ScenarioServer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return ScenarioServer(tls=context)


def test_a_private_authority_is_trusted_by_name(authority: trustme.CA, ca_file: Path) -> None:
    with serving(authority, "127.0.0.1") as server:
        answer = fetch(server.play("/p", Reply(body=b"safe")), ca_file=ca_file)
    assert answer.body == b"safe"
    assert answer.tls is not None
    assert answer.tls.version.startswith("TLSv1.")
    assert answer.tls.not_after
    assert answer.tls.chain
    leaf_and_root = len(answer.tls.certificates_sha256)
    assert leaf_and_root == len(hashlib.sha256().hexdigest())


def test_others_are_not_trusted(authority: trustme.CA) -> None:
    with serving(authority, "127.0.0.1") as server:
        answer = fetch(server.play("/p", Reply(body=b"safe")))
        assert server.asked("/p") == []
    assert answer.refusal is Refusal.NETWORK_ERROR
    assert answer.verdict is not None
    assert "certificate" in answer.verdict.message
    assert "ca_file" in answer.verdict.hint


def test_the_certificate_must_name_the_host(authority: trustme.CA, ca_file: Path) -> None:
    with serving(authority, "elsewhere.example") as server:
        answer = fetch(server.play("/p", Reply(body=b"safe")), ca_file=ca_file)
    assert answer.refusal is Refusal.NETWORK_ERROR


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_an_unusable_ca_file_is_named(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "mine.pem"
    if content:
        path.write_text(content)
    answer = fetch("https://127.0.0.1:9/p", ca_file=path)
    assert answer.kind is AnswerKind.REFUSED
    assert answer.verdict is not None
    assert "mine.pem" in answer.verdict.message


def test_http_on_a_tls_port_is_an_error(authority: trustme.CA) -> None:
    with serving(authority, "127.0.0.1") as secure:
        answer = fetch(f"http://127.0.0.1:{secure.port}/p")
    assert answer.refusal in (Refusal.NETWORK_ERROR, Refusal.HTTP_ERROR)
