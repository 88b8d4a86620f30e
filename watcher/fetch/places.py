"""Where an answer was found, compared with where it was sought. Pure."""

from __future__ import annotations

import re
from ipaddress import ip_address

import httpx

from watcher.fetch.urls import shown

_HOME = re.compile(
    r"(?i)/?(?:[a-z]{2}(?:[-_][a-z]{2,4})?)?/?(?:(?:index|default|home|start|main|welcome)"
    r"(?:\.(?:html?|php|aspx?|jsp|do))?)?/?"
)
_SECOND_LEVEL = frozenset(
    [
        "ac",
        "co",
        "com",
        "edu",
        "gob",
        "gov",
        "gouv",
        "govt",
        "go",
        "mil",
        "net",
        "ne",
        "or",
        "org",
        "nom",
        "ltd",
        "plc",
    ]
)


def is_home(url: str) -> bool:
    """Tell whether `url` is a site's front page, that of a language included."""
    return _HOME.fullmatch(_parsed(url).path) is not None


def same_place(one: str, other: str) -> bool:
    """Tell whether two URLs name the same page: scheme, `www.` and a last `/` aside.

    Both are compared in their shown form, which is how they are stored.
    """
    return _place(shown(one)) == _place(shown(other))


def same_site(one: str, other: str) -> bool:
    """Tell whether two URLs belong to one registrable domain, as far as names tell."""
    return _site(_parsed(one).host) == _site(_parsed(other).host)


def _place(url: str) -> tuple[str, str, bytes]:
    parsed = _parsed(url)
    return (_bare(parsed.host), parsed.path.rstrip("/"), parsed.query)


def _bare(host: str) -> str:
    return host.rstrip(".").removeprefix("www.")


def _site(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        labels = host.rstrip(".").split(".")
    size = 3 if len(labels) > 2 and labels[-2] in _SECOND_LEVEL and len(labels[-1]) == 2 else 2
    return ".".join(labels[-size:])


def _parsed(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
        return parsed if parsed.host else httpx.URL()
    except (httpx.InvalidURL, UnicodeError):
        return httpx.URL()
