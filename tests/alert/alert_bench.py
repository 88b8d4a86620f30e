"""One alert to send, and a receiver on loopback that behaves as told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from watcher.alert.message import AlertMessage, Excerpt, Passage
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
