"""Length-prefixed frames over a stream socket."""

from __future__ import annotations

import socket
from enum import Enum

_PIECE = 1 << 20


class Kind(Enum):
    """What a frame holds."""

    JOB = b"J"
    DATA = b"D"
    READING = b"R"
    PLACE = b"P"
    PICTURE = b"I"
    EXIT = b"X"


class TooLargeError(Exception):
    """A frame is larger than the receiver wants."""


class StreamEndedError(Exception):
    """The other side went away, or said something that is no frame."""


def send(stream: socket.socket, kind: Kind, body: bytes) -> None:
    """Send one frame.

    Raises:
        OSError: the other side is gone.
    """
    stream.sendall(kind.value + len(body).to_bytes(8, "big"))
    stream.sendall(body)


def receive(stream: socket.socket, limit: int) -> tuple[Kind, bytes]:
    """Return the next frame of at most `limit` bytes.

    Raises:
        TooLargeError: it is larger.
        StreamEndedError: there is none.
    """
    head = _exactly(stream, 9)
    size = int.from_bytes(head[1:], "big")
    if size > limit:
        raise TooLargeError(f"{size} bytes, where {limit} are the limit")
    try:
        kind = Kind(head[:1])
    except ValueError as error:
        raise StreamEndedError(str(error)) from error
    return kind, _exactly(stream, size)


def _exactly(stream: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        try:
            piece = stream.recv(min(_PIECE, size - len(found)))
        except OSError as error:
            raise StreamEndedError(str(error)) from error
        if not piece:
            raise StreamEndedError("the other side closed the stream")
        found += piece
    return bytes(found)
