"""Every sender against a receiver on loopback that behaves as told."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from watcher.alert.alertmanager import AlertmanagerSender
from watcher.alert.channels import Channel, ConsoleChannel, WebhookChannel, route
from watcher.alert.console import ConsoleSender
from watcher.alert.delivery import Delivery, DeliveryResult, Sender
from watcher.alert.http import HttpEndpoint
from watcher.alert.mail import MailSender
from watcher.alert.message import AlertMessage, Excerpt, Passage
from watcher.alert.notice import Notice, NoticeKind
from watcher.alert.pagerduty import PagerDutySender
from watcher.alert.render import Message
from watcher.alert.senders import build_sender
from watcher.alert.slack import SlackSender
from watcher.alert.webhook import WebhookSender
from watcher.domain.changes import ChangeClass, Severity, Tier
from watcher.domain.ids import DocumentId, VersionId
from watcher.errors import ConfigError

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


# --- services -----------------------------------------------------------------


def send_by(
    make: Callable[[HttpEndpoint], Sender],
    *replies: Reply,
    message: Message = MESSAGE,
    secret: str = "s3cret-value",
) -> tuple[Delivery, list[Request]]:
    async def run() -> tuple[Delivery, list[Request]]:
        async with receiver(*replies) as there:
            sender = make(HttpEndpoint(there.url, 5, (secret,), busy_seconds=120))
            return await sender.send(message, KEY), there.requests

    return asyncio.run(run())


def pagerduty(endpoint: HttpEndpoint) -> Sender:
    return PagerDutySender(endpoint, "s3cret-value")


def test_pagerduty_gets_one_incident_for_a_key() -> None:
    delivery, (request,) = send_by(pagerduty, answer(202, b'{"status":"success"}'))
    assert delivery.result is DeliveryResult.DELIVERED
    event = request.json
    assert event["routing_key"] == "s3cret-value"
    assert (event["event_action"], event["dedup_key"]) == ("trigger", KEY)
    assert event["payload"]["severity"] == "critical"
    assert event["payload"]["class"] == "policy-bearing"
    assert event["payload"]["summary"] == MESSAGE.first_line
    assert event["payload"]["timestamp"] == MESSAGE.observed_at
    assert event["links"][0]["href"] == MESSAGE.link
    details = event["payload"]["custom_details"]
    assert details["excerpts"][0]["before"]["text"] == "SECRET-PASSAGE"


@pytest.mark.parametrize(
    ("status", "result", "wish"),
    [
        (400, DeliveryResult.DEAD, None),
        (429, DeliveryResult.RETRY, 120),
        (500, DeliveryResult.RETRY, None),
    ],
)
def test_pagerduty_is_retried_by_its_own_rules(
    status: int, result: DeliveryResult, wish: float | None
) -> None:
    delivery, _ = send_by(pagerduty, answer(status))
    assert (delivery.result, delivery.retry_after) == (result, wish)


def test_an_event_never_outgrows_pagerduty() -> None:
    text = Passage(OLD, 1, 0, 9, "€" * 9000)
    huge = replace(
        MESSAGE,
        headline="x" * 5000,
        excerpts=(Excerpt(text, text, ChangeClass.EDITORIAL),) * 60,
    )
    _, (request,) = send_by(pagerduty, answer(202), message=huge)
    assert len(request.body) < 512 * 1024
    assert len(request.json["payload"]["summary"]) <= 1024
    assert request.json["payload"]["custom_details"]["link"] == MESSAGE.link


def test_slack_gets_blocks_in_which_nothing_is_markup() -> None:
    hostile = replace(
        MESSAGE,
        headline="<!channel> <https://evil|click>",
        excerpts=(Excerpt(Passage(OLD, 1, 0, 9, "```<!here>```"), None, ChangeClass.EDITORIAL),),
    )
    delivery, (request,) = send_by(SlackSender, answer(200, b"ok"), message=hostile)
    assert delivery.result is DeliveryResult.DELIVERED
    sent = request.json
    assert "<" not in sent["text"]
    kinds = {block["type"] for block in sent["blocks"]}
    assert kinds == {"header", "section", "rich_text", "actions"}
    assert all(block["text"]["type"] == "plain_text" for block in sent["blocks"] if "text" in block)
    quoted = next(block for block in sent["blocks"] if block["type"] == "rich_text")
    assert quoted["elements"][0] == {
        "type": "rich_text_preformatted",
        "elements": [{"type": "text", "text": "```<!here>```"}],
    }


def test_a_slack_message_stays_within_slacks_limits() -> None:
    text = Passage(OLD, 1, 0, 9, "x" * 9000)
    huge = replace(
        MESSAGE,
        headline="y" * 5000,
        reasons=("z" * 900,) * 40,
        excerpts=(Excerpt(text, text, ChangeClass.EDITORIAL),) * 60,
    )
    _, (request,) = send_by(SlackSender, answer(200, b"ok"), message=huge)
    blocks = request.json["blocks"]
    assert len(blocks) <= 50
    assert len(blocks[0]["text"]["text"]) <= 150
    assert all(len(b["text"]["text"]) <= 3000 for b in blocks if b["type"] == "section")


def test_the_address_of_a_slack_webhook_stays_out_of_the_detail() -> None:
    delivery, _ = send_by(SlackSender, answer(404, b"no_service at /hook"))
    assert delivery.result is DeliveryResult.RETRY
    assert "http://" not in delivery.detail


def alertmanager(endpoint: HttpEndpoint) -> Sender:
    now = datetime(2026, 5, 12, 2, 14, tzinfo=UTC)
    return AlertmanagerSender(endpoint, "s3cret-value", lambda: now)


def test_alertmanager_gets_one_alert_that_lasts_a_day() -> None:
    delivery, (request,) = send_by(alertmanager, answer(200))
    assert delivery.result is DeliveryResult.DELIVERED
    assert request.headers["authorization"] == "Bearer s3cret-value"
    (alert,) = request.json
    assert alert["labels"] == {
        "alertname": "PolicyBearingChange",
        "severity": "page",
        "document_id": "retention-policy",
        "owner": "legal",
        "class": "policy-bearing",
        "key": KEY,
    }
    assert alert["startsAt"] == "2026-05-12T02:13:00Z"
    assert alert["endsAt"] == "2026-05-13T02:14:00+00:00"
    assert alert["annotations"]["summary"] == MESSAGE.first_line
    assert alert["generatorURL"] == MESSAGE.link


@pytest.mark.parametrize("make", [pagerduty, SlackSender, alertmanager])
def test_a_notice_goes_by_every_service(make: Callable[[HttpEndpoint], Sender]) -> None:
    notice = Notice(
        event_id="e" * 64,
        kind=NoticeKind.WITHDRAWN,
        document_id=DocumentId("retention-policy"),
        title="",
        owner="legal",
        severity=Severity.PAGE,
        reason="http_error",
        message="404 three times in a row",
        hint="find out whether it was repealed",
        observed_at="2026-05-12T02:13:00Z",
        link="watcher show retention-policy",
    )
    delivery, (request,) = send_by(make, answer(200), message=notice)
    assert delivery.result is DeliveryResult.DELIVERED
    assert "404 three times in a row" in request.body.decode()
    assert "watcher show retention-policy" in request.body.decode()
    assert "generatorURL" not in request.body.decode() or not request.json[0]["generatorURL"]


@pytest.mark.parametrize("make", [pagerduty, SlackSender, alertmanager])
@pytest.mark.parametrize("behaviour", [drop, answer(500), answer(429), answer(503)])
def test_every_service_is_tried_again(
    make: Callable[[HttpEndpoint], Sender], behaviour: Reply
) -> None:
    assert send_by(make, behaviour)[0].result is DeliveryResult.RETRY


def test_a_proxy_is_used_where_one_is_named() -> None:
    async def run() -> list[Request]:
        async with receiver(answer(200)) as proxy:
            endpoint = HttpEndpoint("http://hooks.example.org/x", 5, proxy=proxy.url)
            delivery = await WebhookSender(endpoint).send(MESSAGE, KEY)
            assert delivery.result is DeliveryResult.DELIVERED
            return proxy.requests

    (request,) = asyncio.run(run())
    assert request.target == "http://hooks.example.org/x"


@pytest.mark.system
def test_a_real_alertmanager_takes_the_alert(tmp_path: Path) -> None:
    program = shutil.which("prometheus-alertmanager")
    if program is None:
        if os.environ.get("WATCHER_TESTS_NO_SKIP"):
            pytest.fail("prometheus-alertmanager is missing: run `make system-deps`")
        pytest.skip("needs prometheus-alertmanager: run `make system-deps`")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = tmp_path / "alertmanager.yml"
    config.write_text('{"route": {"receiver": "none"}, "receivers": [{"name": "none"}]}')
    command = [
        program,
        f"--config.file={config}",
        f"--storage.path={tmp_path / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as am,
    ):
        try:
            assert [a["labels"]["key"] for a in alerts_of(f"http://127.0.0.1:{port}")] == [KEY]
        finally:
            am.terminate()


def alerts_of(base: str) -> list[Any]:
    """Send the same alert twice, as after a crash; return what is then known."""
    sender = build_sender(channel(kind="alertmanager", url=base), no_secret)

    async def run() -> list[DeliveryResult]:
        results: list[DeliveryResult] = []
        async with asyncio.timeout(30):
            while results.count(DeliveryResult.DELIVERED) < 2:
                results.append((await sender.send(MESSAGE, KEY)).result)
                if results[-1] is not DeliveryResult.DELIVERED:
                    await asyncio.sleep(0.1)
        return results

    asyncio.run(run())
    with urllib.request.urlopen(f"{base}/api/v2/alerts", timeout=10) as found:
        known: list[Any] = json.load(found)
        return known


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
        ({"kind": "slack", "url": "https://hooks.slack.com/services/T/B/x"}, "pattern"),
        ({"kind": "alertmanager", "url": "http://am.example.org:9093"}, "unencrypted"),
        ({"kind": "email", "host": "mx", "sender": "a@b", "recipients": []}, "at least 1"),
        ({"kind": "email", "host": "mx", "sender": "a@b\nBcc: x@y", "recipients": ["a@b"]}, "patt"),
        (
            {"kind": "email", "host": "mx", "sender": "a@b", "recipients": ["c@d"], "user": "u"},
            "belong together",
        ),
        (
            {
                "kind": "email",
                "host": "mx.example.org",
                "sender": "a@b",
                "recipients": ["c@d"],
                "security": "none",
            },
            "starttls",
        ),
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


@pytest.mark.parametrize("held", ["hooks.slack.com/x", "http://hooks.slack.com/x", "", "ftp://x"])
def test_a_slack_secret_that_is_no_https_address_is_refused_unseen(held: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build_sender(channel(kind="slack", url="env:SLACK"), lambda _: held)
    assert "env:SLACK" in caught.value.message
    assert "hooks.slack.com" not in str(caught.value)


def test_every_kind_is_built() -> None:
    secrets = {
        "env:K": "k",
        "env:SLACK": "https://hooks.slack.com/services/T/B/x",
    }
    kinds: list[tuple[dict[str, object], type[object]]] = [
        ({"kind": "pagerduty", "routing_key": "env:K"}, PagerDutySender),
        ({"kind": "slack", "url": "env:SLACK"}, SlackSender),
        ({"kind": "alertmanager", "url": "http://127.0.0.1:9093"}, AlertmanagerSender),
        (
            {
                "kind": "email",
                "host": "mx.example.org",
                "sender": "w@example.org",
                "recipients": ["a@example.org"],
                "user": "w",
                "password": "env:K",
            },
            MailSender,
        ),
    ]
    for given, sender in kinds:
        assert isinstance(build_sender(channel(**given), secrets.__getitem__), sender)


def test_the_console_is_standard_output() -> None:
    sender = build_sender(channel(kind="console"), no_secret)
    assert isinstance(sender, ConsoleSender)
    assert sender._stream is sys.stdout
