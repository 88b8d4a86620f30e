"""What the daemon tells systemd (sd_notify(3)); silent where nobody listens."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Mapping


class Notifier:
    """Sends state to the socket that systemd names in `NOTIFY_SOCKET`."""

    def __init__(self, address: str, watchdog_seconds: float | None) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_seconds = watchdog_seconds

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Notifier:
        """Read `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`."""
        seconds = None
        if environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid()):
            with contextlib.suppress(ValueError):
                seconds = int(environment.get("WATCHDOG_USEC", "")) / 1e6 or None
        return cls(environment.get("NOTIFY_SOCKET", ""), seconds)

    def ready(self, status: str) -> None:
        """Say that the start, or a reload, is done."""
        self._send("READY=1", f"STATUS={status}")

    def status(self, status: str) -> None:
        """Say in one line what the daemon is doing."""
        self._send(f"STATUS={status}")

    def reloading(self) -> None:
        """Say that the settings are being read again; `ready` ends it."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self, status: str) -> None:
        """Say that the daemon drains."""
        self._send("STOPPING=1", f"STATUS={status}")

    def watchdog(self) -> None:
        """Say that everything vital is well."""
        self._send("WATCHDOG=1")

    def _send(self, *fields: str) -> None:
        if not self._address:
            return
        message = "\n".join(" ".join(field.splitlines()) for field in fields)
        # A service manager that went away, or does not read, must not stop the work.
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel,
        ):
            channel.sendto(message.encode(), socket.MSG_DONTWAIT, self._address)
