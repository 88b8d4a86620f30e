"""Alerts as e-mail."""

from __future__ import annotations

import asyncio
import contextlib
import smtplib
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Literal

from watcher.alert.delivery import Delivery, DeliveryResult
from watcher.alert.render import Message, one_line, render_text

_LONGEST_SUBJECT = 180
_WANTS_LOGIN = (530, 534, 535, 538)
"""Authentication is asked for (RFC 4954, 6): a person can mend that."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail goes, how it is encrypted, and who sends it."""

    host: str
    port: int
    security: Literal["starttls", "tls", "none"]
    timeout_seconds: float
    sender: str
    recipients: tuple[str, ...]
    user: str = ""
    password: str | None = None


class MailSender:
    """Sends one plain-text message for each delivery.

    Its Message-ID is made of the delivery's key, so that a mailbox shows a
    repeat once.
    """

    def __init__(
        self,
        server: MailServer,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._server = server
        self._tls = tls
        self._now = now

    async def send(self, message: Message, key: str) -> Delivery:
        """Make one attempt in a thread; it is cut off when its time is over."""
        mail = mail_message(message, key, self._server, self._now())
        opened: list[smtplib.SMTP] = []
        try:
            async with asyncio.timeout(self._server.timeout_seconds):
                return await asyncio.to_thread(self._attempt, mail, opened)
        except TimeoutError:
            return _retry(f"{self._server.host} took more than {self._server.timeout_seconds:g} s")
        finally:
            _cut_off(opened)

    def _attempt(self, mail: EmailMessage, opened: list[smtplib.SMTP]) -> Delivery:
        host = self._server.host
        try:
            return self._converse(mail, opened)
        except smtplib.SMTPRecipientsRefused as error:
            return _refused(host, max(error.recipients.values(), key=lambda answer: answer[0]))
        except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
            return _refused(host, (error.smtp_code, error.smtp_error))
        except smtplib.SMTPResponseException as error:
            # The greeting, HELO or STARTTLS: it refuses us, not this message. smtplib
            # also makes such an answer up for a line that is too long for SMTP.
            login = isinstance(error, smtplib.SMTPAuthenticationError)
            said = "check the user and the password" if login else error.smtp_error
            return _retry(_said(host, (error.smtp_code, said)))
        except smtplib.SMTPNotSupportedError as error:
            return _retry(f"{host}: {error} Check the channel's port and security")
        except (smtplib.SMTPException, OSError) as error:
            return _retry(f"{host} could not be reached: {one_line(str(error), 160)}")

    def _converse(self, mail: EmailMessage, opened: list[smtplib.SMTP]) -> Delivery:
        server = self._server
        with contextlib.closing(self._connect(opened)) as smtp:
            if server.security == "starttls":
                smtp.starttls(context=self._tls())
            if server.password is not None:
                smtp.login(server.user, server.password)
            refused = smtp.send_message(mail)
        detail = f"{server.host} took it"
        if refused:
            detail += f", but refused it for {', '.join(refused)}"
        return Delivery(DeliveryResult.DELIVERED, detail)

    def _connect(self, opened: list[smtplib.SMTP]) -> smtplib.SMTP:
        server = self._server
        if server.security == "tls":
            return _TlsClient(opened, server, self._tls())
        return _Client(opened, server)


class _Client(smtplib.SMTP):
    """Is known to the one who may have to cut it off before it connects."""

    def __init__(self, opened: list[smtplib.SMTP], server: MailServer) -> None:
        opened.append(self)
        super().__init__(server.host, server.port, timeout=server.timeout_seconds)


class _TlsClient(smtplib.SMTP_SSL):
    """The same, encrypted from the first byte."""

    def __init__(
        self, opened: list[smtplib.SMTP], server: MailServer, context: ssl.SSLContext
    ) -> None:
        opened.append(self)
        super().__init__(server.host, server.port, timeout=server.timeout_seconds, context=context)


def mail_message(message: Message, key: str, server: MailServer, now: datetime) -> EmailMessage:
    """Return the message; no header can be forged by what an alert quotes."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = server.sender
    mail["To"] = ", ".join(server.recipients)
    mail["Subject"] = one_line(message.first_line, _LONGEST_SUBJECT)
    mail["Date"] = format_datetime(now)
    mail["Message-ID"] = f"<{key}@{server.sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail["X-Watcher-Severity"] = message.severity.value
    mail.set_content(render_text(message, key))
    return mail


def _refused(host: str, answer: tuple[int, bytes | str]) -> Delivery:
    """Judge a refusal: 5yz is final for this message, all else may pass (RFC 5321, 4.2.1)."""
    code, detail = answer[0], _said(host, answer)
    if code in _WANTS_LOGIN:
        return _retry(f"{detail}: check the user and the password")
    if 500 <= code < 600:
        return Delivery(DeliveryResult.DEAD, f"{detail}: it refuses this message")
    return _retry(detail)


def _said(host: str, answer: tuple[int, bytes | str]) -> str:
    code, said = answer
    if code < 0:
        return f"{host} does not speak SMTP: check the channel's host and port"
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{host} answered {code} ({one_line(text, 160)})"


def _cut_off(opened: list[smtplib.SMTP]) -> None:
    """End a conversation whose thread still waits for the server."""
    for smtp in opened:
        with contextlib.suppress(OSError, AttributeError):
            if smtp.sock is not None:
                smtp.sock.shutdown(socket.SHUT_RDWR)


def _retry(detail: str) -> Delivery:
    return Delivery(DeliveryResult.RETRY, detail)
