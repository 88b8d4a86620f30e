"""The caller's side of the sandbox: hand a source over, get a reading back, whatever happens."""

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
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TypedDict, cast

from watcher.domain.reading import ExtractVerdict, MediaType, Problem, Reading
from watcher.errors import TemporaryError
from watcher.extract import frames, wire
from watcher.extract.failure import failed
from watcher.extract.frames import Kind, StreamEndedError
from watcher.extract.media import detect_media_type
from watcher.extract.model import MIB, Limits, Options, Source

_EXIT_MEMORY = 77
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from watcher.extract.worker import main; main()"
)
_START_SECONDS = 120.0
_LEAST_RETRY = 2.0
"""CPU seconds that a second attempt gets at least."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one extraction cost: CPU seconds and peak resident bytes of its process."""

    cpu_seconds: float = 0.0
    peak_bytes: int = 0


class _Exit(TypedDict):
    status: int
    cpu_seconds: float
    peak_bytes: int


class WorkerError(TemporaryError):
    """The sandbox's server cannot be started or reached."""

    code = "worker"


def extract_isolated(
    source: Source, options: Options | None = None, limits: Limits | None = None
) -> Reading:
    """Return the reading of `source`, made in a process of its own.

    Bad input never raises: whatever the reader did, the verdict and the
    problem say so (`cpu`, `memory`, `crash`, `broken`, `size`). Safe to call
    from several threads.

    Raises:
        WorkerError: the sandbox itself does not start.
    """
    return measured(source, options, limits)[0]


def measured(
    source: Source, options: Options | None = None, limits: Limits | None = None
) -> tuple[Reading, Usage]:
    """Return the reading as `extract_isolated` does, and what it cost."""
    options, limits = options or Options(), limits or Limits()
    media_type = detect_media_type(source.data, source.media_type, source.name)
    too_large = _too_large(len(source.data), media_type, limits)
    if too_large is not None:
        return failed(ExtractVerdict.FAILED, too_large, media_type), Usage()
    reading, usage = _attempt(source, options, limits, media_type)
    if media_type is MediaType.PDF and _deserves_retry(reading, options):
        left = replace(
            limits, cpu_seconds=max(_LEAST_RETRY, limits.cpu_seconds - usage.cpu_seconds)
        )
        other = replace(options, pdf_engine="pdfium", compare=False)
        second, more = _attempt(source, other, left, media_type)
        usage = Usage(usage.cpu_seconds + more.cpu_seconds, max(usage.peak_bytes, more.peak_bytes))
        if second.usable:
            why = reading.problems[0].message if reading.problems else reading.verdict.value
            note = Problem("retried", f"pypdf cannot read it ({why}); pdfium did")
            partial = ExtractVerdict.PARTIAL
            return replace(second, verdict=partial, problems=(note, *second.problems)), usage
    return reading, usage


def _deserves_retry(reading: Reading, options: Options) -> bool:
    return (
        options.pdf_engine == "auto"
        and reading.verdict is ExtractVerdict.FAILED
        and not any(problem.code == "cpu" for problem in reading.problems)
        and find_spec("pypdfium2") is not None
    )


def _too_large(size: int, media_type: MediaType | None, limits: Limits) -> Problem | None:
    markup = media_type in (MediaType.HTML, MediaType.MARKDOWN, MediaType.TEXT)
    bound = limits.markup_bytes if markup else limits.source_bytes
    if size <= bound:
        return None
    return Problem("size", f"has {size} bytes; at most {bound} are read")


def _attempt(
    source: Source, options: Options, limits: Limits, media_type: MediaType | None
) -> tuple[Reading, Usage]:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            _server().submit(theirs)
        try:
            frames.send(ours, Kind.JOB, wire.dump_job(source, options, limits))
            frames.send(ours, Kind.DATA, source.data)
        except OSError:
            pass  # It is gone already; its exit frame says why.
        return _await(ours, limits, media_type)


def _await(
    ours: socket.socket, limits: Limits, media_type: MediaType | None
) -> tuple[Reading, Usage]:
    reading: Reading | None = None
    bad: Problem | None = None
    while True:
        try:
            kind, body = frames.receive(ours, limits.result_bytes)
            if kind is Kind.EXIT:
                break
            reading = wire.load_reading(body)
        except StreamEndedError as error:
            return failed(ExtractVerdict.FAILED, Problem("crash", str(error)), media_type), Usage()
        except ValueError as error:
            bad = Problem("crash", str(error))
    ended = cast("_Exit", json.loads(body))
    usage = Usage(ended["cpu_seconds"], ended["peak_bytes"])
    if bad is not None:
        return failed(ExtractVerdict.FAILED, bad, media_type), usage
    if ended["status"] == 0 and reading is not None:
        return reading, usage
    problem = _ending(ended["status"], limits)
    if reading is not None:
        # The text was done; only the comparison with the second engine was cut off.
        note = Problem("not_compared", f"the second engine failed: {problem.message}")
        return replace(reading, problems=(*reading.problems, note)), usage
    return failed(ExtractVerdict.FAILED, problem, media_type), usage


def _ending(status: int, limits: Limits) -> Problem:
    if status == -signal.SIGXCPU:
        return Problem("cpu", f"was not read within {limits.cpu_seconds:.0f} CPU seconds")
    if status == -signal.SIGALRM:
        return Problem("cpu", f"was not read within {limits.wall_seconds:.0f} seconds")
    if status in (_EXIT_MEMORY, -signal.SIGKILL):
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
