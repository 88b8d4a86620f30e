"""A service of one document of 1 MB, in a process of its own so that its CPU can be told apart.

Its argument is a folder; it writes its address on one line, and ends when its input does.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from watcher import logs
from watcher.clock import SystemClock
from watcher.domain.ids import DocumentId
from watcher.metrics import Metrics
from watcher.pipeline.ingest import ingest
from watcher.pipeline.services import Services
from watcher.settings import load
from watcher.store import Store
from watcher.web import WebServer, create_app

NAME = DocumentId("large")
SIZE = 1_000_000


def text() -> bytes:
    """About 1 MB of numbered clauses, no two of them alike."""
    lines, size, number = ["# Retention"], 0, 0
    while size < SIZE:
        number += 1
        days = number % 900 + 1
        line = f"{number}. Records of class {number:05d} are kept for {days} days, §{number}."
        lines.append(line)
        size += len(line.encode()) + 2
    return "\n\n".join(lines).encode()


def main(folder: Path) -> None:
    """Ingest, then serve until the input ends."""
    logs.configure(level=logs.Level.ERROR, style=logs.Style.CONSOLE)
    (folder / "documents").mkdir()
    source = folder / "large.md"
    source.write_bytes(text())
    config = folder / "watcher.toml"
    config.write_text(
        f'data_dir = "{folder}/var"\n[web]\nport = 0\n[web.limits]\nrate = 0\n', encoding="utf-8"
    )
    settings = load(config)
    with Store.open(folder / "var") as store:
        services = Services(settings, store, SystemClock(), Metrics())
        asyncio.run(ingest(services, NAME, source, media_type="text/markdown", title="Large"))
        with WebServer(create_app(lambda: services), settings.web) as server:
            server.wait()
            print(server.address, flush=True)
            sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
