"""Response bodies: bounded decoding with a required end of stream.

The client library's own decoders hand out 64 MB before a cap is seen and
accept a truncated gzip body without a word, so the raw bytes are decoded
here, in steps, by decoders that know where their stream ends.
"""

from __future__ import annotations

import sys
import zlib
from typing import Any, Protocol

import brotli  # type: ignore[import-untyped]

from watcher.domain.verdicts import Refusal
from watcher.fetch.model import Limits, RefusedError, refused

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPT_ENCODING = "gzip, br, zstd"
"""`deflate` is understood, but not asked for: servers mean two things by it."""

_STEP = 256 * 1024
"""Decoded bytes that are asked for at once: what a bomb costs beyond the cap."""

_ZSTD_WINDOW_LOG = 23
"""RFC 9659: a zstd body on the web must not need a window over 8 MB."""


class _Decoder(Protocol):
    """One content coding."""

    def feed(self, data: bytes, limit: int) -> list[bytes]:
        """Return what `data` unpacks to; stops soon after `limit` bytes."""
        ...

    @property
    def finished(self) -> bool:
        """Tell whether the stream came to its own end."""
        ...


class _Identity:
    finished = True

    def feed(self, data: bytes, limit: int) -> list[bytes]:  # noqa: ARG002
        return [data]


class _Zlib:
    """gzip (several members too) and deflate (with or without zlib's header)."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._inner = zlib.decompressobj(wbits)
        self._started = False
        self.finished = False

    def _restart(self, wbits: int) -> None:
        self._wbits = wbits
        self._inner = zlib.decompressobj(wbits)

    def feed(self, data: bytes, limit: int) -> list[bytes]:
        if not self._started and data:
            self._started = True
            if self._wbits == zlib.MAX_WBITS and not _has_zlib_header(data):
                self._restart(-zlib.MAX_WBITS)
        parts: list[bytes] = []
        size = 0
        while data and size <= limit:
            if self._inner.eof:
                if not data.startswith(b"\x1f\x8b"):
                    break  # padding after the end, which browsers ignore too
                self._restart(self._wbits)
            part = self._inner.decompress(data, _STEP)
            size += len(part)
            parts.append(part)
            data = self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail
        self.finished = self._inner.eof
        return parts


def _has_zlib_header(data: bytes) -> bool:
    return data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)


class _Brotli:
    def __init__(self) -> None:
        self._inner: Any = brotli.Decompressor()

    @property
    def finished(self) -> bool:
        return bool(self._inner.is_finished())

    def feed(self, data: bytes, limit: int) -> list[bytes]:
        parts: list[bytes] = []
        size = 0
        if self.finished:
            return parts
        while size <= limit:
            part = self._inner.process(data, output_buffer_limit=_STEP)
            data = b""
            size += len(part)
            parts.append(part)
            if self._inner.is_finished() or self._inner.can_accept_more_data():
                break
        return parts


class _Zstd:
    """zstd, several frames in a row too."""

    def __init__(self) -> None:
        self._restart()

    def _restart(self) -> None:
        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
        self._inner = zstd.ZstdDecompressor(options=options)

    @property
    def finished(self) -> bool:
        return self._inner.eof

    def feed(self, data: bytes, limit: int) -> list[bytes]:
        parts: list[bytes] = []
        size = 0
        while size <= limit:
            if self._inner.eof:
                if not data:
                    break
                self._restart()
            part = self._inner.decompress(data, _STEP)
            size += len(part)
            parts.append(part)
            data = self._inner.unused_data if self._inner.eof else b""
            if not self._inner.eof and self._inner.needs_input:
                break
        return parts


def _decoder(coding: str) -> _Decoder | None:
    if coding in ("", "identity"):
        return _Identity()
    if coding in ("gzip", "x-gzip"):
        return _Zlib(31)
    if coding == "deflate":
        return _Zlib(zlib.MAX_WBITS)
    if coding == "br":
        return _Brotli()
    if coding == "zstd":
        return _Zstd()
    return None


class Body:
    """A body as it arrives: fed with raw bytes, bounded in both sizes.

    Raises `RefusedError` from its methods: `too_large` over a cap,
    `decode_error` where the bytes are not what Content-Encoding says,
    `truncated` where the coded stream does not reach its own end.
    """

    def __init__(self, coding: str, limits: Limits, shown_url: str) -> None:
        self._coding = coding.strip().lower()
        self._limits = limits
        self._url = shown_url
        self._parts: list[bytes] = []
        self._size = 0
        self.raw_bytes = 0
        decoder = _decoder(self._coding)
        if decoder is None:
            raise RefusedError(
                refused(
                    Refusal.DECODE_ERROR,
                    f"{shown_url} sent a body coded as {self._coding[:60]!r}",
                    "the site must send one of gzip, deflate, br, zstd, or no coding",
                    ("content_encoding", self._coding[:60]),
                )
            )
        self._decoder = decoder

    def feed(self, chunk: bytes) -> None:
        """Take the next raw bytes."""
        self.raw_bytes += len(chunk)
        if self.raw_bytes > self._limits.raw_bytes:
            raise self._too_large("on the wire", self._limits.raw_bytes)
        try:
            parts = self._decoder.feed(chunk, self._limits.decoded_bytes - self._size)
        except (zlib.error, brotli.error, zstd.ZstdError, EOFError) as error:
            raise self._undecodable(error) from None
        for part in parts:
            self._size += len(part)
            self._parts.append(part)
        if self._size > self._limits.decoded_bytes:
            raise self._too_large("unpacked", self._limits.decoded_bytes)

    def finish(self) -> bytes:
        """Return the whole decoded body."""
        if self.raw_bytes and not self._decoder.finished:
            raise RefusedError(
                refused(
                    Refusal.TRUNCATED,
                    f"{self._url}: the {self._coding} body stops before its end",
                    "nothing to do unless it lasts; then the site or a proxy cuts its answers",
                    ("content_encoding", self._coding),
                    ("raw_bytes", self.raw_bytes),
                    ("decoded_bytes", self._size),
                )
            )
        return b"".join(self._parts)

    def _too_large(self, where: str, limit: int) -> RefusedError:
        return RefusedError(
            refused(
                Refusal.TOO_LARGE,
                f"{self._url}: the body is over {limit} bytes {where}",
                "raise the document's size limit if it really is that large",
                ("raw_bytes", self.raw_bytes),
                ("decoded_bytes_at_least", self._size),
                ("limit", limit),
            )
        )

    def _undecodable(self, error: Exception) -> RefusedError:
        return RefusedError(
            refused(
                Refusal.DECODE_ERROR,
                f"{self._url}: the body is not the {self._coding} that its header says ({error})",
                "nothing to do unless it lasts; then the site or a proxy mislabels its answers",
                ("content_encoding", self._coding),
                ("raw_bytes", self.raw_bytes),
            )
        )
