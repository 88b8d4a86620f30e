"""Targets: parsing with no room for a second opinion, origins, and what may be shown."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, urlencode

import httpx

from watcher.domain.verdicts import Refusal
from watcher.fetch.model import RefusedError, refused

_DEFAULT_PORTS = {"http": 80, "https": 443}
_MAX_LENGTH = 8192
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")
_SECRET_NAME = re.compile(
    r"(?i)(^|[^a-z])(token|sig|signature|key|apikey|pass|passwd|password|pwd|secret|auth|code|"
    r"session|sid|sessionid|jwt|ticket|credential|credentials|hmac|policy-signature)([^a-z]|$)"
    r"|(?i:^x-(amz|goog|ms)-|^api_?key$|token$|^jsessionid$|^phpsessid$)"
)
_OPAQUE = re.compile(r"[A-Za-z0-9+/=_~.%-]{32,}")


def _refuse(message: str, hint: str) -> RefusedError:
    return RefusedError(refused(Refusal.BLOCKED_ADDRESS, message, hint))


def parse(value: str) -> httpx.URL:
    """Return `value` as a target that may be asked, without its fragment.

    Raises:
        RefusedError: not http or https, no host, a user name in it, or
            characters that two parsers read differently.
    """
    text = value.strip(" \t\r\n").replace(" ", "%20")
    if len(text) > _MAX_LENGTH or _UNSAFE.search(text):
        raise _refuse(
            f"{text[:60]!r} is not a URL that can be asked safely",
            "write the URL with / only, without control characters, in at most 8192 characters",
        )
    try:
        url = httpx.URL(text)
        host = url.host  # decodes punycode, and raises where there is none
    except (httpx.InvalidURL, UnicodeError) as error:
        raise _refuse(
            f"{text[:60]!r} is not a URL: {error}", "write scheme, host and path"
        ) from None
    if url.scheme not in _DEFAULT_PORTS:
        raise _refuse(
            f"{url.scheme or 'no scheme'!r} is not a scheme that is fetched",
            "use an http or https URL",
        )
    if not host or "%" in host:
        raise _refuse(f"{shown(text)} has no usable host", "write the host's name")
    if url.userinfo:
        raise _refuse(
            f"{shown(text)} carries a user name",
            "put it under the document's credentials, not into the URL",
        )
    return url.copy_with(fragment=None)


def port_of(url: httpx.URL) -> int:
    """Return the port, the scheme's own where none is written."""
    return url.port or _DEFAULT_PORTS[url.scheme]


def origin(url: httpx.URL) -> str:
    """Return scheme, host and port: what credentials and cookies are bound to."""
    return f"{url.scheme}://{url.host.rstrip('.')}:{port_of(url)}"


def host_key(url: httpx.URL) -> str:
    """Return the key of politeness: host and port, whatever the scheme."""
    return f"{url.host.rstrip('.')}:{port_of(url)}"


def _shown_value(name: str, value: str) -> str:
    if _SECRET_NAME.search(name):
        return "..."
    opaque = _OPAQUE.fullmatch(value) and any(c.isdigit() for c in value)
    return "..." if opaque else value


def shown(url: str | httpx.URL) -> str:
    """Return `url` as it may be shown and stored: no user, no secret, no fragment.

    Values of query parameters that are named like secrets, and long opaque
    ones, become `...`; all others stay, because they often name the document.
    """
    text = str(url).partition("#")[0]
    scheme, separator, rest = text.partition("://")
    if separator:
        authority, slash, path = rest.partition("/")
        text = f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"
    path, question, query = text.partition("?")
    if not question:
        return path
    pairs = parse_qsl(query, keep_blank_values=True)
    if not pairs:
        return text
    return (
        path
        + "?"
        + urlencode(
            [(name, _shown_value(name, value)) for name, value in pairs],
            quote_via=quote,
            safe="/:,",
        )
    )


def join(base: httpx.URL, location: str) -> httpx.URL:
    """Return the target of a `Location` header.

    Raises:
        RefusedError: it is not a target that may be asked.
    """
    text = location.strip(" \t\r\n").replace(" ", "%20")
    if _UNSAFE.search(text):
        raise _refuse(
            f"{shown(base)} redirects to something that is not a URL",
            "look at the site in a browser and watch the address where the document is now",
        )
    try:
        joined = base.join(text)
    except (httpx.InvalidURL, UnicodeError):
        raise _refuse(
            f"{shown(base)} redirects to something that is not a URL",
            "look at the site in a browser and watch the address where the document is now",
        ) from None
    return parse(str(joined))
