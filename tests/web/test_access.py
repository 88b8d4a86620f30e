"""Who may read what: tokens, the issuer, groups, the authorizer; absent and forbidden are one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from typer.testing import CliRunner

from tests.pipeline.deployment import html
from tests.web.conftest import Served, configured
from watcher.cli.main import app
from watcher.errors import ConfigError
from watcher.settings import load
from watcher.web import create_app

RULE = "1. Scope. The {0} rule: records must be kept for 30 days. 2. Owner. The office keeps it."
TEXTS = "/api/v1/documents/{}/versions/current/text"


@contextmanager
def answering(answer: Callable[[str, dict[str, Any]], tuple[int, Any]]) -> Iterator[str]:
    """A real HTTP server on loopback whose every answer `answer(path, body)` makes."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            status, said = answer(self.path, body)
            data = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def add_token(served: Served, name: str, *options: str) -> dict[str, str]:
    """Add a token by the command, and give the headers that use it."""
    arguments = ["tokens", "add", name, "--json", "-c", str(served.deployment.config), *options]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    served.deployment.clock.pass_time(seconds=2)
    return {"Authorization": f"Bearer {json.loads(result.stdout)['token']}"}


@pytest.fixture
def two(served: Served) -> Served:
    """An open document, and one that only `legal` may see; both with a text."""
    deployment = served.deployment
    deployment.clock.time = datetime.now(UTC)  # commands use the machine's clock
    for name, lines in (("open", ""), ("closed", 'groups = ["legal"]')):
        deployment.check(deployment.watch(name, html(RULE.format(name) * 3), lines))
    return served


def test_tokens_are_scoped_grouped_expiring_and_revocable(two: Served) -> None:
    assert two.http.get("/api/v1/documents").status_code == 200
    plain = add_token(two, "plain", "--expires", "3650d")
    legal = add_token(two, "legal", "--group", "legal", "--scope", "review", "--expires", "3650d")
    every = add_token(two, "every", "--all-documents", "--expires", "3650d")

    def seen(headers: dict[str, str]) -> list[str]:
        page = two.http.get("/api/v1/documents", headers=headers).json()
        return [item["document_id"] for item in page["items"]]

    assert seen(plain) == ["open"]
    assert seen(legal) == seen(every) == ["closed", "open"]
    for wrong in ({}, {"Authorization": "Bearer wt_wrong"}, {"Authorization": "Basic eDp5"}):
        answer = two.http.get("/api/v1/documents", headers=wrong)
        assert answer.json()["code"] == "unauthenticated"
        assert answer.headers["www-authenticate"] == "Bearer"
    cookie = {"Cookie": "watcher_session=" + plain["Authorization"].removeprefix("Bearer ")}
    assert seen(cookie) == ["open"]
    unsafe = {**cookie, "Origin": "https://evil.example"}
    assert two.http.post("/api/v1/documents", headers=unsafe).json()["code"] == "cross_site"
    assert two.http.get(TEXTS.format("absent"), headers=every).json()["code"] == "unknown_document"
    CliRunner().invoke(app, ["tokens", "revoke", "plain", "-c", str(two.deployment.config)])
    two.deployment.clock.pass_time(seconds=2)
    assert two.http.get("/api/v1/documents", headers=plain).status_code == 401
    two.deployment.clock.pass_time(days=3651)
    assert two.http.get("/api/v1/documents", headers=legal).status_code == 401
    assert two.http.get("/api/v1/documents").status_code == 401, "never open again"
    database = (two.deployment.folder / "var" / "watcher.sqlite3").read_bytes()
    assert every["Authorization"].removeprefix("Bearer wt_").encode() not in database


