"""Alerts as signed HTTP requests, in the form of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Callable

from watcher.alert.delivery import Delivery
from watcher.alert.http import HttpEndpoint, post
from watcher.alert.render import Message, render_payload


class WebhookSender:
    """POSTs `watcher.alert/1` as JSON.

    Headers: `Idempotency-Key` and `webhook-id` carry the delivery's key;
    with a secret, `webhook-timestamp` and `webhook-signature` prove who sent
    it and when (`signature`).
    """

    def __init__(
        self,
        endpoint: HttpEndpoint,
        secret: str | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._endpoint = endpoint
        self._secret = secret
        self._now = now

    async def send(self, message: Message, key: str) -> Delivery:
        """POST once and judge the answer."""
        body = json.dumps(render_payload(message, key), ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": key,
            "webhook-id": key,
        }
        if self._secret is not None:
            timestamp = str(int(self._now()))
            headers["webhook-timestamp"] = timestamp
            headers["webhook-signature"] = signature(self._secret, key, timestamp, body)
        return await post(self._endpoint, body, headers)


def signature(secret: str, key: str, timestamp: str, body: bytes) -> str:
    """Return `v1,` and the base64 HMAC-SHA256 over `key.timestamp.body`.

    The secret is `whsec_` with base64 as Standard Webhooks writes it, or any
    other string, whose UTF-8 bytes are taken. A receiver computes the same and
    compares in constant time, and refuses timestamps older than a few minutes.
    """
    signed = b".".join((key.encode(), timestamp.encode(), body))
    digest = hmac.new(_key_bytes(secret), signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def _key_bytes(secret: str) -> bytes:
    if secret.startswith("whsec_"):
        try:
            return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
