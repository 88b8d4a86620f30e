"""WARC files (ISO 28500): the archived answers for one URL.

Read as a stream, record by record, gzip members too; only the records of the
wanted URL are ever held whole, and every size has a bound.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from watcher.domain.annotations import normalised_target
from watcher.fetch.bodies import Body
from watcher.fetch.model import Limits, RefusedError
from watcher.fetch.redaction import stored_headers
from watcher.fetch.urls import shown
from watcher.pipeline.history.model import MAX_BYTES, MAX_STATES, HistoryError, LeftOut, Past

_LINE = 64 * 1024
_HEADER_LINES = 200
_STEP = 1024 * 1024
_MAX_TOTAL = 16 * 1024 * 1024 * 1024
"""Unpacked bytes of one file, skipped ones included: a bomb costs no more than this."""
_LIMITS = Limits(raw_bytes=MAX_BYTES, decoded_bytes=MAX_BYTES)


class _DamagedError(Exception):
    """The stream cannot be read any further."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A record's headers (names in lower case) and where it stands in the file."""

    number: int
    headers: dict[str, str]

    @property
    def where(self) -> str:
        """The record for people."""
        return f"record {self.number} ({self.headers.get('warc-date', 'undated')})"


def warc_states(file: Path, url: str) -> Iterator[Past | LeftOut]:
    """Yield every archived answer of `url` with status 200, in the file's order.

    URLs are compared without fragment, default port and tracking parameters.
    Records that repeat an earlier answer (`revisit`) hold no bytes and are
    left out, and so are other statuses, with a word about each. Damage ends
    the reading with a word; what stands before it is given.

    Raises:
        HistoryError: before anything is yielded, where it is no WARC file.
    """
    try:
        stream = file.open("rb")
        start = stream.peek(2)[:2]
    except OSError as error:
        raise HistoryError(f"{file} cannot be read: {error.strerror}", hint="name a file") from None
    unpacked = cast("BinaryIO", gzip.GzipFile(fileobj=stream) if start == b"\x1f\x8b" else stream)
    try:
        first = unpacked.readline(_LINE)
    except (OSError, EOFError, zlib.error):
        first = b""
    if not first.startswith(b"WARC/1."):
        stream.close()
        raise HistoryError(f"{file} is no WARC file", hint="name a .warc or .warc.gz file")
    return _states(stream, unpacked, _key(url))


def _states(stream: BinaryIO, unpacked: BinaryIO, wanted: str) -> Iterator[Past | LeftOut]:
    number, given, left = 1, 0, _MAX_TOTAL
    with stream:
        try:
            while True:
                record = _Record(number, _headers(unpacked))
                length = _length(record, left)
                left -= length
                if _key(record.headers.get("warc-target-uri", "")) != wanted:
                    _skip(unpacked, length)
                elif length > MAX_BYTES:
                    _skip(unpacked, length)
                    yield LeftOut(record.where, f"it is larger than {MAX_BYTES} bytes")
                else:
                    state = _state(record, _exactly(unpacked, length))
                    if state is not None:
                        given += 1
                        yield state
                if given >= MAX_STATES or not _next(unpacked):
                    return
                number += 1
        except (_DamagedError, OSError, EOFError, zlib.error) as error:
            yield LeftOut(f"record {number}", f"the file is damaged from here on: {error}")


def _key(url: str) -> str:
    return normalised_target(url.strip().strip("<>").partition("#")[0])


def _headers(stream: BinaryIO) -> dict[str, str]:
    headers: dict[str, str] = {}
    for _ in range(_HEADER_LINES):
        line = stream.readline(_LINE)
        if line in (b"\r\n", b"\n"):
            return headers
        name, colon, value = line.decode("utf-8", "replace").partition(":")
        if not colon or not line.endswith(b"\n"):
            raise _DamagedError("a record's headers do not end")
        headers[name.strip().lower()] = value.strip()
    raise _DamagedError("a record has too many headers")


def _length(record: _Record, left: int) -> int:
    text = record.headers.get("content-length", "")
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise _DamagedError("a record has no length")
    if int(text) > left:
        raise _DamagedError("it unpacks to more than is read")
    return int(text)


def _skip(stream: BinaryIO, length: int) -> None:
    while length:
        part = stream.read(min(length, _STEP))
        if not part:
            raise _DamagedError("it ends within a record")
        length -= len(part)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    block = stream.read(length)
    if len(block) != length:
        raise _DamagedError("it ends within a record")
    return block


def _next(stream: BinaryIO) -> bool:
    """Read up to the line that begins the next record; False at the file's end."""
    for _ in range(16):
        line = stream.readline(_LINE)
        if not line:
            return False
        if line.startswith(b"WARC/1."):
            return True
        if line.strip():
            break
    raise _DamagedError("no record begins where one should")


def _state(record: _Record, block: bytes) -> Past | LeftOut | None:
    """Return what a record of the wanted URL holds; None for requests and descriptions."""
    kind = record.headers.get("warc-type", "").lower()
    if kind == "revisit":
        return LeftOut(record.where, "it repeats an earlier answer and holds no bytes")
    if kind != "response":
        return None
    if "warc-truncated" in record.headers:
        return LeftOut(record.where, "its answer was cut when it was archived")
    if not _intact(record, block):
        return LeftOut(record.where, "its bytes do not fit their digest")
    try:
        moment = datetime.fromisoformat(record.headers.get("warc-date", "")).astimezone(UTC)
    except (ValueError, OverflowError):
        return LeftOut(record.where, "its date cannot be read")
    return _answer(record, moment, block)


def _intact(record: _Record, block: bytes) -> bool:
    """Tell whether the block fits its SHA-1 digest, where the record carries one."""
    algorithm, _, digest = record.headers.get("warc-block-digest", "").partition(":")
    if algorithm.lower() != "sha1":
        return True
    found = hashlib.sha1(block, usedforsecurity=False).digest()
    return digest.upper() in (base64.b32encode(found).decode(), found.hex().upper())


def _answer(record: _Record, moment: datetime, block: bytes) -> Past | LeftOut:
    url = shown(record.headers["warc-target-uri"].strip("<>"))
    try:
        response = HTTPResponse(_Archived(block))  # type: ignore[arg-type]
        response.begin()
        body = response.read()
        if response.status != 200:
            return LeftOut(record.where, f"its status is {response.status}")
        decoded = Body(response.getheader("content-encoding", ""), _LIMITS, url)
        decoded.feed(body)
        whole = decoded.finish()
    except (HTTPException, ValueError, OSError) as error:
        return LeftOut(record.where, f"its answer cannot be read: {type(error).__name__}")
    except RefusedError as error:
        return LeftOut(record.where, error.verdict.message)
    return Past(
        record.where,
        moment,
        url,
        whole,
        response.getheader("content-type", ""),
        response.status,
        stored_headers(response.getheaders(), ()),
    )


class _Archived:
    """A block in the place of the socket from which an answer is parsed."""

    def __init__(self, block: bytes) -> None:
        self._block = block

    def makefile(self, mode: str) -> BytesIO:  # noqa: ARG002 - a socket's signature
        return BytesIO(self._block)
