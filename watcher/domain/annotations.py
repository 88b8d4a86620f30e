"""What stands beside a text, as one digest that two readings compare by.

A policy can change without a changed word: a link goes to another file, a
clause is struck, a diagram is exchanged. What a server makes anew for every
answer must not look like that, so link targets are normalised first.
"""

from __future__ import annotations

import hashlib
import json
import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from watcher.domain.reading import Reading

_TRACKING = re.compile(
    r"utm_.*|mc_[ce]id|_hs(?:enc|mi)|[fgtwy]clid|gbraid|wbraid|msclkid|igshid|_ga|_gl"
    r"|(?:php|asp|j)?sess(?:ion)?_?id|sid|csrf.*|.*_?nonce|.*_?token|authenticity_token"
    r"|__cf.*|cb|cachebuster|timestamp|ts|_",
    re.IGNORECASE,
)
"""Query parameters that name a visit, not a target."""
_SESSION_PATH = re.compile(r";jsessionid=[^/?#]*", re.IGNORECASE)
_PROTECTED_MAIL = re.compile(r"/cdn-cgi/l/email-protection.*", re.IGNORECASE)
"""An address obfuscated by a proxy, with a new key in every answer."""
_DEFAULT_PORTS = {"http": 80, "https": 443}


def normalised_target(target: str) -> str:
    """Return a link's target without what differs from answer to answer.

    Scheme and host in lower case, no default port, no session and tracking
    parameters; the rest, fragment included, as it is.
    """
    target = target.strip()
    try:
        parts = urlsplit(target)
        port = parts.port
    except ValueError:
        return target
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    if port is not None and port != _DEFAULT_PORTS.get(scheme):
        host = f"{host}:{port}"
    path = _PROTECTED_MAIL.sub("/cdn-cgi/l/email-protection", _SESSION_PATH.sub("", parts.path))
    fragment = "" if path.endswith("/cdn-cgi/l/email-protection") else parts.fragment
    query = parts.query
    pairs = parse_qsl(query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not _TRACKING.fullmatch(name)]
    if len(kept) != len(pairs):
        query = urlencode(kept)
    return urlunsplit((scheme, host, path, query, fragment))


def annotations_digest(reading: Reading) -> str:
    """Return the lowercase hex SHA-256 of link targets, struck ranges and images.

    Two readings of equal text differ in an annotation exactly when their
    digests differ.
    """
    body = json.dumps(
        [
            [normalised_target(link.target) for link in reading.links],
            [list(struck) for struck in reading.struck],
            list(reading.images),
        ],
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
