"""The whole daemon with its own intervals cut short, for test_live.py to hurt.

Arguments: the service file, and a file whose presence stops the event loop.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from watcher.cli import compose
from watcher.pipeline import auditing
from watcher.pipeline.deliver import deliver_due


def block_while(stall: Path) -> None:
    """Hold the event loop: nothing ticks, only the listener's threads answer."""
    while stall.exists():
        time.sleep(0.05)


def main(config: Path, stall: Path) -> int:
    auditing.SLICE_SECONDS = 0.5
    vars(compose)["SLICE_SECONDS"] = 0.5
    auditing.LEAST_CYCLE_SECONDS = 0.5

    async def deliver(self: compose._Daemon) -> None:
        block_while(stall)
        await deliver_due(self._services, self._senders)

    compose._Daemon._deliver = deliver  # type: ignore[method-assign]
    return compose.run_daemon(config)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
