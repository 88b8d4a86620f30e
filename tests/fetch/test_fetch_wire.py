"""What a server can do to a single request, and the name that each gets."""

from __future__ import annotations

import gzip
import sys
import zlib

import brotli  # type: ignore[import-untyped]
import pytest

from tests.fetch.fetching import fetch, limited
from tests.fetch.scenario_server import Reply, ScenarioServer
from watcher.domain.verdicts import Refusal
from watcher.fetch import AnswerKind

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PAGE = "<!doctype html><title>Policy</title><p>We keep invoices for 30 days. äöü</p>".encode() * 40


def coded(coding: str, data: bytes = PAGE) -> bytes:
    if coding == "gzip":
        return gzip.compress(data)
    if coding == "deflate":
        return zlib.compress(data)
    if coding == "br":
        return bytes(brotli.compress(data))
    return bytes(zstd.compress(data))


def test_a_plain_page_comes_with_its_facts(server: ScenarioServer) -> None:
    url = server.play(
        "/p", Reply(body=PAGE, headers=(("ETag", '"v1"'), ("Set-Cookie", "sid=1"), ("Date", "x")))
    )
    answer = fetch(url)
    assert answer.kind is AnswerKind.BODY
    assert answer.verdict is None
    assert answer.body == PAGE
    assert answer.status == 200
    assert answer.declared_charset == "utf-8"
    assert answer.peer == "127.0.0.1"
    assert answer.validators is not None
    assert answer.validators.etag == '"v1"'
    assert ("set-cookie", "[redacted]") in answer.headers
    assert answer.raw_bytes == len(PAGE)
    agent = server.asked("/p")[0].headers["user-agent"]
    assert agent == "policy-watcher/0 (+mailto:tests@example.org)"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_codings_are_decoded(server: ScenarioServer, coding: str) -> None:
    url = server.play("/p", Reply(body=coded(coding), headers=(("Content-Encoding", coding),)))
    assert fetch(url).body == PAGE


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("length", [None, -1])
def test_a_coded_body_must_reach_its_own_end(
    server: ScenarioServer, coding: str, length: int | None
) -> None:
    body = coded(coding)[:-5]
    url = server.play(
        "/p", Reply(body=body, length=length, headers=(("Content-Encoding", coding),))
    )
    answer = fetch(url)
    assert answer.refusal is Refusal.TRUNCATED
    assert answer.body == b""


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_stopped_at_the_cap(server: ScenarioServer, coding: str) -> None:
    bomb = coded(coding, bytes(64 * 1024 * 1024))
    url = server.play("/p", Reply(body=bomb, headers=(("Content-Encoding", coding),)))
    answer = fetch(url, limits=limited(decoded_bytes=1024 * 1024))
    assert answer.refusal is Refusal.TOO_LARGE


def test_two_gzip_members_are_one_body(server: ScenarioServer) -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two") + bytes(16)
    url = server.play("/p", Reply(body=body, headers=(("Content-Encoding", "gzip"),)))
    assert fetch(url).body == b"one two"


def test_raw_deflate_is_understood(server: ScenarioServer) -> None:
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(PAGE) + packer.flush()
    url = server.play("/p", Reply(body=body, headers=(("Content-Encoding", "deflate"),)))
    assert fetch(url).body == PAGE


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "compress", "gzip, gzip"])
def test_a_body_that_is_not_what_it_claims(server: ScenarioServer, coding: str) -> None:
    url = server.play("/p", Reply(body=PAGE, headers=(("Content-Encoding", coding),)))
    answer = fetch(url)
    assert answer.refusal is Refusal.DECODE_ERROR
    assert answer.verdict is not None
    assert answer.verdict.hint


