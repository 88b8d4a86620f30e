"""The caller's handle on the sandbox: one fork server for each process, a socket for each job."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from typing import TypedDict, cast

from watcher.domain.reading import Problem
from watcher.errors import TemporaryError
from watcher.extract import frames
from watcher.extract.frames import Kind
from watcher.extract.model import MIB, Limits

EXIT_MEMORY = 77
"""Exit status of a child that ran out of memory and could not say so."""

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from watcher.extract.worker import main; main()"
)
_START_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What one job cost: CPU seconds and peak resident bytes of its process."""

    cpu_seconds: float = 0.0
    peak_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a child sent before it ended, why it ended early (None: it did not), its cost."""

    bodies: tuple[bytes, ...]
    problem: Problem | None
    usage: Usage


class _Exit(TypedDict):
    status: int
    cpu_seconds: float
    peak_bytes: int


class WorkerError(TemporaryError):
    """The sandbox's server cannot be started or reached."""

    code = "worker"


def ask(request: list[tuple[Kind, bytes]], limits: Limits) -> Answer:
    """Run one job in a child of its own and return what came of it.

    Raises:
        WorkerError: the sandbox does not start, or was killed from outside.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            _server().submit(theirs)
        # A child that is gone already needs no more: its exit frame says why.
        with contextlib.suppress(OSError):
            for kind, body in request:
                frames.send(ours, kind, body)
        return _collect(ours, limits)


def _collect(ours: socket.socket, limits: Limits) -> Answer:
    bodies: list[bytes] = []
    while True:
        try:
            kind, body = frames.receive(ours, limits.result_bytes)
        except frames.TooLargeError as error:
            return Answer((), Problem("crash", f"gives too much: {error}"), Usage())
        except frames.StreamEndedError as error:
            raise WorkerError(
                "the process that reads documents was ended from outside", hint="try again"
            ) from error
        if kind is Kind.EXIT:
            ended = cast("_Exit", json.loads(body))
            usage = Usage(ended["cpu_seconds"], ended["peak_bytes"])
            return Answer(tuple(bodies), _ending(ended["status"], limits), usage)
        bodies.append(body)


def _ending(status: int, limits: Limits) -> Problem | None:
    if status == 0:
        return None
    if status == -signal.SIGXCPU:
        return Problem("cpu", f"was not read within {limits.cpu_seconds:.0f} CPU seconds")
    if status == -signal.SIGALRM:
        return Problem("cpu", f"was not read within {limits.wall_seconds:.0f} seconds")
    if status in (EXIT_MEMORY, -signal.SIGKILL):
        return Problem("memory", f"needs more than {limits.memory_bytes // MIB} MiB")
    name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return Problem("crash", f"its reader crashed ({name})")


class _Server:
    """One fork server of this process."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        with theirs, tempfile.TemporaryFile() as log:
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our interpreter, our code
                    [sys.executable, "-I", "-c", _START, json.dumps(sys.path)],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
                    start_new_session=True,
                )
            except OSError as error:
                raise _cannot_start(str(error)) from error
            theirs.close()
            self._control.settimeout(_START_SECONDS)
            try:
                ready = self._control.recv(1)
            except TimeoutError:
                ready = b""
            self._control.settimeout(None)
            if not ready:
                self._process.kill()
                self._process.wait()
                log.seek(0)
                said = log.read().decode("utf-8", "replace").strip().splitlines()
                raise _cannot_start(said[-1] if said else "it said nothing")

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def submit(self, job: socket.socket) -> None:
        """Hand over one end of a job's socket.

        Raises:
            WorkerError: the server is gone.
        """
        try:
            with self._lock:
                socket.send_fds(self._control, [b"J"], [job.fileno()])
        except OSError as error:
            raise WorkerError(
                "the process that reads documents has ended", hint="try again"
            ) from error

    def close(self) -> None:
        """End the server and its children."""
        self._control.close()
        if self.owner == os.getpid():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=5)


def _cannot_start(why: str) -> WorkerError:
    return WorkerError(
        f"cannot start the process that reads documents: {why}",
        hint="check the installation, and the limits on processes and memory",
    )


_servers: list[_Server] = []
_starting = threading.Lock()


def _server() -> _Server:
    """Return this process's server, started if there is none (again, after a fork or a crash)."""
    with _starting:
        if _servers and (_servers[0].owner != os.getpid() or not _servers[0].is_alive()):
            _servers.pop().close()
        if not _servers:
            _servers.append(_Server())
        return _servers[0]


@atexit.register
def shutdown() -> None:
    """End the sandbox's server; the next extraction starts another."""
    with _starting:
        while _servers:
            _servers.pop().close()
