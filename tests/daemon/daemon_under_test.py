"""A whole daemon in a process of its own, for test_serve.py to hurt.

Its argument names a folder; files in it switch faults on. What happens is
written to files and to the log on standard error.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from watcher import logs
from watcher.daemon.health import HealthCheck
from watcher.daemon.jobs import Job
from watcher.daemon.serve import DaemonApp, serve
from watcher.daemon.supervisor import Limits
from watcher.errors import ConfigError
from watcher.metrics import Metrics


def main(folder: Path, port: int) -> int:
    def asked(name: str) -> bool:
        return (folder / name).exists()

    def note(name: str) -> None:
        with (folder / "notes").open("a", encoding="utf-8") as notes:
            notes.write(name + "\n")

    async def tick() -> None:
        note("tick")
        if asked("fail"):
            raise RuntimeError("this tick was told to fail")
        if asked("hang"):
            await asyncio.sleep(3600)
        if asked("block"):
            (folder / "block").unlink()
            time.sleep(2)  # noqa: ASYNC251 - the point is to block the loop
        if asked("work"):
            await asyncio.sleep(1)
            note("worked")

    async def reload() -> str:
        if asked("bad config"):
            raise ConfigError("watcher.toml:3: fetch.tiemout: unknown key", hint="write timeout")
        if asked("broken config"):
            raise OSError("the disk is gone")
        return "3 documents"

    def database() -> str:
        if asked("database locked"):
            raise OSError("database is locked")
        return "writable"

    def disk() -> str:
        if asked("disk full"):
            raise OSError("12 MiB left")
        return "plenty"

    async def on_stop() -> None:
        note("stopped")

    logs.configure()
    app = DaemonApp(
        jobs=(Job("dispatch", 0.2, tick, deadline_seconds=5),),
        checks=(HealthCheck("database", database, vital=True), HealthCheck("disk", disk)),
        metrics=Metrics(),
        reload=reload,
        status=lambda: "watching 3 documents",
        on_drain=lambda: note("drain"),
        on_stop=on_stop,
        port=port,
        drain_seconds=3,
        limits=Limits(watch=0.05, heartbeat=0.2, stall=2, lag=1),
    )
    return asyncio.run(serve(app))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
