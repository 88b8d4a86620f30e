"""Every sender against a receiver on loopback that behaves as told."""

from __future__ import annotations

import asyncio
import base64
import gzip
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
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.alert.alert_bench import (
    KEY,
    MESSAGE,
    OLD,
    Reply,
    Request,
    answer,
    drop,
    endless,
    receiver,
    silence,
)
from watcher.alert.alertmanager import AlertmanagerSender, names_of
from watcher.alert.alertmanager_silences import Wanted
from watcher.alert.channels import (
    AlertmanagerChannel,
    Channel,
    ConsoleChannel,
    WebhookChannel,
    route,
)
from watcher.alert.console import ConsoleSender
from watcher.alert.delivery import Delivery, DeliveryResult, Follower, FollowUp, Sender, Step
from watcher.alert.http import HttpEndpoint
from watcher.alert.mail import MailSender
from watcher.alert.message import Excerpt, Passage
from watcher.alert.notice import Notice, NoticeKind
from watcher.alert.pagerduty import PagerDutySender
from watcher.alert.render import Message
from watcher.alert.senders import build_sender, build_silences
from watcher.alert.slack import SlackSender
from watcher.alert.webhook import WebhookSender
from watcher.domain.changes import ChangeClass, Severity
from watcher.domain.ids import DocumentId
from watcher.errors import ConfigError


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


@pytest.mark.parametrize("status", [429, 503])
def test_the_receivers_wish_is_read(status: int) -> None:
    assert send_webhook(answer(status, Retry_After="77"))[0].retry_after == 77
    assert send_webhook(answer(status, Retry_After="junk"))[0].retry_after is None
    past = "Tue, 12 May 2015 02:14:00 GMT"
    assert send_webhook(answer(status, Retry_After=past))[0].retry_after == 0
    later = format_datetime(datetime.now(UTC) + timedelta(minutes=10), usegmt=True)
    wish = send_webhook(answer(status, Retry_After=later))[0].retry_after
    assert wish is not None
    assert 0 < wish <= 600


def test_credentials_do_not_follow_a_redirect() -> None:
    async def run() -> tuple[Delivery, list[Request]]:
        async with receiver(answer(200)) as elsewhere:
            moved = answer(307, Location=elsewhere.url)
            async with receiver(moved) as there:
                endpoint = HttpEndpoint(there.url, 5, ("s3cret-value",))
                delivery = await alertmanager(endpoint).send(MESSAGE, KEY)
                return delivery, elsewhere.requests

    delivery, followed = asyncio.run(run())
    assert delivery.result is DeliveryResult.RETRY
    assert "it moved" in delivery.detail
    assert followed == []


async def garbage(writer: asyncio.StreamWriter) -> None:
    writer.write(b"\xff\x00 220 mx.example.org ESMTP\r\n" * 99)


async def a_bomb(writer: asyncio.StreamWriter) -> None:
    body = gzip.compress(b"x" * 50_000_000)
    await answer(503, body, Content_Encoding="gzip")(writer)


async def a_huge_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 X\r\n" + b"X: " + b"y" * 5_000_000 + b"\r\n\r\n")


@pytest.mark.parametrize("behaviour", [silence, drop, endless, garbage, a_bomb, a_huge_head])
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


def test_pagerduty_is_told_what_became_of_an_incident() -> None:
    async def run() -> list[Request]:
        async with receiver(answer(202, b"Event processed")) as there:
            sender = PagerDutySender(HttpEndpoint(there.url, 5), "routing")
            for step in Step:
                delivery = await sender.follow(FollowUp(step, KEY, "mara", MESSAGE))
                assert delivery.answer == "Event processed"
            return there.requests

    sent = [request.json for request in asyncio.run(run())]
    assert [event["event_action"] for event in sent] == ["acknowledge", "resolve"]
    assert {event["dedup_key"] for event in sent} == {KEY}
    assert {event["routing_key"] for event in sent} == {"routing"}


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
            base = f"http://127.0.0.1:{port}"
            assert [a["labels"]["key"] for a in alerts_of(base)] == [KEY]
            silence_and_resolve(base)
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
    return known_to(base, "alerts")


def known_to(base: str, what: str) -> list[Any]:
    with urllib.request.urlopen(f"{base}/api/v2/{what}", timeout=10) as found:
        known: list[Any] = json.load(found)
        return known


def silence_and_resolve(base: str) -> None:
    """Silence what was sent, end that, and let the alert end."""
    configured = channel(kind="alertmanager", url=base)
    assert isinstance(configured, AlertmanagerChannel)
    silences, sender = build_silences(configured, no_secret), build_sender(configured, no_secret)
    assert isinstance(sender, Follower)
    now = datetime.now(UTC)
    wanted = Wanted(
        now, now + timedelta(hours=1), "mara", "site moves", "retention-policy", "change", KEY
    )
    name, _ = asyncio.run(silences.begin(wanted))
    (told,) = known_to(base, "silences")
    assert (told["id"], told["status"]["state"]) == (name, "active")
    assert (told["createdBy"], told["comment"]) == ("mara", "site moves")
    assert {m["name"] for m in told["matchers"]} == {"document_id", "alertname", "key"}
    names = "|".join(names_of("change"))
    assert {m["value"] for m in told["matchers"]} == {"retention-policy", names, KEY}
    assert asyncio.run(silences.end(name)).result is DeliveryResult.DELIVERED
    assert known_to(base, "silences")[0]["status"]["state"] == "expired"
    for step in Step:
        news = FollowUp(step, KEY, "mara", MESSAGE)
        assert asyncio.run(sender.follow(news)).result is DeliveryResult.DELIVERED
    assert known_to(base, "alerts") == []


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


def apprise_channel(url: str) -> Sender:
    return build_sender(channel(kind="apprise", url="env:A"), lambda _: url)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("behaviour", "result"),
    [(answer(200), DeliveryResult.DELIVERED), (answer(500), DeliveryResult.RETRY)],
)
def test_apprise_hands_a_message_over(behaviour: Reply, result: DeliveryResult) -> None:
    pytest.importorskip("apprise", reason="needs the extra apprise")

    async def run() -> tuple[Delivery, list[Request]]:
        async with receiver(behaviour) as there:
            sender = apprise_channel(there.url.replace("http://", "json://"))
            return await sender.send(MESSAGE, KEY), there.requests

    delivery, (request, *_) = asyncio.run(run())
    assert delivery.result is result
    assert request.json["title"] == MESSAGE.first_line
    assert "SECRET-PASSAGE" in request.json["message"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_apprise_never_carries_a_page_and_names_no_address() -> None:
    pytest.importorskip("apprise", reason="needs the extra apprise")
    with pytest.raises(ValidationError):
        channel(kind="apprise", url="env:A", severities=["page"])
    with pytest.raises(ConfigError) as caught:
        apprise_channel("no-such-thing://s3cret")
    assert "s3cret" not in str(caught.value)


def test_the_console_is_standard_output() -> None:
    sender = build_sender(channel(kind="console"), no_secret)
    assert isinstance(sender, ConsoleSender)
    assert sender._stream is sys.stdout
