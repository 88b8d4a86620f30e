"""OAuth client credentials against a real token endpoint and a real source."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote

import pytest
from pydantic import SecretStr

from tests.fetch.fetching import fetch, fetch_all, request
from watcher.domain.verdicts import Refusal
from watcher.fetch import AnswerKind, OAuthClient

PAGE = b"<!doctype html><html><body><p>Members only.</p></body></html>"


class Portal:
    """A source that wants a token, and the endpoint that gives them out."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.seen: list[str] = []
        self.revoked: set[str] = set()
        self.answer: tuple[int, bytes] | None = None
        self.seconds: object = 3600
        portal = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]

            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                kind, _, pair = self.headers["Authorization"].partition(" ")
                client, _, secret = base64.b64decode(pair).decode().partition(":")
                portal.asked.append(
                    {"kind": kind, "client": unquote(client), "secret": unquote(secret), **form}
                )
                token = f"token-{len(portal.asked)}-abcdef"
                said = {
                    "access_token": token,
                    "token_type": "bearer",
                    "expires_in": portal.seconds,
                }
                status, body = portal.answer or (200, json.dumps(said).encode())
                self._send(status, body, "application/json")

            def do_GET(self) -> None:
                token = self.headers.get("Authorization", "").removeprefix("Bearer ")
                portal.seen.append(token)
                if self.path == "/away":
                    self.send_response(302)
                    self.send_header("Location", f"http://localhost:{self.server.server_port}/doc")  # type: ignore[attr-defined]
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif not token or token in portal.revoked:
                    self._send(401, b"no", "text/plain")
                else:
                    self._send(200, PAGE, "text/html", {"X-Echo": token})

            def _send(
                self, status: int, body: bytes, kind: str, more: dict[str, str] | None = None
            ) -> None:
                self.send_response(status)
                for name, value in {"Content-Type": kind, **(more or {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def client(self, secret: str = "s3cr:t/ü!") -> OAuthClient:
        return OAuthClient(f"{self.url}/token", "reader one", SecretStr(secret), "documents")


@pytest.fixture
def portal() -> Iterator[Portal]:
    made = Portal()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def test_one_token_serves_many_checks_of_one_document(portal: Portal) -> None:
    asked = request(f"{portal.url}/doc", credentials=portal.client())
    answers = fetch_all(
        asked, asked, request(f"{portal.url}/doc", document_id="other", credentials=portal.client())
    )
    assert [answer.kind for answer in answers] == [AnswerKind.BODY] * 3
    assert portal.seen == ["token-1-abcdef", "token-1-abcdef", "token-2-abcdef"]
    assert portal.asked[0] == {
        "kind": "Basic",
        "client": "reader one",
        "secret": "s3cr:t/ü!",
        "grant_type": ["client_credentials"],
        "scope": ["documents"],
    }
    assert len(answers[0].hops) == 1
    assert dict(answers[0].headers)["x-echo"] == "[redacted]"
    assert "token-" not in repr(answers)


def test_a_rejected_token_is_renewed_once(portal: Portal) -> None:
    portal.revoked = {"token-1-abcdef"}
    asked = request(f"{portal.url}/doc", credentials=portal.client())
    first, second = fetch_all(asked, asked)
    assert first.kind is second.kind is AnswerKind.BODY
    assert portal.seen == ["token-1-abcdef", "token-2-abcdef", "token-2-abcdef"]
    portal.revoked |= {f"token-{n}-abcdef" for n in range(9)}
    answer = fetch(f"{portal.url}/doc", credentials=portal.client())
    assert answer.refusal is Refusal.LOGIN_WALL
    assert answer.status == 401
    assert len(portal.asked) == 4, "not asked for over and over"


@pytest.mark.parametrize("seconds", [0, 29, -5, "10", True, None, "nonsense", float("nan")])
def test_a_token_is_not_used_beyond_its_end(portal: Portal, seconds: object) -> None:
    portal.seconds = seconds
    asked = request(f"{portal.url}/doc", credentials=portal.client())
    answers = fetch_all(asked, asked)
    assert {answer.kind for answer in answers} == {AnswerKind.BODY}
    known = not isinstance(seconds, bool) and seconds in (0, 29, -5, "10")
    assert len(portal.asked) == (2 if known else 1)


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b'{"error": "invalid_client"}', "401 invalid_client"),
        (200, b'{"access_token": "x", "token_type": "mac"}', "answered 200"),
        (200, b'{"access_token": "a\\r\\nb", "token_type": "bearer"}', "answered 200"),
        (200, b"<html>log in</html>", "answered 200"),
        (302, b"", "answered 302"),
        (400, b'{"error": "<script>"}', "answered 400"),
        (200, b"[" * 100_000, "answered 200"),
    ],
)
def test_an_endpoint_without_a_token_is_a_refusal(
    portal: Portal, status: int, body: bytes, words: str
) -> None:
    portal.answer = (status, body)
    answer = fetch(f"{portal.url}/doc", credentials=portal.client("hunter22"))
    assert answer.refusal is Refusal.HTTP_ERROR
    assert answer.verdict is not None
    assert words in answer.verdict.message
    assert "client_id" in answer.verdict.hint
    assert "hunter22" not in repr(answer)
    assert "<script>" not in repr(answer.verdict)
    assert portal.seen == []


def test_the_endpoint_passes_the_guard_and_tokens_stay_at_home(portal: Portal) -> None:
    answer = fetch(f"{portal.url}/away", credentials=portal.client())
    assert answer.status == 401
    assert portal.seen == ["token-1-abcdef", ""]
    client = OAuthClient("http://169.254.169.254/token", "a", SecretStr("hunter22"))
    answer = fetch(f"{portal.url}/doc", credentials=client)
    assert answer.refusal is Refusal.BLOCKED_ADDRESS
