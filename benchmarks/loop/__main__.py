"""`make bench-loop`: CPU of one check from schedule to alert, on a loopback origin."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import show
from benchmarks.loop import checks, peers
from watcher import logs


@contextmanager
def origin() -> Iterator[tuple[int, int]]:
    """Run the origin; yields its port and its process."""
    command = [sys.executable, "-m", "benchmarks.loop.origin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield int(process.stdout.readline()), process.pid
        process.stdin.close()


def main() -> None:
    """Measure and print."""
    logs.configure(level=logs.Level.ERROR, style=logs.Style.CONSOLE)
    with tempfile.TemporaryDirectory() as folder, origin() as (port, process):
        figures = asyncio.run(checks.measure(port, process, Path(folder) / "ours"))
        ours = [figure.value or 0.0 for figure in figures]
        figures += peers.measure(port, Path(folder), ours)
    show(figures)


if __name__ == "__main__":
    main()
