"""An origin whose documents change when it is told to; runs as its own process.

`/doc/NAME` is a policy of about 27 KB with an ETag. `/edition/N` sets the
edition that all of them have from then on, `/forget` and `/remember` whether
validators are honoured. `/slow/...` never answers. It listens on every loopback
address, so that documents may have many hosts, prints its port first, and ends
with its parent's pipe.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys

CLAUSES = 160
"""Clauses of a page: about 27 KB of HTML."""


def page(name: str, edition: int) -> bytes:
    """Return the edition of a document: one number in one clause differs from the last."""
    body = "".join(
        f"<p>{n}. Records of kind {n} held for {name} are kept for"
        f" {30 + (edition if n == CLAUSES // 2 else n)} days after the end of the contract, and"
        " are then deleted from every system.</p>\n"
        for n in range(CLAUSES)
    )
    return (
        f"<!doctype html><html lang=en><head><title>Policy {name}</title></head>"
        f"<body><main><h1>Retention policy {name}</h1>\n{body}</main></body></html>"
    ).encode()


class Origin:
    """What the origin serves now."""

    def __init__(self) -> None:
        self.edition = 0
        self.honours = True

    def answer(self, path: str, head: bytes) -> bytes:
        """Return the whole response to a request."""
        _, kind, *name = path.split("/")
        if kind == "edition":
            self.edition = int(name[0])
        if kind in ("forget", "remember"):
            self.honours = kind == "remember"
        body = page(name[0], self.edition) if kind == "doc" else b"ok"
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if self.honours and etag.encode() in head:
            return f"HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n".encode()
        return (
            f"HTTP/1.1 200 OK\r\nETag: {etag}\r\nContent-Type: text/html; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests on one connection until it ends."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode()
                if path.startswith("/slow"):
                    await asyncio.sleep(3600)
                writer.write(self.answer(path, head))
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
            writer.close()


async def main() -> None:
    """Serve until standard input closes."""
    server = await asyncio.start_server(Origin().serve, "0.0.0.0", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
