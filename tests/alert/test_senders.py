"""Every sender against a receiver on loopback that behaves as told."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import io
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from watcher.alert.channels import Channel, ConsoleChannel, WebhookChannel, route
from watcher.alert.console import ConsoleSender
from watcher.alert.delivery import Delivery, DeliveryResult
from watcher.alert.http import HttpEndpoint
from watcher.alert.message import AlertMessage, Excerpt, Passage
from watcher.alert.senders import build_sender
from watcher.alert.webhook import WebhookSender
from watcher.domain.changes import ChangeClass, Severity, Tier
from watcher.domain.ids import DocumentId, VersionId

OLD, NEW = VersionId("sha256:" + "a" * 64), VersionId("sha256:" + "b" * 64)
KEY = "wa1-0123456789"
MESSAGE = AlertMessage(
    change_id="c" * 64,
    document_id=DocumentId("retention-policy"),
    title="Retention <Policy> & Co",
    owner="legal",
    change_class=ChangeClass.POLICY_BEARING,
    tier=Tier.PAGE,
    severity=Severity.PAGE,
    headline="30 days became 90 days",
    reasons=("a duration changed",),
    facets=("duration",),
    from_version=OLD,
    to_version=NEW,
    excerpts=(Excerpt(Passage(OLD, 1, 0, 7, "SECRET-PASSAGE"), None, ChangeClass.POLICY_BEARING),),
    citations=(),
    observed_at="2026-05-12T02:13:00Z",
    link="https://watcher.example.org/changes/cc",
)


@dataclass
class Request:
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Writer = asyncio.StreamWriter
Reply = Callable[[Writer], Awaitable[None]]


def answer(status: int, body: bytes = b"", **headers: str) -> Reply:
    async def reply(writer: Writer) -> None:
        head = "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in headers.items())
        writer.write(
            f"HTTP/1.1 {status} X\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        )
        await writer.drain()

    return reply


async def silence(writer: Writer) -> None:
    """Answer nothing until the caller hangs up."""
    await asyncio.Event().wait()


async def drop(writer: Writer) -> None:
    """Hang up without an answer."""


async def endless(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"400\r\n" + b"x" * 1024 + b"\r\n")
        await writer.drain()


@dataclass
class Receiver:
    url: str
    requests: list[Request] = field(default_factory=list)


@asynccontextmanager
async def receiver(*replies: Reply) -> AsyncIterator[Receiver]:
    """An HTTP receiver that gives these replies in turn, the last one for ever."""
    waiting = list(replies)
    found = Receiver("")
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *rest = head.strip().split("\r\n")
            headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in rest)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            found.requests.append(Request(first.split()[1], headers, body))
            await (waiting.pop(0) if len(waiting) > 1 else waiting[0])(writer)
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    found.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    try:
        yield found
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def send_webhook(
    *replies: Reply, secret: str | None = "s3cret-value", timeout: float = 5.0
) -> tuple[Delivery, list[Request]]:
    async def run() -> tuple[Delivery, list[Request]]:
        async with receiver(*replies) as there:
            endpoint = HttpEndpoint(there.url, timeout, (secret,) if secret else ())
            sender = WebhookSender(endpoint, secret, now=lambda: 1_770_000_000.5)
            return await sender.send(MESSAGE, KEY), there.requests

    return asyncio.run(run())


def test_a_webhook_is_signed_and_carries_its_key() -> None:
    delivery, (request,) = send_webhook(answer(204))
    assert delivery.result is DeliveryResult.DELIVERED
    assert request.target == "/hook"
    assert request.headers["idempotency-key"] == request.headers["webhook-id"] == KEY
    assert request.headers["content-type"] == "application/json"
    assert request.headers["webhook-timestamp"] == "1770000000"
    signed = f"{KEY}.1770000000.".encode() + request.body
    mac = base64.b64encode(hmac.new(b"s3cret-value", signed, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{mac}"
    assert request.json["schema"] == "watcher.alert/1"
    assert request.json["key"] == KEY
    assert request.json["excerpts"][0]["before"]["text"] == "SECRET-PASSAGE"


def test_a_standard_webhooks_secret_is_decoded() -> None:
    raw = bytes(range(24))
    secret = "whsec_" + base64.b64encode(raw).decode()
    _, (request,) = send_webhook(answer(200), secret=secret)
    signed = f"{KEY}.1770000000.".encode() + request.body
    mac = base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{mac}"


def test_without_a_secret_nothing_is_signed() -> None:
    _, (request,) = send_webhook(answer(200), secret=None)
    assert "webhook-signature" not in request.headers


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_success_is_delivered(status: int) -> None:
    assert send_webhook(answer(status))[0].result is DeliveryResult.DELIVERED


@pytest.mark.parametrize(
    "status", [301, 307, 401, 403, 404, 407, 408, 409, 423, 425, 429, 500, 502, 503, 504]
)
def test_what_may_succeed_later_is_tried_again(status: int) -> None:
    delivery, requests = send_webhook(answer(status, Location="http://127.0.0.1:1/elsewhere"))
    assert delivery.result is DeliveryResult.RETRY
    assert str(status) in delivery.detail
    assert len(requests) == 1


@pytest.mark.parametrize("status", [400, 406, 410, 413, 415, 422, 451])
def test_what_can_never_succeed_is_dead(status: int) -> None:
    delivery, _ = send_webhook(answer(status, b"no such\x1b[2J field"))
    assert delivery.result is DeliveryResult.DEAD
    assert f"{status} (no such<U+001B>[2J field)" in delivery.detail


def test_the_receivers_wish_is_read() -> None:
    assert send_webhook(answer(429, Retry_After="77"))[0].retry_after == 77
    assert send_webhook(answer(503, Retry_After="junk"))[0].retry_after is None


@pytest.mark.parametrize("behaviour", [silence, drop, endless])
def test_a_receiver_that_misbehaves_is_tried_again(behaviour: Reply) -> None:
    delivery, _ = send_webhook(behaviour, timeout=0.5)
    assert delivery.result is DeliveryResult.RETRY
    assert "127.0.0.1" in delivery.detail


def test_a_receiver_that_is_not_there_is_tried_again() -> None:
    async def run() -> Delivery:
        async with receiver(answer(200)) as there:
            pass
        return await WebhookSender(HttpEndpoint(there.url, 2)).send(MESSAGE, KEY)

    delivery = asyncio.run(run())
    assert delivery.result is DeliveryResult.RETRY
    assert "could not be reached" in delivery.detail


def test_a_secret_that_the_receiver_echoes_is_not_kept() -> None:
    delivery, _ = send_webhook(answer(400, b"bad signature for s3cret-value"))
    assert "s3cret-value" not in delivery.detail
    assert "[redacted]" in delivery.detail


def test_the_console_writes_lines_and_survives_a_closed_stream() -> None:
    stream = io.StringIO()
    sender = ConsoleSender(stream)
    assert asyncio.run(sender.send(MESSAGE, KEY)).result is DeliveryResult.DELIVERED
    assert stream.getvalue().splitlines()[0] == MESSAGE.first_line
    stream.close()
    assert asyncio.run(sender.send(MESSAGE, KEY)).result is DeliveryResult.RETRY


# --- settings ----------------------------------------------------------------


def channel(**given: object) -> Channel:
    return TypeAdapter[Channel](Channel).validate_python({"name": "ops", **given})


def no_secret(reference: str) -> str:
    raise AssertionError(reference)


def test_passages_stay_where_the_channel_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    console = build_sender(channel(kind="console", include_passages=False), no_secret)
    asyncio.run(console.send(MESSAGE, KEY))
    withheld = capsys.readouterr().out
    assert "SECRET-PASSAGE" not in withheld
    assert "30 days" not in withheld
    asyncio.run(build_sender(channel(kind="console"), no_secret).send(MESSAGE, KEY))
    assert "SECRET-PASSAGE" in capsys.readouterr().out


def test_a_webhook_is_built_with_its_secret_read_by_reference() -> None:
    async def run() -> Request:
        async with receiver(answer(200)) as there:
            configured = channel(kind="webhook", url=there.url, secret="env:HOOK")
            sender = build_sender(configured, {"env:HOOK": "k"}.__getitem__)
            await sender.send(MESSAGE, KEY)
            return there.requests[0]

    assert asyncio.run(run()).headers["webhook-signature"].startswith("v1,")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "webhook", "url": "http://hooks.example.org/x"}, "unencrypted"),
        ({"kind": "webhook", "url": "https://u:p@example.org/x"}, "credentials"),
        ({"kind": "webhook", "url": "https://example.org", "secret": "hunter2"}, "pattern"),
        ({"kind": "webhook", "url": "ftp://example.org"}, "scheme"),
        ({"kind": "console", "urll": "x"}, "Extra"),
        ({"kind": "pigeon"}, "pigeon"),
        ({"kind": "console", "name": "Ops Room"}, "pattern"),
        ({"kind": "console", "timeout_seconds": 0}, "greater"),
    ],
)
def test_a_wrong_channel_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        channel(**given)
    assert said in str(caught.value)


def test_plain_http_may_carry_what_holds_no_text() -> None:
    given = {"kind": "webhook", "url": "http://hooks.example.org/x", "include_passages": False}
    assert isinstance(channel(**given), WebhookChannel)
    assert isinstance(channel(kind="webhook", url="http://[::1]:9/x"), WebhookChannel)


def test_routing_by_severity_and_owner_never_ends_nowhere() -> None:
    pages = ConsoleChannel(kind="console", name="pages", severities=(Severity.PAGE,))
    legal = ConsoleChannel(
        kind="console", name="legal", severities=(Severity.TICKET,), owners=("legal",)
    )
    both = (pages, legal)
    assert route(both, Severity.PAGE, "anyone") == (pages,)
    assert route(both, Severity.TICKET, "legal") == (legal,)
    assert route(both, Severity.TICKET, "stranger") == (legal,)
    assert route(both, Severity.INFO, "legal") == both
    assert route((), Severity.PAGE, "legal") == ()


def test_the_console_is_standard_output() -> None:
    sender = build_sender(channel(kind="console"), no_secret)
    assert isinstance(sender, ConsoleSender)
    assert sender._stream is sys.stdout
