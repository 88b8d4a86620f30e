"""Alerts by any service that Apprise knows; an optional extra, not for pages.

Apprise says only whether a service took a message, never why not or when to
try again: every failure is tried again by our own rules.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from watcher.alert.delivery import Delivery, DeliveryResult
from watcher.alert.render import Message, one_line, render_text
from watcher.domain.changes import Severity
from watcher.errors import ConfigError

_TYPES = {Severity.PAGE: "failure", Severity.TICKET: "warning", Severity.INFO: "info"}
_LONGEST_TITLE = 200


class AppriseSender:
    """Sends plain text to one Apprise URL."""

    def __init__(self, name: str, url: str, timeout_seconds: float) -> None:
        """Check the address.

        Raises:
            ConfigError: the extra is not installed, or no service has that address.
        """
        try:
            apprise: Any = importlib.import_module("apprise")
        except ImportError:
            raise ConfigError(
                f"channel {name}: Apprise is not installed",
                hint='install it with: pip install "policy-watcher[apprise]"',
            ) from None
        self._service = apprise.Apprise()
        if not self._service.add(url):
            raise ConfigError(
                f"channel {name}: what its url holds is no address of Apprise's",
                hint="see the list of services in Apprise's documentation",
            )
        self._timeout = timeout_seconds

    async def send(self, message: Message, key: str) -> Delivery:
        """Make one attempt in a thread, which Apprise's own time limits end."""
        try:
            async with asyncio.timeout(self._timeout):
                taken = await asyncio.to_thread(self._attempt, message, key)
        except TimeoutError:
            return Delivery(DeliveryResult.RETRY, f"Apprise took more than {self._timeout:g} s")
        except Exception as error:  # noqa: BLE001 - 170 plug-ins, each with errors of its own
            return Delivery(DeliveryResult.RETRY, f"Apprise failed: {type(error).__name__}")
        if not taken:
            return Delivery(
                DeliveryResult.RETRY, "the service did not take it; Apprise says no more"
            )
        return Delivery(DeliveryResult.DELIVERED, "Apprise handed it over")

    def _attempt(self, message: Message, key: str) -> bool:
        return bool(
            self._service.notify(
                title=one_line(message.first_line, _LONGEST_TITLE),
                body=render_text(message, key),
                notify_type=_TYPES[message.severity],
                body_format="text",
                interpret_escapes=False,
            )
        )
