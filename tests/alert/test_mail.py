"""E-mail against an SMTP server on loopback that behaves as told."""

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

from watcher.alert.delivery import Delivery, DeliveryResult
from watcher.alert.mail import MailSender, MailServer, mail_message
from watcher.alert.message import AlertMessage, Excerpt, Passage
from watcher.domain.changes import ChangeClass, Severity, Tier
from watcher.domain.ids import DocumentId, VersionId

OLD, NEW = VersionId("sha256:" + "a" * 64), VersionId("sha256:" + "b" * 64)
KEY = "wa1-0123456789"
NOW = datetime(2026, 5, 12, 2, 14, tzinfo=UTC)
MESSAGE = AlertMessage(
    change_id="c" * 64,
    document_id=DocumentId("retention-policy"),
    title="Grundsätze",
    owner="legal",
    change_class=ChangeClass.POLICY_BEARING,
    tier=Tier.PAGE,
    severity=Severity.PAGE,
    headline="30 days became 90 days",
    reasons=("a duration changed",),
    facets=("duration",),
    from_version=OLD,
    to_version=NEW,
    excerpts=(
        Excerpt(Passage(OLD, 1, 0, 7, "für 30 Tage\n.\nQUIT"), None, ChangeClass.POLICY_BEARING),
    ),
    citations=(),
    observed_at="2026-05-12T02:13:00Z",
    link="https://watcher.example.org/changes/cc",
)
SILENCE = "silence"
HANG_UP = "hang up"


@dataclass
class MailHost:
    """What was received, and the replies that differ from a friendly server's."""

    replies: dict[str, str] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)
    encrypted: bool = False
    port: int = 0
    offers: tuple[str, ...] = ()

    async def serve(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        tls: ssl.SSLContext | None,
    ) -> None:
        await self.say(writer, "greeting", "220 mx.example.org")
        while line := await reader.readline():
            command = line.decode().strip()
            verb = command.split(":")[0].split(" ")[0].upper()
            self.commands.append(command)
            if verb == "EHLO":
                extensions = "".join(f"250-{offer}\r\n" for offer in self.offers)
                await self.say(writer, verb, f"250-mx.example.org\r\n{extensions}250 ok")
            elif verb == "STARTTLS":
                assert tls is not None
                await self.say(writer, verb, "220 go on")
                await writer.start_tls(tls)
                self.encrypted = True
            elif verb == "DATA":
                await self.say(writer, verb, "354 go on")
                if verb not in self.replies:
                    await self.take(reader, writer)
            elif verb == "QUIT":
                await self.say(writer, verb, "221 bye")
                return
            else:
                await self.say(writer, verb, "250 ok" if verb != "AUTH" else "235 ok")

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = []
        while (line := await reader.readline()) not in {b".\r\n", b""}:
            lines.append(line[1:] if line.startswith(b"..") else line)
        if "end" not in self.replies:
            parsed = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
            assert isinstance(parsed, EmailMessage)
            self.mails.append(parsed)
        await self.say(writer, "end", "250 taken")

    async def say(self, writer: asyncio.StreamWriter, when: str, friendly: str) -> None:
        reply = self.replies.get(when, friendly)
        if reply == SILENCE:
            await asyncio.Event().wait()
        if reply == HANG_UP:
            writer.close()
            return
        writer.write(f"{reply}\r\n".encode())
        await writer.drain()


@asynccontextmanager
async def listening(
    host: MailHost, tls: ssl.SSLContext | None, *, at_once: bool
) -> AsyncIterator[None]:
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await host.serve(reader, writer, tls)
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls if at_once else None)
    host.port = server.sockets[0].getsockname()[1]
    try:
        yield
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def server_at(port: int) -> MailServer:
    return MailServer(
        host="127.0.0.1",
        port=port,
        security="none",
        timeout_seconds=5,
        sender="watcher@example.org",
        recipients=("a@example.org", "b@example.org"),
    )


