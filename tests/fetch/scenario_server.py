"""A loopback HTTP server that answers by path and step, and misbehaves on request.

It speaks HTTP/1.1 over raw sockets in a thread of its own, so that it can send
what no well-behaved server library would: bodies cut short, endless chunks,
drips, wrong lengths, garbage. Use it as

    with ScenarioServer() as server:
        server.play("/policy", Reply(body=b"<p>one</p>"), Reply(status=500))
        ... fetch server.url("/policy") twice ...

Each request for a path takes the next reply; the last one stays. A reply may
be a function of the request. `server.seen` holds every request in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class Seen:
    """One request: method, target as sent, headers (lowercase names), body."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer and the ways in which it is broken.

    `length` is what Content-Length says: None for the truth, -1 to leave it
    out. `cut` closes the connection after that many body bytes. `drip` sends
    that many bytes at a time with `pause` seconds between. `endless` repeats
    the body until the client goes. `raw` replaces everything.
    """

    status: int = 200
    body: bytes = b""
    content_type: str | None = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    length: int | None = None
    chunked: bool = False
    cut: int | None = None
    drip: int = 0
    pause: float = 0.05
    delay: float = 0.0
    endless: bool = False
    raw: bytes | None = None

    def with_headers(self, *headers: tuple[str, str]) -> Reply:
        return replace(self, headers=self.headers + headers)


Step = Reply | Callable[[Seen], Reply]


def conditional(reply: Reply, etag: str = "", last_modified: str = "") -> Callable[[Seen], Reply]:
    """Return a step that sends validators and answers 304 to their echo."""
    validators = tuple(
        (name, value) for name, value in (("ETag", etag), ("Last-Modified", last_modified)) if value
    )

    def answer(seen: Seen) -> Reply:
        given = seen.headers.get("if-none-match")
        since = seen.headers.get("if-modified-since")
        if (given and given == etag) or (not given and since and since == last_modified):
            return Reply(status=304, content_type=None, headers=validators)
        return reply.with_headers(*validators)

    return answer


@dataclass
class ScenarioServer:
    """The server; `tls` serves https with that context."""

    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"
    seen: list[Seen] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._steps: dict[str, list[Step]] = {}
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True, name="scenario-server")
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10), "the scenario server did not start"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(10)

    @property
    def origin(self) -> str:
        scheme = "https" if self.tls else "http"
        return f"{scheme}://{self.host}:{self.port}"

    def url(self, path: str) -> str:
        return self.origin + path

    def play(self, path: str, *steps: Step) -> str:
        """Answer requests for `path` with `steps` in order, the last for ever; return its URL."""
        assert steps
        with self._lock:
            self._steps[path] = list(steps)
        return self.url(path)

    def asked(self, path: str) -> list[Seen]:
        """Return the requests for `path` so far."""
        with self._lock:
            return [seen for seen in self.seen if seen.path == path]

    # --- the server's own thread ------------------------------------------

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._accept, self.host, 0, ssl=self.tls)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopping.wait()
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError, ValueError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(OSError, ssl.SSLError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection stays open."""
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {}
        for line in filter(None, lines):
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        seen = Seen(method, target, headers, body)
        reply = self._next(seen)
        if reply.delay:
            await asyncio.sleep(reply.delay)
        return await _send(writer, reply)

    def _next(self, seen: Seen) -> Reply:
        with self._lock:
            self.seen.append(seen)
            steps = self._steps.get(seen.path)
            if steps is None:
                return Reply(status=404, body=b"not here", content_type="text/plain")
            step = steps[0] if len(steps) == 1 else steps.pop(0)
        return step if isinstance(step, Reply) else step(seen)


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> bool:
    if reply.raw is not None:
        writer.write(reply.raw)
        await writer.drain()
        return False
    bodiless = reply.status in (204, 304) or 100 <= reply.status < 200
    lines = [f"HTTP/1.1 {reply.status} Scenario"]
    if reply.content_type is not None:
        lines.append(f"Content-Type: {reply.content_type}")
    if reply.chunked:
        lines.append("Transfer-Encoding: chunked")
    elif not bodiless and reply.length != -1:
        lines.append(f"Content-Length: {len(reply.body) if reply.length is None else reply.length}")
    lines += [f"{name}: {value}" for name, value in reply.headers]
    closing = reply.cut is not None or reply.length == -1 or reply.endless
    if closing:
        lines.append("Connection: close")
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    if not bodiless:
        await _send_body(writer, reply)
    await writer.drain()
    return not closing


async def _send_body(writer: asyncio.StreamWriter, reply: Reply) -> None:
    body = reply.body if reply.cut is None else reply.body[: reply.cut]
    size = reply.drip or max(1, len(body))
    while True:
        for at in range(0, len(body), size):
            part = body[at : at + size]
            writer.write(b"%x\r\n%b\r\n" % (len(part), part) if reply.chunked else part)
            await writer.drain()
            if reply.drip:
                await asyncio.sleep(reply.pause)
        if not reply.endless:
            break
    if reply.chunked and reply.cut is None:
        writer.write(b"0\r\n\r\n")