@pytest.mark.parametrize(
    ("reply", "refusal"),
    [
        (Reply(status=404, body=b"no"), Refusal.HTTP_ERROR),
        (Reply(status=500, body=b"no"), Refusal.HTTP_ERROR),
        (Reply(status=206, body=b"part"), Refusal.HTTP_ERROR),
        (Reply(status=304, content_type=None), Refusal.HTTP_ERROR),
        (Reply(body=PAGE, length=len(PAGE) * 3, cut=len(PAGE)), Refusal.TRUNCATED),
        (Reply(body=PAGE, chunked=True, cut=100), Refusal.TRUNCATED),
        (Reply(raw=b""), Refusal.NETWORK_ERROR),
        (Reply(raw=b"SSH-2.0-OpenSSH_9.2\r\n"), Refusal.NETWORK_ERROR),
        (Reply(body=PAGE, length=10**9), Refusal.TOO_LARGE),
        (Reply(body=PAGE, chunked=True, endless=True), Refusal.TOO_LARGE),
        (Reply(status=302, headers=(("Location", "/p"),)), Refusal.HTTP_ERROR),
        (Reply(status=302), Refusal.HTTP_ERROR),
    ],
    ids=lambda value: value.value if isinstance(value, Refusal) else "",
)
def test_every_misbehaviour_has_a_name(
    server: ScenarioServer, reply: Reply, refusal: Refusal
) -> None:
    answer = fetch(server.play("/p", reply), limits=limited(raw_bytes=2_000_000))
    assert answer.kind is AnswerKind.REFUSED
    assert answer.refusal is refusal
    assert answer.verdict is not None
    assert server.origin.removeprefix("http://") in answer.verdict.message
    assert answer.verdict.evidence


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=PAGE, delay=60),
        Reply(body=PAGE, drip=1, pause=0.05),
        Reply(body=PAGE, chunked=True, drip=20, pause=0.05, endless=True),
    ],
    ids=["silent", "drip", "endless"],
)
def test_slow_answers_end_as_timeouts(server: ScenarioServer, reply: Reply) -> None:
    limits = limited(total=1.0, header=0.5, idle=0.5, drip_window=0.4, drip_bytes=1024)
    assert fetch(server.play("/p", reply), limits=limits).refusal is Refusal.TIMEOUT


def test_a_slow_but_honest_body_arrives(server: ScenarioServer) -> None:
    reply = Reply(body=PAGE, drip=1200, pause=0.15)
    limits = limited(drip_window=0.3, drip_bytes=1000)
    assert fetch(server.play("/p", reply), limits=limits).body == PAGE


@pytest.mark.parametrize(
    ("status", "headers", "body", "refusal"),
    [
        (401, (("WWW-Authenticate", "Basic"),), b"", Refusal.LOGIN_WALL),
        (403, (("cf-mitigated", "challenge"),), b"", Refusal.BOT_WALL),
        (405, (("x-amzn-waf-action", "captcha"),), b"", Refusal.BOT_WALL),
        (403, (), b"<title>Attention Required!</title><h1>Sorry, you have been blocked</h1>", Refusal.BOT_WALL),
        (503, (), b"<title>Maintenance</title><h1>We are down for maintenance</h1>", Refusal.MAINTENANCE),
        (503, (), b"<title>Queue</title><meta http-equiv=refresh content=20><h1>You are in the queue</h1>", Refusal.WAITING_ROOM),
        (403, (), b"<h1>No</h1>", Refusal.HTTP_ERROR),
        (404, (), b"<title>Maintenance</title><h1>We are down for maintenance</h1>", Refusal.HTTP_ERROR),
        (500, (), b"", Refusal.HTTP_ERROR),
        (418, (), b"\x00\xff" * 100, Refusal.HTTP_ERROR),
    ],
)  # fmt: skip
def test_an_error_says_what_kind_of_error_it_is(
    server: ScenarioServer,
    status: int,
    headers: tuple[tuple[str, str], ...],
    body: bytes,
    refusal: Refusal,
) -> None:
    answer = fetch(server.play("/p", Reply(status=status, headers=headers, body=body)))
    assert answer.refusal is refusal
    assert answer.body == b""
    assert answer.gone is (status == 404)


def test_an_error_page_that_never_ends_is_still_only_an_error(server: ScenarioServer) -> None:
    reply = Reply(status=404, body=b"x" * 10_000, chunked=True, endless=True)
    assert fetch(server.play("/p", reply)).refusal is Refusal.HTTP_ERROR
