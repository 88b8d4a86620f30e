"""The demo: conducts the site and the daemon, step by step, until the histories end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from watcher.clock import SystemClock
from watcher.demo.narrator import Narrator
from watcher.demo.site import HISTORIES, Page, Site, maintenance, page_of, versions
from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome
from watcher.errors import WatcherError
from watcher.metrics import Metrics
from watcher.pipeline.citing import EmissionKey, emit
from watcher.pipeline.services import Services
from watcher.settings import load
from watcher.store import Store
from watcher.store.rows import AlertState, ChangeState

_AS_HTML = ("basecamp-privacy",)
"""Markdown histories that the site serves rendered to HTML."""
_TEMPORARY = "watcher-demo-"
_STEP_SECONDS = 30.0
"""How long a step may take before the demo gives up: a slow machine needs a few."""
_SETTINGS = """
data_dir = {data}
documents_dir = "documents"
[listen]
port = 0
[web]
port = 0
[fetch]
contact = "watcher demo"
spacing = "0s"
[check]
tick = "100ms"
confirm = true
confirm_after = "200ms"
full_every = 20
refusal_alert_after = 2
[[channels]]
name = "console"
kind = "console"
"""
_ENTRY = """
[[document]]
document_id = "{name}"
url = "{url}"
title = "{title}"
schedule = "1s"
severity = "page"
language = "en"
allowed_networks = ["127.0.0.0/8"]
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens to the site: a page is put in a document's place."""

    document: DocumentId
    page: Page
    title: str


def play(keep: Path | None, histories: Path = HISTORIES) -> int:
    """Run the demo; with `keep` its data stays in that folder. Returns the exit code.

    `histories` holds one folder for each document, its versions in the order
    of their names, and `citations.json`: what is cited of the first versions.

    Raises:
        WatcherError: the daemon did not do what a step waits for.
    """
    started = time.monotonic()
    console = Console(highlight=False, soft_wrap=True)
    folder = keep or Path(tempfile.mkdtemp(prefix=_TEMPORARY))
    if keep is not None and (keep / "watcher.toml").exists():
        raise WatcherError(f"{keep} holds a demo already", hint="name another folder, or none")
    with Site() as site:
        config = _configure(folder, site, histories)
        with _daemon(config) as process, _services(config) as services:
            stage = _Stage(services, Narrator(services, console), process, histories)
            stage.open()
            for steps in _rounds(histories):
                stage.play(site, steps)
            stage.finish()
    _summary(console, stage, config, time.monotonic() - started)
    return 0


def _rounds(histories: Path) -> Iterator[list[Step]]:
    """Yield what happens at the same time: the next version of every document that has one.

    In one round a document shows a maintenance page instead.
    """
    queues = [
        [Step(DocumentId(name), _page(name, path), path.name) for path in versions(folder)[1:]]
        for name, folder in ((name, histories / name) for name in _names(histories))
    ]
    name = next(name for name in reversed(_names(histories)) if name in _AS_HTML)
    bad = Step(DocumentId(name), maintenance(), "a maintenance page")
    queues[_names(histories).index(name)].insert(1, bad)
    while any(queues):
        yield [queue.pop(0) for queue in queues if queue]


def _names(histories: Path) -> list[str]:
    return sorted(path.name for path in histories.iterdir() if path.is_dir())


def _page(name: str, path: Path) -> Page:
    return page_of(path, as_html=name in _AS_HTML)


