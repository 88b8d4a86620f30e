"""Response headers as they may be stored: no cookies, no credentials, no secrets of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable

from watcher.fetch.urls import shown

REDACTED = "[redacted]"

_SECRET_NAMES = re.compile(
    r"cookie|authoriz|authenticat|token|secret|session|csrf|xsrf|api-?key|password|credential"
)
_URL_NAMES = frozenset({"location", "content-location"})
_MAX_HEADERS = 100
_MAX_VALUE = 2048


def stored_headers(
    pairs: Iterable[tuple[str, str]], secrets: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Return at most 100 (lowercase name, value) pairs that hold nothing secret.

    Values of headers that carry credentials by name, and every value that
    repeats one of `secrets`, become `[redacted]`. Long values are cut.
    """
    known = [secret for secret in secrets if secret]
    stored = []
    for name, value in list(pairs)[:_MAX_HEADERS]:
        key = name.lower()
        hidden = _SECRET_NAMES.search(key) or any(secret in value for secret in known)
        safe = shown(value) if key in _URL_NAMES else value
        stored.append((key, REDACTED if hidden else safe[:_MAX_VALUE]))
    return tuple(stored)
