"""The two calls that this room makes itself: to the issuer, and to the external authorizer.

One bounded exchange of JSON each, in the thread of the request that needs it.
Redirects are not followed and the environment's proxies are not used: what is
asked decides who may see what, so it is asked where the settings say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import httpx

from watcher.errors import TemporaryError

_MOST_BYTES = 1024 * 1024


def get_json(url: str, seconds: float) -> object:
    """Return the JSON that a GET of `url` answers.

    Raises:
        TemporaryError: no such answer in time.
    """
    return _exchange("GET", url, seconds, {}, None)


def post_json(url: str, seconds: float, bearer: str | None, body: Mapping[str, object]) -> object:
    """Return the JSON that a POST of `body` answers.

    Raises:
        TemporaryError: no such answer in time.
    """
    headers = {"content-type": "application/json"}
    if bearer:
        headers["authorization"] = f"Bearer {bearer}"
    return _exchange("POST", url, seconds, headers, json.dumps(body).encode())


def _exchange(
    method: str, url: str, seconds: float, headers: Mapping[str, str], body: bytes | None
) -> object:
    host = httpx.URL(url).host
    try:
        with (
            httpx.Client(trust_env=False, timeout=seconds, headers=dict(headers)) as client,
            client.stream(method, url, content=body) as answer,
        ):
            if answer.status_code != httpx.codes.OK:
                raise TemporaryError(f"{host} answered {answer.status_code}")
            said = b""
            for part in answer.iter_bytes(64 * 1024):
                said += part
                if len(said) > _MOST_BYTES:
                    raise TemporaryError(f"{host} answered more than {_MOST_BYTES} bytes")
        return json.loads(said)
    except (httpx.HTTPError, ValueError, RecursionError) as error:
        raise TemporaryError(f"{host} gave no answer ({type(error).__name__})") from error
