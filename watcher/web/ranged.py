"""Answering with bytes: the ETag is their hash, and a part may be asked for (RFC 9110, 14)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from watcher.web.problems import ApiError

_ONE_RANGE = re.compile(r"bytes=(?:(\d{1,19})-(\d{0,19})|-(\d{1,19}))")


def answer_bytes(
    request: Request, data: bytes, etag: str, media_type: str, headers: Mapping[str, str]
) -> Response:
    """Return `data`, the part of it that the request asks for, or 304.

    Several ranges, or one that has not the form, are answered with the whole,
    as the standard allows.

    Raises:
        ApiError: `range_not_satisfiable`: the range begins behind the end.
    """
    tag = f'"{etag}"'
    common = {**headers, "etag": tag, "accept-ranges": "bytes"}
    if _names(request.headers.get("if-none-match"), tag):
        return Response(None, HTTPStatus.NOT_MODIFIED, common)
    part = None
    if request.headers.get("if-range", tag) == tag:
        part = _part(request.headers.get("range", ""), len(data))
    if part is None:
        return Response(data, HTTPStatus.OK, common, media_type)
    start, end = part
    common["content-range"] = f"bytes {start}-{end - 1}/{len(data)}"
    return Response(data[start:end], HTTPStatus.PARTIAL_CONTENT, common, media_type)


def _names(header: str | None, tag: str) -> bool:
    """Tell whether an If-None-Match names `tag`; the comparison is the weak one."""
    if header is None:
        return False
    names = [name.strip().removeprefix("W/") for name in header.split(",")]
    return "*" in names or tag in names


def _part(header: str, size: int) -> tuple[int, int] | None:
    found = _ONE_RANGE.fullmatch(header.strip())
    if found is None:
        return None
    first, last, suffix = found.groups()
    if suffix is not None:
        start, end = max(0, size - int(suffix)), size
    else:
        start, end = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < int(first):
            return None
    if start >= end:
        raise ApiError(
            "range_not_satisfiable",
            f"it has {size} bytes",
            headers={"content-range": f"bytes */{size}"},
        )
    return start, end
