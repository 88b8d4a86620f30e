"""A cheap origin in a process of its own, so that its CPU is not counted as ours.

It serves one 27 KB policy page under every path and answers 304 to its ETag.
`/slow/...` never answers. It prints its port and ends with its parent's pipe.
"""

from __future__ import annotations

import asyncio
import gzip
import sys

SENTENCE = "Access logs of service {n} are kept for {d} days and then deleted from every system. "
PAGE = (
    "<!doctype html><html lang=en><head><title>Retention policy</title></head><body><main>"
    + "".join(f"<p>{SENTENCE.format(n=n, d=n % 90)}</p>" for n in range(290))
    + "</main></body></html>"
).encode()
PACKED = gzip.compress(PAGE, mtime=0)
ETAG = '"v1"'
_HEAD = "HTTP/1.1 {status}\r\nETag: " + ETAG + "\r\nContent-Length: {size}\r\n{more}\r\n"
NOT_MODIFIED = _HEAD.format(status="304 Not Modified", size=0, more="").encode()
WHOLE = (
    _HEAD.format(
        status="200 OK",
        size=len(PACKED),
        more="Content-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n",
    ).encode()
    + PACKED
)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer requests on one connection until it ends."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET /slow"):
                await asyncio.sleep(3600)
            known = b"if-none-match: " + ETAG.encode() in head.lower()
            writer.write(NOT_MODIFIED if known else WHOLE)
            await writer.drain()
    except (asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
        writer.close()


async def main() -> None:
    """Listen on every loopback address until standard input closes."""
    server = await asyncio.start_server(serve, "0.0.0.0", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
