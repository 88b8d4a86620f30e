"""Conditional requests that cannot hide a change.

Only what the server itself sent goes back, byte for byte, and only to the URL
that sent it. Never If-Modified-Since beside an ETag: some servers then believe
the older of the two and answer 304 for a page that changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from watcher.fetch.model import Validators

_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')
_SUFFIX = re.compile(r"(?:[-;:](?:gzip|br|zstd|deflate|df))+$")
_MAX_LENGTH = 1024


def from_headers(headers: Mapping[str, str], final_url: str) -> Validators:
    """Return the validators that an answer carries, bound to `final_url` (shown form).

    A malformed ETag or date is not kept: it could not be sent back safely.
    """
    etag = headers.get("etag", "").strip()
    modified = headers.get("last-modified", "").strip()
    if len(etag) > _MAX_LENGTH or not _ETAG.fullmatch(etag):
        etag = ""
    if http_date(modified) is None:
        modified = ""
    return Validators(final_url, etag, modified)


def conditional_headers(validators: Validators | None, url: str) -> dict[str, str]:
    """Return the headers that make a request for `url` (shown form) conditional."""
    if validators is None or validators.final_url != url:
        return {}
    if validators.etag:
        return {"If-None-Match": validators.etag}
    if validators.last_modified:
        return {"If-Modified-Since": validators.last_modified}
    return {}


def same_etag(one: str, other: str) -> bool:
    """Compare two ETags weakly (RFC 9110, 8.8.3.2), without the suffix of a coding.

    Servers that compress on the fly write `"v1-gzip"` for the bytes of `"v1"`.
    """
    return bool(one) and _opaque(one) == _opaque(other)


def _opaque(etag: str) -> str:
    return _SUFFIX.sub("", etag.strip().removeprefix("W/").strip('"'))


def http_date(value: str) -> datetime | None:
    """Return an HTTP date (RFC 9110, 5.6.7) in UTC, or None where it is none."""
    if not value or len(value) > 64:
        return None
    try:
        parsed = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def contradicts(sent: Validators | None, answered: Validators) -> bool:
    """Tell whether a 304 names another ETag than the one that it was asked about."""
    if sent is None or not sent.etag or not answered.etag:
        return False
    return not same_etag(sent.etag, answered.etag)
