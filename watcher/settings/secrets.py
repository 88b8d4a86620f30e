"""Secrets by reference: from a file, the environment or systemd's credentials."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from watcher import logs
from watcher.errors import ConfigError

_MOST_BYTES = 64 * 1024
_KINDS = ("file:", "env:", "credential:")


def _check(reference: str) -> str:
    if not reference.startswith(_KINDS) or reference in _KINDS:
        # The value is not repeated: somebody may have pasted the secret itself.
        raise ValueError(
            "a secret is a reference, never a value: write file:/path, env:NAME or"
            " credential:NAME (systemd's LoadCredential)"
        )
    return reference


SecretReference = Annotated[str, AfterValidator(_check)]
"""`file:/path`, `env:NAME` or `credential:NAME`."""


class Secret:
    """A secret value whose `repr` and `str` hide it; call `reveal()` to use it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value itself, to hand to the one place that needs it."""
        return self._value

    def __repr__(self) -> str:
        """Hide the value."""
        return "Secret(***)"

    __str__ = __repr__


def read_secret(reference: str, wanted_by: str = "") -> Secret:
    """Return the secret that `reference` names, without its trailing line end.

    From here on the log hides it, in whatever line it would stand. `wanted_by`
    says in an error for whom it is, such as "channel ops".

    Raises:
        ConfigError: the file, variable or credential is missing or empty.
    """
    try:
        value = _value(reference)
    except ConfigError as error:
        whose = f"{wanted_by}: " if wanted_by else ""
        raise ConfigError(f"{whose}{error.message}", hint=error.hint) from None
    logs.hide(value)
    return Secret(value)


def _value(reference: str) -> str:
    kind, _, name = reference.partition(":")
    if kind == "env":
        source = f"environment variable {name}"
        if name not in os.environ:
            raise ConfigError(f"the {source} is not set", hint="set it where the daemon starts")
        value = os.environ[name]
    else:
        if kind == "credential":
            folder = os.environ.get("CREDENTIALS_DIRECTORY")
            if not folder:
                raise ConfigError(
                    f"credential {name!r} is wanted and there is no credentials directory",
                    hint="run under systemd with LoadCredential=, or use file: or env:",
                )
            path = Path(folder) / name
        else:
            path = Path(name)
        source = f"file {path}"
        try:
            value = _read(path).decode("utf-8").rstrip("\r\n")
        except (OSError, ValueError) as error:
            why = str(error) if isinstance(error, _NoSecretFileError) else type(error).__name__
            raise ConfigError(
                f"the secret in {source} cannot be read ({why})",
                hint="create it, readable by the daemon's user only",
            ) from None
    if not value:
        raise ConfigError(f"the secret in {source} is empty", hint="put the secret there")
    return value


class _NoSecretFileError(ValueError):
    """What the path names holds no secret."""


def _read(path: Path) -> bytes:
    """Return a file's bytes; a pipe or a device, which may never end, is no such file."""
    # Not blocking: opening a pipe would wait for a writer that may never come.
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise _NoSecretFileError("it is not a regular file")
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise _NoSecretFileError(f"it is larger than {_MOST_BYTES} bytes")
    return data