def test_absent_and_forbidden_are_the_same_answer(two: Served) -> None:
    plain = add_token(two, "plain", "--expires", "3650d")

    def told(path: str) -> tuple[int, dict[str, Any], dict[str, str]]:
        answer = two.http.get(path, headers={**plain, "X-Request-Id": "r", "If-None-Match": "*"})
        headers = {k: v for k, v in answer.headers.items() if k != "date"}
        return answer.status_code, answer.json(), headers

    version = "sha256:" + "0" * 64
    for path in (
        "{}",
        "{}/versions",
        "{}/versions/current/text",
        f"{{}}/versions/{version}/text",
        "{}/captures/k1-x/original",
        "{}/versions/nonsense/text",
    ):
        closed = told("/api/v1/documents/" + path.format("closed"))
        assert closed == told("/api/v1/documents/" + path.format("absent"))
        assert closed[0] == 403
        assert closed[1]["code"] == "forbidden"


def test_nothing_is_read_before_the_yes(two: Served) -> None:
    plain = add_token(two, "plain", "--expires", "3650d")
    version = two.deployment.store.versions.list(
        two.deployment.services.store.documents.get("closed").document_id  # type: ignore[arg-type]
    )[0].version
    digest = version.removeprefix("sha256:")
    (blob,) = (two.deployment.folder / "var" / "blobs").rglob(f"{digest}*")
    blob.chmod(0o644)
    blob.write_bytes(b"damaged")
    path = TEXTS.format("closed")
    assert two.http.get(path, headers=plain).json()["code"] == "forbidden"
    legal = add_token(two, "legal", "--group", "legal", "--expires", "3650d")
    damaged = two.http.get(path, headers=legal)
    assert (damaged.status_code, damaged.json()["code"]) == (500, "hash_mismatch")
    assert "rule" not in damaged.text


def test_a_document_that_left_the_configuration_stays_closed(two: Served) -> None:
    plain = add_token(two, "plain", "--expires", "3650d")
    legal = add_token(two, "legal", "--group", "legal", "--expires", "3650d")
    deployment = two.deployment
    for name in ("open", "closed"):
        (deployment.folder / "documents" / f"{name}.toml").unlink()
    deployment.watch("other", html("Other."))
    deployment.clock.pass_time(seconds=10)
    assert two.http.get(TEXTS.format("closed"), headers=plain).status_code == 403
    assert two.http.get(TEXTS.format("closed"), headers=legal).status_code == 200
    assert two.http.get(TEXTS.format("open"), headers=plain).status_code == 200


def test_beyond_loopback_it_takes_a_token_to_start(two: Served) -> None:
    deployment = two.deployment
    deployment.config.write_text(deployment.config.read_text() + '[web]\nhost = "0.0.0.0"\n')
    deployment.services = deployment._services(load(deployment.config))
    with pytest.raises(ConfigError, match="not loopback"):
        create_app(lambda: deployment.services)
    add_token(two, "any")
    create_app(lambda: deployment.services)


def test_attempts_and_requests_are_limited(two: Served) -> None:
    with configured(two, "[web.limits]\nrate = 1\nburst = 3\n") as http:
        statuses = [http.get("/api/v1/documents").status_code for _ in range(4)]
        assert statuses == [200, 200, 200, 429]
        assert http.get("/api/v1/documents").headers["retry-after"] == "1"
        two.deployment.clock.pass_time(seconds=1)
        assert http.get("/api/v1/documents").status_code == 200
        add_token(two, "any")
        wrong = {"Authorization": "Bearer x"}
        statuses = [http.get("/api/v1/documents", headers=wrong).status_code for _ in range(21)]
        assert statuses == [401] * 20 + [429]


def test_the_authorizer_decides_and_its_silence_is_a_no(two: Served) -> None:
    asked: list[dict[str, Any]] = []
    answers: list[tuple[int, Any]] = [(200, {"allowed": ["open"]})]

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        asked.append(body)
        return answers[0]

    with answering(answer) as url:
        extra = f'[web.authorizer]\nurl = "{url}/may"\ncache = "10s"\n'
        with configured(two, extra) as http:
            for _ in range(3):
                assert http.get(TEXTS.format("open")).status_code == 200
                assert http.get(TEXTS.format("closed")).json()["code"] == "forbidden"
            assert [body["document_ids"] for body in asked] == [["open"], ["closed"]]
            assert asked[0]["principal"] == "local"
            answers[0] = (200, {"allowed": ["open", "closed"]})
            assert http.get(TEXTS.format("closed")).status_code == 403
            two.deployment.clock.pass_time(seconds=11)
            assert http.get(TEXTS.format("closed")).status_code == 200
            for said in ((500, {}), (200, {"allowed": "open"}), (302, {}), (200, b"{")):
                two.deployment.clock.pass_time(seconds=11)
                answers[0] = said
                assert http.get(TEXTS.format("open")).json()["code"] == "forbidden"
    two.deployment.clock.pass_time(seconds=11)
    assert two.http.get(TEXTS.format("open")).status_code == 200


RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CURVE = ec.generate_private_key(ec.SECP256R1())


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwk(key: Any, kid: str, **more: str) -> dict[str, Any]:
    algorithm = (
        jwt.algorithms.ECAlgorithm
        if isinstance(key, ec.EllipticCurvePrivateKey)
        else jwt.algorithms.RSAAlgorithm
    )
    return {**json.loads(algorithm.to_jwk(key.public_key())), "kid": kid, **more}


def test_the_issuers_tokens_are_checked_in_every_part(two: Served) -> None:
    keys = [jwk(RSA, "a", alg="RS256"), {"kty": "oct", "k": "c2VjcmV0", "kid": "oct"}]
    fetched: list[str] = []

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        fetched.append(path)
        if path.endswith("openid-configuration"):
            return 200, {"issuer": issuer, "jwks_uri": f"{issuer}/keys"}
        return 200, {"keys": keys}

    now = two.deployment.clock.now().timestamp()
    good = {"aud": "watcher", "sub": "mara", "exp": now + 60, "groups": ["legal", "answers"]}

    def signed(key: Any = RSA, alg: str = "RS256", kid: str | None = "a", **claims: Any) -> str:
        payload = {"iss": issuer, **good, **claims}
        payload = {name: value for name, value in payload.items() if value is not None}
        return jwt.encode(payload, key, algorithm=alg, headers={"kid": kid} if kid else None)

    with answering(answer) as issuer:
        extra = (
            f'[web.oidc]\nissuer = "{issuer}"\naudience = "watcher"\ncite_groups = ["answers"]\n'
            "[web.limits]\nrate = 0\n"
        )
        with configured(two, extra) as http:

            def status(token: str, document: str = "closed") -> int:
                two.deployment.clock.pass_time(seconds=1)  # wrong ones are limited
                headers = {"Authorization": f"Bearer {token}"}
                return http.get(TEXTS.format(document), headers=headers).status_code

            assert http.get(TEXTS.format("open")).status_code == 401
            assert status(signed()) == 200
            assert status(signed(kid=None)) == 200
            assert status(signed(groups=["other"])) == 403
            assert status(signed(groups="legal")) == 403
            assert len(fetched) == 2, "the keys are kept"
            public = RSA.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
            header, payload, _ = signed().split(".")
            confused = encoded(b'{"alg":"HS256","kid":"a"}')
            mac = hmac.new(public, f"{confused}.{payload}".encode(), hashlib.sha256).digest()
            forged = f"{confused}.{payload}.{encoded(mac)}"
            nothing = encoded(b'{"alg":"none","kid":"a"}')
            for wrong in (
                forged,
                f"{nothing}.{payload}.",
                signed(OTHER),
                signed(CURVE, "ES256"),
                signed("c2VjcmV0" * 8, "HS256", "oct"),
                signed(RSA, "RS512"),
                signed(kid="unknown"),
                signed(kid="../../keys"),
                signed(exp=now - 60),
                signed(exp=None),
                signed(exp="soon"),
                signed(nbf=now + 600),
                signed(iat=now + 600),
                signed(aud="other"),
                signed(aud=None),
                signed(iss="https://evil.example"),
                signed(sub=None),
                signed(sub=7),
                f"{header}.{payload}.",
                "a.b.c",
                signed(pad="x" * 9000),
            ):
                assert status(wrong) == 401, wrong[:200]
            keys[:] = [jwk(CURVE, "b")]
            two.deployment.clock.pass_time(seconds=40)
            assert status(signed(CURVE, "ES256", "b", exp=now + 9999)) == 200, "keys may change"
            assert status(signed(exp=now + 9999)) == 401
