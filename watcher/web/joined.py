"""An answer's head and body in one write: the second costs as much as a resolution."""

from __future__ import annotations

import asyncio
from typing import Any

_HEAD, _END = b"HTTP/1.1 ", b"\r\n\r\n"
_WAIT_SECONDS = 0.01
"""So long a head waits for its body: that of a stream may come late."""


class Joined:
    """A transport that keeps the head of an answer back until its body comes."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""
        self._timer: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - all the rest is the transport's
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write `data`, or keep it for the next write if it is a head alone."""
        whole = self._take() + data
        if data.startswith(_HEAD) and data.endswith(_END):
            self._head = whole
            self._timer = self._loop.call_later(_WAIT_SECONDS, self._flush)
        else:
            self._transport.write(whole)

    def close(self) -> None:
        """Write what was kept, then close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._head:
            self._transport.write(self._take())

    def _take(self) -> bytes:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        head, self._head = self._head, b""
        return head
