"""The same three cases with other watchers, where they are installed in .venv-peers."""

from __future__ import annotations

import json
import resource
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.figures import Figure, told, unmeasured

HOME = Path(__file__).parents[2] / ".venv-peers" / "bin"
DOCUMENTS = 100
CASES = ("304", "unchanged 200", "changed 200")
_SECONDS = 300

Command = Callable[[Path, Path], Sequence[str]]
"""(folder, file of addresses) -> the command that checks them all once."""


def _webchanges(folder: Path, jobs: Path) -> list[str]:
    files = ("--jobs", str(jobs), "--config", str(folder / "config.yaml"))
    return [str(HOME / "webchanges"), *files, "--database", str(folder / "kept.db")]


def _urlwatch(folder: Path, jobs: Path) -> list[str]:
    files = ("--urls", str(jobs), "--config", str(folder / "config.yaml"))
    return [str(HOME / "urlwatch"), *files, "--cache", str(folder / "kept.db")]


PEERS: dict[str, Command] = {"webchanges": _webchanges, "urlwatch": _urlwatch}


def measure(port: int, folder: Path, ours: Sequence[float]) -> Iterator[Figure]:
    """Yield each peer's CPU of a check in the three cases, and how often ours goes into it.

    `ours` are our milliseconds in the same order. A run is a process: what one
    run over one address costs is start-up and is taken off.
    """
    for name, command in PEERS.items():
        if not (HOME / name).exists():
            yield unmeasured(f"{name}: CPU of a check", "ms", "not installed: make bench-peers")
            continue
        home = folder / name
        home.mkdir()
        try:
            found = _cases(port, home, command)
        except (subprocess.SubprocessError, OSError) as error:
            yield unmeasured(f"{name}: CPU of a check", "ms", f"does not run: {error}"[:120])
            continue
        for case, milliseconds, mine in zip(CASES, found, ours, strict=True):
            yield told(f"{name}: CPU of a check, {case}", milliseconds, "ms")
            yield told(f"{name}: times ours, {case}", milliseconds / mine, "times")
    reason = "not installed: make bench-peers"
    if (HOME / "changedetection.io").exists():
        reason = "has no command that checks every document once"
    yield unmeasured("changedetection.io: CPU of a check", "ms", reason)


def _cases(port: int, home: Path, command: Command) -> list[float]:
    many, one = home / "many", home / "one"
    urls = [f"http://127.0.2.{n % 250 + 1}:{port}/doc/p{n}" for n in range(DOCUMENTS)]
    runs = []
    for folder, chosen in ((many, urls), (one, urls[:1])):
        folder.mkdir()
        jobs = folder / "jobs.yaml"
        # JSON is YAML; the addresses are the whole configuration of a job.
        jobs.write_text("---\n".join(json.dumps({"url": url}) + "\n" for url in chosen))
        runs.append(command(folder, jobs))
    orders = ("edition/0", "remember", "forget", "edition/9")
    found = []
    for order in orders:
        _tell(port, order)
        whole, start = (_run(run, home) for run in runs)
        found.append((whole - start) * 1e3 / (DOCUMENTS - 1))
    _tell(port, "remember")
    return found[1:]


def _run(command: Sequence[str], home: Path) -> float:
    """Run a command with a home of its own; return its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_SECONDS,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _tell(port: int, command: str) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{command}") as answer:
        answer.read()
