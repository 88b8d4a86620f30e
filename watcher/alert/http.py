"""One bounded POST to a receiver, and what its answer means for the delivery."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache

import httpx
from httpx import codes

from watcher.alert.delivery import Delivery, DeliveryResult, parse_retry_after
from watcher.alert.render import one_line

_MOST_ANSWER_BYTES = 2048
_USER_AGENT = "policy-watcher"

_RETRY = {
    401: "check the channel's secret",
    403: "check the channel's secret and what it may do",
    404: "check the channel's url",
    405: "check the channel's url",
    407: "a proxy asks for credentials: check the network",
    408: "it was too slow",
    409: "it is still busy with this key",
    423: "it is locked",
    425: "it asks to try later",
    429: "it has too much to do",
}


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """Where and how long: an absolute URL, and the whole attempt's limit in seconds.

    `secrets` are the values that must not appear in a delivery's detail.
    `busy_seconds` is how long to wait after a 429 that names no time.
    """

    url: str
    timeout_seconds: float
    secrets: tuple[str, ...] = ()
    proxy: str | None = None
    busy_seconds: float | None = None

    def below(self, path: str) -> HttpEndpoint:
        """Return the same for `path` below its URL."""
        return replace(self, url=f"{self.url.rstrip('/')}/{path}")


async def post(
    endpoint: HttpEndpoint, body: bytes, headers: Mapping[str, str], method: str = "POST"
) -> Delivery:
    """POST `body` once (or use another method) and judge the answer.

    Redirects are not followed: an alert goes where the settings say and
    nowhere else.
    """
    host = httpx.URL(endpoint.url).host
    try:
        async with (
            asyncio.timeout(endpoint.timeout_seconds),
            httpx.AsyncClient(
                verify=_tls(),
                trust_env=False,
                proxy=endpoint.proxy,
                timeout=endpoint.timeout_seconds,
            ) as client,
            client.stream(
                method,
                endpoint.url,
                content=body,
                headers={"User-Agent": _USER_AGENT, **headers},
            ) as answer,
        ):
            said = await _beginning(answer)
    except TimeoutError:
        return _retry(f"{host} did not answer within {endpoint.timeout_seconds:g} s")
    except httpx.HTTPError as error:
        return _retry(
            f"{host} could not be reached: {_hidden(endpoint, str(error) or type(error).__name__)}"
        )
    return _judge(answer, endpoint, _hidden(endpoint, said))


def _judge(answer: httpx.Response, endpoint: HttpEndpoint, said: str) -> Delivery:
    host, status = httpx.URL(endpoint.url).host, answer.status_code
    if answer.is_success:
        return Delivery(DeliveryResult.DELIVERED, f"{host} answered {status}", answer=said)
    wish = parse_retry_after(answer.headers.get("retry-after"), datetime.now(UTC))
    if wish is None and status == codes.TOO_MANY_REQUESTS:
        wish = endpoint.busy_seconds
    detail = f"{host} answered {status}" + (f" ({said})" if said else "")
    if answer.is_server_error:
        return _retry(detail, wish)
    if answer.has_redirect_location:
        return _retry(f"{detail}: it moved, set the channel's url to its new place")
    if status in _RETRY:
        return _retry(f"{detail}: {_RETRY[status]}", wish)
    return Delivery(DeliveryResult.DEAD, f"{detail}: it refuses this message")


async def _beginning(answer: httpx.Response) -> str:
    """Return the start of the answer's body on one line; read no more than needed."""
    said = b""
    async for part in answer.aiter_raw(1024):
        said += part
        if len(said) >= _MOST_ANSWER_BYTES:
            break
    return one_line(said[:_MOST_ANSWER_BYTES].decode("utf-8", "replace"), 160)


def _hidden(endpoint: HttpEndpoint, text: str) -> str:
    for secret in (*endpoint.secrets, endpoint.url):
        text = text.replace(secret, "[redacted]") if secret else text
    return text


def _retry(detail: str, wish: float | None = None) -> Delivery:
    return Delivery(DeliveryResult.RETRY, detail, wish)


@cache
def _tls() -> ssl.SSLContext:
    """One context for all: making one costs 30 ms."""
    return httpx.create_ssl_context()
