"""The sandbox's side: a fork server that reads nothing, and children that read one source.

The server imports the engines once and then only forks. Each child has one
socket and nothing else: no file can be opened (so no network either), no
process started, no secret is in the environment, and CPU time and address
space are bounded by the kernel. Whatever a parser does, it does it there.
"""

from __future__ import annotations

import contextlib
import encodings
import gc
import importlib
import json
import math
import os
import pkgutil
import resource
import selectors
import signal
import socket
import sys
from dataclasses import dataclass, field

import pypdf

from watcher.domain.reading import ExtractVerdict, MediaType, Problem, Reading
from watcher.domain.text import CanonicalText
from watcher.extract import frames, wire
from watcher.extract.compare import compared
from watcher.extract.failure import failed
from watcher.extract.frames import Kind
from watcher.extract.model import HAS_PDFIUM, Limits, Source
from watcher.extract.pdf_model import BrokenError, EncryptedError
from watcher.extract.read import extract, media_type_of
from watcher.extract.sandbox import EXIT_MEMORY

READY = b"R"
"""Told by the server once it can fork."""

_JOB_LIMIT = 1 << 20


@dataclass(slots=True)
class _Server:
    """The jobs at work: child's process id -> the socket on which its end is told."""

    control: socket.socket
    jobs: dict[int, socket.socket] = field(default_factory=dict)

    def run(self) -> None:
        """Fork a child for every socket that arrives until the other side closes."""
        waking, woken = socket.socketpair()
        waking.setblocking(False)
        woken.setblocking(False)
        signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with selectors.DefaultSelector() as ready:
            ready.register(self.control, selectors.EVENT_READ)
            ready.register(woken, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if key.fileobj is woken:
                        with contextlib.suppress(BlockingIOError):
                            woken.recv(4096)
                        self._reap()
                    elif not self._accept():
                        self._kill()
                        return

    def _accept(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
        if not message:
            return False
        job = socket.socket(fileno=descriptors[0])
        child = os.fork()
        if child == 0:
            self.control.close()
            for other in self.jobs.values():
                other.close()
            _child(job)
        self.jobs[child] = job
        return True

    def _reap(self) -> None:
        while self.jobs:
            child, status, used = os.wait4(-1, os.WNOHANG)
            if not child:
                return
            job = self.jobs.pop(child, None)
            if job is None:
                continue
            said = {
                "status": os.waitstatus_to_exitcode(status),
                "cpu_seconds": used.ru_utime + used.ru_stime,
                "peak_bytes": used.ru_maxrss * 1024,
            }
            with contextlib.suppress(OSError):
                frames.send(job, Kind.EXIT, json.dumps(said).encode())
            job.close()

    def _kill(self) -> None:
        for child in self.jobs:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


def main() -> None:
    """Serve on the socket that is standard input until it closes."""
    control = socket.socket(fileno=os.dup(0))
    os.close(0)
    _preload()
    gc.collect()
    gc.freeze()
    # What was written to standard error so far explains a failed start. From
    # now on engines would write there, and a child may write to no file.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    control.send(READY)
    _Server(control).run()


def _preload() -> None:
    """Import whatever could be imported later: a child can open no file."""
    for package in (encodings, pypdf):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            with contextlib.suppress(ImportError):  # of other systems, or of an extra
                importlib.import_module(module.name)
    extras = ("watcher.extract.geometry",) if HAS_PDFIUM else ()
    for name in ("fontTools.ttLib", "PIL.Image", *extras):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _child(job: socket.socket) -> None:
    """Read one source and end this process; never returns."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _serve(job)
        status = 0
    except MemoryError:
        status = EXIT_MEMORY
    finally:
        os._exit(status)


def _serve(job: socket.socket) -> None:
    kind, body = frames.receive(job, _JOB_LIMIT)
    _, data = frames.receive(job, sys.maxsize)
    if kind is Kind.JOB:
        _read(job, body, data)
    else:
        _, text = frames.receive(job, sys.maxsize)
        _locate(job, kind, body, data, CanonicalText(text))


def _read(job: socket.socket, body: bytes, data: bytes) -> None:
    source, options, limits = wire.load_job(body, data)
    budget = _Budget(limits)
    budget.apply()
    try:
        reading = extract(source, options, budget.earned)
    except MemoryError:
        gc.collect()
        reading = _ran_out(source, "memory", f"needs more than {limits.memory_bytes >> 20} MiB")
    except Exception as error:  # noqa: BLE001 - a parser's bug is a verdict, not an event
        reading = _ran_out(source, "crash", f"{type(error).__name__}: {error}"[:200])
    frames.send(job, Kind.READING, wire.dump_reading(reading))
    if options.compare and reading.media_type is MediaType.PDF and reading.text.data:
        agreed = compared(reading, source, options)
        if agreed is not None:
            frames.send(job, Kind.READING, wire.dump_reading(agreed))


def _locate(job: socket.socket, kind: Kind, body: bytes, data: bytes, text: CanonicalText) -> None:
    ranges, page, dpi, limits = wire.load_question(body)
    _Budget(limits).apply()
    if not HAS_PDFIUM:
        return
    from watcher.extract.geometry import Geometry  # noqa: PLC0415 - of an extra

    try:
        geometry = Geometry(data, text)
    except (BrokenError, EncryptedError):
        return
    if kind is Kind.PLACE:
        for number in sorted({text.page_of(start) for start, _ in ranges}):
            boxes = geometry.boxes(number)
            if boxes is not None:
                frames.send(job, kind, wire.dump_boxes(boxes))
    else:
        frames.send(job, kind, geometry.picture(page, ranges, dpi))


def _ran_out(source: Source, code: str, message: str) -> Reading:
    return failed(ExtractVerdict.FAILED, Problem(code, message), media_type_of(source))


class _Budget:
    """The limits of this process, and the CPU time that its progress earns."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._granted = math.ceil(limits.cpu_seconds)
        self._ceiling = max(self._granted, math.ceil(limits.ceiling_cpu_seconds))

    def apply(self) -> None:
        """Bound this process for good."""
        limits = self._limits
        for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
            resource.setrlimit(kind, (0, 0))
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
        resource.setrlimit(resource.RLIMIT_CPU, (self._granted, self._ceiling))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds)

    def earned(self, pages: int) -> None:
        """Grant what `pages` pages may have cost, and the base for the next ones."""
        limits = self._limits
        due = math.ceil(limits.cpu_seconds + pages * limits.page_cpu_seconds)
        if due > self._granted and self._granted < self._ceiling:
            self._granted = min(due, self._ceiling)
            resource.setrlimit(resource.RLIMIT_CPU, (self._granted, self._ceiling))
