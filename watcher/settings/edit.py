"""Changing one number of the service file, and nothing else in it."""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from pathlib import Path

from watcher.errors import ConfigError

_HEADER = re.compile(r"\s*\[")


def set_number(path: Path, table: str, key: str, value: float) -> None:
    """Set `[table] key = value` in the TOML file `path`; comments and order stay.

    The file is replaced whole, once the new text was read back.

    Raises:
        ConfigError: it cannot be read or written, or does not say it after that.
    """
    fix = f"write {key} = {value} under [{table}] by hand"
    try:
        old = path.read_text(encoding="utf-8")
        new = _with_number(old, table, key, value)
        if tomllib.loads(new).get(table, {}).get(key) != value:
            raise ConfigError(f"{path}: [{table}] is written in a way of its own", hint=fix)
        _replace(path, new)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be changed ({error})", hint=fix) from error


def _with_number(text: str, table: str, key: str, value: float) -> str:
    line, lines = f"{key} = {value}", text.splitlines()
    header = re.compile(rf"\s*\[\s*{re.escape(table)}\s*\]\s*(#.*)?$")
    start = next((n for n, found in enumerate(lines) if header.match(found)), None)
    if start is None:
        return "\n".join([*lines, "", f"[{table}]", line, ""])
    old = re.compile(rf"(\s*){re.escape(key)}\s*=\s*[^#]*?(\s*#.*)?$")
    for number in range(start + 1, len(lines)):
        if _HEADER.match(lines[number]):
            break
        if found := old.match(lines[number]):
            lines[number] = f"{found[1]}{line}{found[2] or ''}"
            return "\n".join([*lines, ""])
    return "\n".join([*lines[: start + 1], line, *lines[start + 1 :], ""])


def _replace(path: Path, text: str) -> None:
    """Replace a file at once, with its mode; a symbolic link stays one."""
    real = path.resolve()
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), real.stat().st_mode & 0o777)
        Path(name).replace(real)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
