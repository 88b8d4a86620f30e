"""OAuth 2 access tokens for client credentials (RFC 6749, section 4.4).

A token is asked for once and used until shortly before it ends, or until a
source rejects it. It belongs to one document: two documents with the same
client ask for two.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from urllib.parse import quote, urlencode

import httpx
from pydantic import SecretStr

from watcher.domain.verdicts import Refusal
from watcher.fetch.clock import Clock
from watcher.fetch.model import OAuthClient, RefusedError, refused
from watcher.fetch.urls import parse, shown
from watcher.fetch.wire import Wire

Post = Callable[[httpx.URL, dict[str, str], bytes], Awaitable[Wire]]
"""Sends a form under the document's guards and gives the answer."""

_SLACK = 30.0
"""Seconds before its end from which a token is not used any more."""
_UNSAID = 60.0
"""Seconds that a token is kept of which nobody said how long it is good."""
_LONGEST = 86_400.0
_MAX_TOKENS = 4_096
_TOKEN = re.compile(r"[\x21-\x7e]{1,8192}")
_ERROR = re.compile(r"[a-z_]{1,40}")


class Tokens:
    """The tokens of a process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, SecretStr]] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    async def token(
        self, document_id: str, client: OAuthClient, post: Post, *, rejected: SecretStr | None
    ) -> SecretStr:
        """Return the document's token; `rejected` is one that its source did not take.

        Raises:
            RefusedError: the token endpoint refuses, or answers with no token.
        """
        key = _key(document_id, client)
        async with self._locks.setdefault(key, asyncio.Lock()):
            end, known = self._known.get(key, (0.0, None))
            if known is not None and known != rejected and self._clock.monotonic() < end:
                return known
            token, seconds = await _ask(client, post)
            self._known[key] = (self._clock.monotonic() + seconds, token)
            self._known.move_to_end(key)
            if len(self._known) > _MAX_TOKENS:
                oldest, _ = self._known.popitem(last=False)
                self._locks.pop(oldest, None)
            return token


def _key(document_id: str, client: OAuthClient) -> str:
    parts = (
        document_id,
        client.token_url,
        client.client_id,
        client.client_secret.get_secret_value(),
        client.scope,
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


async def _ask(client: OAuthClient, post: Post) -> tuple[SecretStr, float]:
    url = parse(client.token_url)
    # RFC 6749, 2.3.1: both parts are form-encoded before they are joined.
    pair = f"{quote(client.client_id, '')}:{quote(client.client_secret.get_secret_value(), '')}"
    headers = {
        "Authorization": "Basic " + base64.b64encode(pair.encode()).decode(),
        "Content-Type": "application/x-www-form-urlencoded",
        "Accept": "application/json",
    }
    form = {"grant_type": "client_credentials"} | ({"scope": client.scope} if client.scope else {})
    answer = await post(url, headers, urlencode(form).encode())
    try:
        said = json.loads(answer.body)
    except (ValueError, RecursionError):
        said = None
    fields = said if isinstance(said, dict) else {}
    token = fields.get("access_token")
    bearer = str(fields.get("token_type", "")).lower() == "bearer"
    if answer.status == 200 and bearer and isinstance(token, str) and _TOKEN.fullmatch(token):
        return SecretStr(token), _seconds(fields.get("expires_in"))
    raise _no_token(shown(url), answer.status, fields.get("error"))


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return _UNSAID
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return _UNSAID
    return min(max(0.0, seconds - _SLACK), _LONGEST) if seconds == seconds else _UNSAID  # noqa: PLR0124


def _no_token(url: str, status: int, error: object) -> RefusedError:
    code = error if isinstance(error, str) and _ERROR.fullmatch(error) else ""
    return RefusedError(
        refused(
            Refusal.HTTP_ERROR,
            f"{url} gives no access token: it answered {status}{f' {code}' if code else ''}",
            "check client_id, secret and scope of the document's credentials",
            ("token_url", url),
            ("token_status", status),
            ("error", code or "none named"),
        )
    )
