"""Runs the real command in fresh processes that have it loaded already.

Loading the command takes a second, and the tests call it hundreds of times. So
one process loads it and forks for each call: what a call does, prints and
leaves behind is its own, as it would be of a process that began from nothing.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Done:
    """How a call ended."""

    returncode: int
    stdout: str
    stderr: str


class WarmCommand:
    """The process that has the command loaded."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.warm"],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.close)

    def close(self) -> None:
        """End it."""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        self._process.wait(timeout=60)

    def __call__(
        self, arguments: Sequence[str], *, cwd: Path, stdin: str, env: Mapping[str, str]
    ) -> Done:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "0").write_text(stdin, encoding="utf-8")
            call = [list(arguments), str(cwd), name, dict(env)]
            self._process.stdin.write(json.dumps(call) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            out, err = ((folder / n).read_text("utf-8", "replace") for n in "12")
        return Done(code, out, err)


@cache
def warm_command() -> WarmCommand:
    """Return this process's one."""
    return WarmCommand()


def _serve() -> None:
    package = importlib.import_module("watcher.cli")
    for module in pkgutil.iter_modules(package.__path__, "watcher.cli."):
        importlib.import_module(module.name)
    for line in sys.stdin:
        arguments, cwd, folder, env = json.loads(line)
        pid = os.fork()
        if not pid:
            _become(arguments, cwd, Path(folder), env)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(arguments: list[str], cwd: str, folder: Path, env: dict[str, str]) -> None:
    """Be a call from here on; does not return."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, flags in (
        (0, os.O_RDONLY),
        (1, os.O_WRONLY | os.O_CREAT),
        (2, os.O_WRONLY | os.O_CREAT),
    ):
        opened = os.open(folder / str(number), flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["watcher", *arguments]
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    code = 1
    try:
        importlib.import_module("watcher.cli.main").main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter would: print it, end with 1
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
