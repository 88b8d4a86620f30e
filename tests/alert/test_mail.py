"""E-mail against a real SMTP server on loopback, and against what is none."""

from __future__ import annotations

import asyncio
import email
import email.policy
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
import trustme
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.alert.alert_bench import KEY, MESSAGE, OLD, Reply, drop, silence
from watcher.alert.delivery import Delivery, DeliveryResult
from watcher.alert.mail import MailSender, MailServer, mail_message
from watcher.alert.message import Excerpt, Passage
from watcher.domain.changes import ChangeClass

NOW = datetime(2026, 5, 12, 2, 14, tzinfo=UTC)
QUOTED = replace(
    MESSAGE,
    title="Grundsätze",
    excerpts=(
        Excerpt(Passage(OLD, 1, 0, 7, "für 30 Tage\n.\nQUIT"), None, ChangeClass.POLICY_BEARING),
    ),
)
HANG_UP = "hang up"
SILENCE = "silence"


@dataclass
class MailHost:
    """What a server received, and the replies in which it is not friendly."""

    replies: dict[str, str] = field(default_factory=dict)
    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[tuple[bytes, bool]] = field(default_factory=list)
    port: int = 0

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        return await self.say(server, "MAIL")

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        self.recipients.append(address)
        return await self.say(server, "RCPT")

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        assert isinstance(envelope.content, bytes)
        if "DATA" not in self.replies:
            parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
            assert isinstance(parsed, EmailMessage)
            self.mails.append(parsed)
        return await self.say(server, "DATA")

    async def say(self, server: SMTP, when: str) -> str:
        reply = self.replies.get(when, "250 OK")
        if reply == SILENCE:
            await asyncio.Event().wait()
        if reply == HANG_UP:
            assert server.transport is not None
            server.transport.close()
        return reply

    def login(
        self, server: SMTP, session: Session, envelope: Envelope, how: str, given: object
    ) -> AuthResult:
        assert isinstance(given, LoginPassword)
        self.logins.append((given.password, session.ssl is not None))
        return AuthResult(success="AUTH" not in self.replies, handled=False)


@asynccontextmanager
async def listening(
    host: MailHost, tls: ssl.SSLContext | None, *, at_once: bool
) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()

    def make() -> SMTP:
        return SMTP(
            host,
            hostname="mx.example.org",
            tls_context=None if at_once else tls,
            auth_require_tls=False,
            authenticator=host.login,
            loop=loop,
        )

    server = await loop.create_server(make, "127.0.0.1", 0, ssl=tls if at_once else None)
    host.port = server.sockets[0].getsockname()[1]
    try:
        yield
    finally:
        server.close()


def server_at(port: int) -> MailServer:
    return MailServer(
        host="127.0.0.1",
        port=port,
        security="none",
        timeout_seconds=5,
        sender="watcher@example.org",
        recipients=("a@example.org", "b@example.org"),
    )


def deliver(host: MailHost, *, offers_tls: bool = True, **changed: object) -> Delivery:
    """Send QUOTED to `host`; `changed` are fields of the server's settings."""
    authority = trustme.CA()
    offered = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(offered)
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)

    async def run() -> Delivery:
        at_once = changed.get("security") == "tls"
        async with listening(host, offered if offers_tls else None, at_once=at_once):
            server = replace(server_at(host.port), **changed)  # type: ignore[arg-type]
            return await MailSender(server, lambda: trusted, lambda: NOW).send(QUOTED, KEY)

    return asyncio.run(run())


def test_a_mail_arrives_whole() -> None:
    host = MailHost()
    delivery = deliver(host)
    assert delivery.result is DeliveryResult.DELIVERED
    (mail,) = host.mails
    assert mail["Subject"] == QUOTED.first_line
    assert mail["To"] == "a@example.org, b@example.org"
    assert mail["Message-ID"] == f"<{KEY}@example.org>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Date"] == "Tue, 12 May 2026 02:14:00 +0000"
    body = mail.get_content()
    assert body.splitlines()[0] == QUOTED.first_line
    assert "| für 30 Tage\n   | .\n   | QUIT" in body.replace("\r\n", "\n")
    assert host.recipients == ["a@example.org", "b@example.org"]


def test_starttls_encrypts_and_the_password_crosses_only_then() -> None:
    host = MailHost()
    delivery = deliver(host, security="starttls", user="w", password="s3cret")
    assert delivery.result is DeliveryResult.DELIVERED
    assert host.logins == [(b"s3cret", True)]


def test_tls_from_the_first_byte() -> None:
    host = MailHost()
    assert deliver(host, security="tls").result is DeliveryResult.DELIVERED
    assert len(host.mails) == 1


