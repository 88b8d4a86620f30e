"""Secrets by reference: from a file, the environment or systemd's credentials."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from watcher import logs
from watcher.errors import ConfigError

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


def read_secret(reference: str) -> Secret:
    """Return the secret that `reference` names, without its trailing line end.

    From here on the log hides it, in whatever line it would stand.

    Raises:
        ConfigError: the file, variable or credential is missing or empty.
    """
    kind, _, name = reference.partition(":")
    if kind == "env":
        value = os.environ.get(name, "")
        source = f"environment variable {name}"
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
            value = path.read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"the secret in {source} cannot be read ({type(error).__name__})",
                hint="create it, readable by the daemon's user only",
            ) from None
    if not value:
        raise ConfigError(f"the secret in {source} is empty", hint="put the secret there")
    logs.hide(value)
    return Secret(value)
