"""Alerts as lines on a stream."""

from __future__ import annotations

from typing import TextIO

from watcher.alert.delivery import Delivery, DeliveryResult
from watcher.alert.render import Message, render_text


class ConsoleSender:
    """Writes each alert as one block of lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    async def send(self, message: Message, key: str) -> Delivery:
        """Write the alert; a closed or full stream is tried again."""
        try:
            self._stream.write(render_text(message, key) + "\n")
            self._stream.flush()
        except (OSError, ValueError) as error:
            return Delivery(DeliveryResult.RETRY, f"the console cannot be written: {error}")
        return Delivery(DeliveryResult.DELIVERED, "written to the console")
