"""A whole daemon with many documents: memory, descriptors, CPU of a check, a tarpit beside it.

    python -m benchmarks.loop.daemon [DOCUMENTS]

It runs `watcher run` as an operator does, over a directory in which every
document has a capture, and makes all of them due at once: three passes of 304,
the last with the documents of a host that never answers among them.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.figures import Figure, at_least, at_most, show, told
from benchmarks.loop.origin import page
from benchmarks.usage import cpu_seconds, descriptors, resident
from watcher.clock import SystemClock
from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome, Verdict
from watcher.extract.model import Options, Source
from watcher.extract.read import extract
from watcher.metrics import Metrics
from watcher.pipeline.dating import METHOD
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import load
from watcher.store import Store
from watcher.store.rows import NewCapture, NewObservation

DOCUMENTS = 10_000
HOSTS = 250
STUCK = 100
"""Documents of the host that never answers."""
_RUN = "from watcher.cli.main import main; main()"
_PASS_SECONDS = 1800
_LATER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Pass:
    """What one check of every document took: CPU and wall seconds, the most descriptors open."""

    cpu: float
    wall: float
    most_open: int
    resident: float


class Daemon:
    """A running `watcher run`, its store beside it, and its metrics."""

    def __init__(self, process: subprocess.Popen[bytes], store: Store, port: int) -> None:
        self._process = process
        self._store = store
        self._port = port

    def run(self, names: Sequence[DocumentId], beside: Sequence[DocumentId] = ()) -> Pass:
        """Make documents due, those `beside` first, and wait until all of `names` were checked."""
        pid, most = self._process.pid, 0
        before, started = self._checked(), time.perf_counter()
        used = cpu_seconds(pid)
        now = datetime.now(UTC)
        self._store.documents.schedule_all(dict.fromkeys(beside, now - timedelta(seconds=1)))
        self._store.documents.schedule_all(dict.fromkeys(names, now))
        while self._checked() < before + len(names):
            assert time.perf_counter() - started < _PASS_SECONDS
            most = max(most, descriptors(pid))
            time.sleep(0.5)
        wall = time.perf_counter() - started
        return Pass(cpu_seconds(pid) - used, wall, most, resident(pid))

    def _checked(self) -> float:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        wanted = 'watcher_checks_total{outcome="not_modified"}'
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(wanted))


@contextmanager
def running(folder: Path, config: Path, port: int) -> Iterator[Daemon]:
    """Run the daemon on a configuration; yields it once it answers."""
    command = [sys.executable, "-c", _RUN, "run", "--config", str(config)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            _wait_for(port, process)
            with Store.open_beside(folder / "var") as store:
                yield Daemon(process, store, port)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def measure(port: int, folder: Path, documents: int) -> list[Figure]:
    """Return the figures of a daemon with so many documents."""
    listen = _free_port()
    config = _configure(folder, port, listen, documents)
    names = [DocumentId(f"d{n}") for n in range(documents)]
    stuck = [DocumentId(f"stuck{n}") for n in range(STUCK)]
    _seed(config, folder / "var", names, stuck, port)
    with running(folder, config, listen) as daemon:
        passes = [daemon.run(names), daemon.run(names), daemon.run(names, beside=stuck)]
    first, second, third = passes
    cpu, most = second.cpu * 1e3 / documents, max(one.most_open for one in passes)
    growth = 100 * (second.resident - first.resident) / first.resident
    at = f"daemon of {documents} documents"
    return [
        at_most(f"{at}: CPU of a 304, everything included", cpu, "ms", 3.3),
        at_least(f"{at}: checks in a CPU second", documents / second.cpu, "checks", 300),
        told(f"{at}: checks in a second of this machine", documents / second.wall, "checks"),
        at_most(f"{at}: resident", max(one.resident for one in passes), "MB", 200),
        at_most(f"{at}: growth over a second pass", growth, "%", 5),
        at_most(f"{at}: descriptors", most, "open", 64),
        at_most(f"{at}: slowdown beside a tarpit host", third.wall / second.wall, "times", 2),
    ]


def _configure(folder: Path, port: int, listen: int, documents: int) -> Path:
    config = folder / "watcher.toml"
    config.write_text(
        f'data_dir = "{folder}/var"\n[listen]\nport = {listen}\n'
        '[fetch]\nspacing = "0s"\ncontact = "benchmark"\n'
    )
    urls = {f"d{n}": f"http://{_host(n)}:{port}/doc/all/{n}" for n in range(documents)}
    urls |= {f"stuck{n}": f"http://127.0.9.9:{port}/slow/{n}" for n in range(STUCK)}
    (folder / "documents").mkdir()
    (folder / "documents" / "all.toml").write_text(
        "".join(
            f'[[document]]\ndocument_id = "{name}"\nurl = "{url}"\nschedule = "1d"\n'
            'allowed_networks = ["127.0.0.0/8"]\nignore_robots = "a benchmark"\n'
            for name, url in urls.items()
        )
    )
    return config


def _host(number: int) -> str:
    return f"127.0.3.{number % HOSTS + 1}"


def _seed(
    config: Path, directory: Path, names: list[DocumentId], stuck: list[DocumentId], port: int
) -> None:
    """Give every document an accepted capture with validators, and nothing to do for now."""
    body, now = page("all", 0), datetime.now(UTC)
    reading = extract(Source(body, "text/html; charset=utf-8"), Options())
    with urllib.request.urlopen(f"http://{_host(0)}:{port}/doc/all/0") as answer:
        etag = answer.headers["ETag"]
    settings = load(config)
    with Store.open(directory) as store:
        services = Services(settings, store, SystemClock(), Metrics())
        sync_documents(services)
        store.documents.schedule_all(dict.fromkeys([*names, *stuck], now + _LATER))
        for name in names:
            leased = store.documents.claim(name, now, lease_seconds=60, owner="benchmark")
            url = leased.document.urls[0]
            capture = NewCapture(body, url, now, content_type="text/html", final_url=url)
            seen = NewObservation(
                now, url, Verdict(Outcome.ACCEPTED), final_url=url, http_status=200, etag=etag
            )
            store.commits.commit_capture(leased.lease, capture, reading, seen)
            store.documents.release(leased.lease, next_check=now + _LATER, fails=0)
            # As if its dates had been looked for long ago.
            store.dates.scanned(name, reading.text.version, (), at=now, method=METHOD)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        assert process.poll() is None, "the daemon ended"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics"):
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError("the daemon does not answer")


def main() -> None:
    """Measure and print."""
    from benchmarks.loop.__main__ import origin  # noqa: PLC0415 - it imports this module

    documents = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    with tempfile.TemporaryDirectory() as folder, origin() as (port, _):
        show(measure(port, Path(folder), documents))


if __name__ == "__main__":
    main()
