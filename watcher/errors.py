"""The root of every error that watcher raises on purpose.

An error says what happened, to which document, and what to do about it. Those
are three fields, so that the command line, the API and the log show the same
sentence and none of them has to parse a message.
"""

from __future__ import annotations

from typing import ClassVar


class WatcherError(Exception):
    """What happened (`message`), to which document, and what to do (`hint`).

    `code` is a stable word for metrics and API answers; `exit_code` is what a
    command ends with: 1 for an ordinary failure, 2 for a wrong call, 75 where
    trying again later may help, 78 for a configuration mistake (sysexits.h).
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, document_id: str | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.document_id = document_id
        self.hint = hint

    def __str__(self) -> str:
        """Return one line: what happened, then what to do."""
        where = f"{self.document_id}: " if self.document_id else ""
        return f"{where}{self.message}" + (f" -> {self.hint}" if self.hint else "")


class ConfigError(WatcherError):
    """The settings or a document entry is wrong."""

    code = "config"
    exit_code = 78


class UsageError(WatcherError):
    """A call or a command was wrong in itself."""

    code = "usage"
    exit_code = 2


class TemporaryError(WatcherError):
    """It failed now and may work later."""

    code = "temporary"
    exit_code = 75