def deliver(host: MailHost, **changed: object) -> Delivery:
    """Send MESSAGE to `host`; `changed` are fields of the server's settings."""
    authority = trustme.CA()
    offered = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(offered)
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)

    async def run() -> Delivery:
        async with listening(host, offered, at_once=changed.get("security") == "tls"):
            server = replace(server_at(host.port), **changed)  # type: ignore[arg-type]
            return await MailSender(server, lambda: trusted, lambda: NOW).send(MESSAGE, KEY)

    return asyncio.run(run())


def test_a_mail_arrives_whole() -> None:
    host = MailHost()
    delivery = deliver(host)
    assert delivery.result is DeliveryResult.DELIVERED
    (mail,) = host.mails
    assert mail["Subject"] == MESSAGE.first_line
    assert mail["To"] == "a@example.org, b@example.org"
    assert mail["Message-ID"] == f"<{KEY}@example.org>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Date"] == "Tue, 12 May 2026 02:14:00 +0000"
    body = mail.get_content()
    assert body.splitlines()[0] == MESSAGE.first_line
    assert "| für 30 Tage\n   | .\n   | QUIT" in body.replace("\r\n", "\n")
    recipients = [line for line in host.commands if line.upper().startswith("RCPT")]
    assert len(recipients) == 2


def test_starttls_encrypts_and_the_password_crosses_only_then() -> None:
    host = MailHost(offers=("STARTTLS", "AUTH PLAIN"))
    delivery = deliver(host, security="starttls", user="w", password="s3cret")
    assert delivery.result is DeliveryResult.DELIVERED
    assert host.encrypted
    verbs = [line.split()[0].upper() for line in host.commands]
    assert verbs.index("STARTTLS") < verbs.index("AUTH")


def test_tls_from_the_first_byte() -> None:
    host = MailHost()
    assert deliver(host, security="tls").result is DeliveryResult.DELIVERED
    assert len(host.mails) == 1


def test_a_server_without_starttls_gets_nothing() -> None:
    host = MailHost(offers=("AUTH PLAIN",))
    delivery = deliver(host, security="starttls", user="w", password="s3cret")
    assert delivery.result is DeliveryResult.RETRY
    assert "port and security" in delivery.detail
    assert not host.mails
    assert not [line for line in host.commands if line.upper().startswith(("AUTH", "MAIL"))]


def test_a_certificate_that_is_not_trusted_gets_nothing() -> None:
    host = MailHost(offers=("STARTTLS",))

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
        ({"greeting": "421 too busy"}, DeliveryResult.RETRY, "421"),
        ({"greeting": "554 go away"}, DeliveryResult.DEAD, "554"),
        ({"MAIL": "451 later"}, DeliveryResult.RETRY, "451"),
        ({"MAIL": "550 who are you"}, DeliveryResult.DEAD, "550"),
        ({"RCPT": "450 greylisted"}, DeliveryResult.RETRY, "450"),
        ({"RCPT": "550 nobody here"}, DeliveryResult.DEAD, "550 (nobody here)"),
        ({"DATA": "452 disk full"}, DeliveryResult.RETRY, "452"),
        ({"end": "554 looks like spam"}, DeliveryResult.DEAD, "554"),
        ({"MAIL": HANG_UP}, DeliveryResult.RETRY, "could not be reached"),
        ({"greeting": HANG_UP}, DeliveryResult.RETRY, "could not be reached"),
        ({"greeting": "HTTP/1.1 400 Bad Request"}, DeliveryResult.RETRY, "does not speak SMTP"),
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


def test_a_wrong_password_is_a_persons_to_mend() -> None:
    host = MailHost({"AUTH": "535 no"}, offers=("STARTTLS", "AUTH PLAIN LOGIN"))
    delivery = deliver(host, security="starttls", user="w", password="s3cret")
    assert delivery.result is DeliveryResult.RETRY
    assert "check the user and the password" in delivery.detail
    assert "s3cret" not in delivery.detail


@pytest.mark.parametrize("when", ["greeting", "MAIL", "end"])
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