class _Stage:
    """The running demo: what was put on the site, and what is awaited of the daemon."""

    def __init__(
        self,
        services: Services,
        narrator: Narrator,
        process: subprocess.Popen[bytes],
        histories: Path,
    ) -> None:
        self._services = services
        self._process = process
        self.narrator = narrator
        self.documents = _names(histories)
        self._to_cite: list[dict[str, str]] = json.loads(
            (histories / "citations.json").read_text("utf-8")
        )

    def open(self) -> None:
        """Wait until the first version of every document was judged."""
        for name in self.documents:
            self._await(partial(self._judged, DocumentId(name), 0), f"{name} is judged")
        self._cite()

    def play(self, site: Site, steps: list[Step]) -> None:
        """Put pages and wait until the daemon has done all that follows from them."""
        before = {step.document: self._judgements(step.document) for step in steps}
        for step in steps:
            site.put(step.document, step.page)
        for step in steps:
            judged = partial(self._judged, step.document, before[step.document])
            self._await(judged, f"{step.title} is judged")
        self._await(self._changes_finished, "every change is re-anchored")
        self._await(self._confirmed, "every change is confirmed")
        self._cite()

    def _cite(self) -> None:
        """Let answers cite the first version of each document, once there is one."""
        for row in list(self._to_cite):
            name = DocumentId(row["document"])
            if self._services.store.versions.current(name) is not None:
                self._to_cite.remove(row)
                key = EmissionKey("demo-assistant", row["answer"])
                emit(self._services, name, key, quote=row["quote"])

    def finish(self) -> None:
        """Wait until every alert is out."""
        self._await(self._alerts_out, "every alert is delivered")
        self.narrator.look()

    def _judged(self, name: DocumentId, before: int) -> bool:
        return self._judgements(name) > before

    def _judgements(self, name: DocumentId) -> int:
        """Count the answers with a body that was new: each was accepted, held or refused."""
        seen = self._services.store.observations.list(name, limit=1000)
        settled = (Outcome.ACCEPTED, Outcome.HELD, Outcome.REFUSED)
        return sum(run.verdict.outcome in settled for run in seen)

    def _changes_finished(self) -> bool:
        changes = self._services.store.changes.list(None, limit=10_000)
        return all(change.state is ChangeState.ANCHORED for change in changes)

    def _confirmed(self) -> bool:
        return not self._services.store.outbox.list(state=AlertState.HELD)

    def _alerts_out(self) -> bool:
        return self._confirmed() and not self._services.store.outbox.list(state=AlertState.PENDING)

    def _await(self, done: Callable[[], bool], what: str) -> None:
        """Look, and tell, until `done` holds.

        Raises:
            WatcherError: the daemon ended, or the step took too long.
        """
        deadline = time.monotonic() + _STEP_SECONDS
        while not done():
            self.narrator.look()
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise WatcherError(
                    f"the demo waited in vain until {what}",
                    hint="see daemon.log in the demo's folder (watcher demo --keep FOLDER)",
                )
            time.sleep(0.05)
        self.narrator.look()


def _configure(folder: Path, site: Site, histories: Path) -> Path:
    """Write the configuration of the demo's daemon; the site serves each first version."""
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    for name in _names(histories):
        url = site.put(name, _page(name, versions(histories / name)[0]))
        title = name.replace("-", " ").title()
        entry = _ENTRY.format(name=name, url=url, title=title)
        (folder / "documents" / f"{name}.toml").write_text(entry, encoding="utf-8")
    config = folder / "watcher.toml"
    data = json.dumps(str((folder / "var").absolute()))
    config.write_text(_SETTINGS.format(data=data), encoding="utf-8")
    return config


@contextmanager
def _daemon(config: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the real daemon as its own process; stop it as an operator would."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("WATCHER_")}
    with (config.parent / "daemon.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "watcher.cli.main", "run", "--config", str(config)],
            stdout=log,
            stderr=log,
            env=environment,
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def _services(config: Path) -> Iterator[Services]:
    """Open the daemon's store beside it, once it is there."""
    settings = load(config)
    deadline = time.monotonic() + _STEP_SECONDS
    while not (settings.data_dir / "watcher.sqlite3").exists():
        if time.monotonic() > deadline:
            raise WatcherError("the daemon did not start", hint=f"see {config.parent}/daemon.log")
        time.sleep(0.05)
    with Store.open_beside(settings.data_dir) as store:
        yield Services(settings, store, SystemClock(), Metrics())


def _summary(console: Console, stage: _Stage, config: Path, seconds: float) -> None:
    tally = stage.narrator.tally
    console.print()
    console.print(Text(f"In {seconds:.0f} s:", style="bold"))
    checks = ", ".join(f"{n} {o.value}" for o, n in sorted(tally.checks.items()))
    changes = ", ".join(f"{n} {c.value}" for c, n in sorted(tally.changes.items()))
    found = ", ".join(f"{n} {s.value}" for s, n in sorted(tally.statements.items()))
    console.print(f"  checks: {checks}")
    console.print(f"  changes: {changes}; alerts sent: {tally.alerts}")
    console.print(f"  where citations were found: {found}")
    console.print()
    kept = not str(config.parent).startswith(str(Path(tempfile.gettempdir()) / _TEMPORARY))
    where = config if kept else Path("demo") / config.name
    if kept:
        console.print("Look further:")
    else:
        shutil.rmtree(config.parent, ignore_errors=True)
        console.print("To look further, keep the data: watcher demo --keep demo, and then")
    name = stage.documents[-1]
    for command in (f"versions {name}", f"diff {name}", f"citations list {name}", "alerts list"):
        console.print(f"  watcher {command} --config {where}")
    console.print(f"  watcher resolve CITATION --config {where}")