def test_a_server_without_starttls_gets_nothing() -> None:
    host = MailHost()
    delivery = deliver(host, offers_tls=False, security="starttls", user="w", password="s3cret")
    assert delivery.result is DeliveryResult.RETRY
    assert "port and security" in delivery.detail
    assert not host.mails
    assert not host.logins
    assert not host.recipients


def test_a_certificate_that_is_not_trusted_gets_nothing() -> None:
    host = MailHost()

    async def run() -> Delivery:
        offered = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trustme.CA().issue_cert("127.0.0.1").configure_cert(offered)
        async with listening(host, offered, at_once=False):
            server = replace(server_at(host.port), security="starttls")
            return await MailSender(server).send(MESSAGE, KEY)

    delivery = asyncio.run(run())
    assert delivery.result is DeliveryResult.RETRY
    assert "certificate" in delivery.detail.lower()
    assert not host.mails


@pytest.mark.parametrize(
    ("replies", "result", "said"),
    [
        ({"MAIL": "451 later"}, DeliveryResult.RETRY, "451"),
        ({"MAIL": "550 who are you"}, DeliveryResult.DEAD, "550"),
        ({"MAIL": "530 Authentication required"}, DeliveryResult.RETRY, "check the user"),
        ({"RCPT": "450 greylisted"}, DeliveryResult.RETRY, "450"),
        ({"RCPT": "550 nobody here"}, DeliveryResult.DEAD, "550 (nobody here)"),
        ({"DATA": "452 disk full"}, DeliveryResult.RETRY, "452"),
        ({"DATA": "554 looks like spam"}, DeliveryResult.DEAD, "554"),
        ({"MAIL": HANG_UP}, DeliveryResult.RETRY, "could not be reached"),
        ({"DATA": HANG_UP}, DeliveryResult.RETRY, "could not be reached"),
    ],
)
def test_refusals_are_final_or_not_as_the_server_says(
    replies: dict[str, str], result: DeliveryResult, said: str
) -> None:
    host = MailHost(replies)
    delivery = deliver(host)
    assert delivery.result is result
    assert said in delivery.detail
    assert not host.mails


def says(greeting: bytes) -> Reply:
    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        await writer.drain()

    return reply


@pytest.mark.parametrize(
    ("behaviour", "result", "said"),
    [
        (says(b"421 too busy\r\n"), DeliveryResult.RETRY, "421"),
        (says(b"554 go away\r\n"), DeliveryResult.RETRY, "554"),
        (says(b"HTTP/1.1 400 Bad Request\r\n"), DeliveryResult.RETRY, "does not speak SMTP"),
        (says(b"\xff\x00" * 40_000), DeliveryResult.RETRY, "127.0.0.1"),
        (drop, DeliveryResult.RETRY, "could not be reached"),
        (silence, DeliveryResult.RETRY, "took more than"),
    ],
)
def test_a_greeting_that_is_none_is_judged(
    behaviour: Reply, result: DeliveryResult, said: str
) -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await behaviour(writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def run() -> Delivery:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        try:
            there = server_at(server.sockets[0].getsockname()[1])
            return await MailSender(replace(there, timeout_seconds=0.5)).send(MESSAGE, KEY)
        finally:
            server.close()

    delivery = asyncio.run(run())
    assert delivery.result is result
    assert said in delivery.detail


def test_a_wrong_password_is_a_persons_to_mend() -> None:
    host = MailHost({"AUTH": "no"})
    delivery = deliver(host, security="starttls", user="w", password="s3cret")
    assert delivery.result is DeliveryResult.RETRY
    assert "check the user and the password" in delivery.detail
    assert "s3cret" not in delivery.detail


@pytest.mark.parametrize("when", ["MAIL", "DATA"])
def test_a_silent_server_is_cut_off(when: str) -> None:
    delivery = deliver(MailHost({when: SILENCE}), timeout_seconds=0.5)
    assert delivery.result is DeliveryResult.RETRY


def test_a_server_that_is_not_there_is_tried_again() -> None:
    host = MailHost()
    deliver(host)
    delivery = asyncio.run(MailSender(server_at(host.port)).send(MESSAGE, KEY))
    assert delivery.result is DeliveryResult.RETRY
    assert "could not be reached" in delivery.detail


def test_nothing_quoted_can_forge_a_header() -> None:
    hostile = replace(MESSAGE, title="x\r\nBcc: everybody@example.org\r\n\r\nbody")
    raw = mail_message(hostile, KEY, server_at(25), NOW).as_bytes()
    head = raw.partition(b"\r\n\r\n")[0]
    assert b"\r\nBcc:" not in head
    assert email.message_from_bytes(raw, policy=email.policy.default)["Bcc"] is None
