"""kill -9 at any moment: nothing is lost, nothing is doubled, work resumes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.pipeline.deployment import ManualClock, Receiver, html
from watcher.demo.site import Page, Site
from watcher.domain.ids import DocumentId
from watcher.metrics import Metrics
from watcher.pipeline.citing import EmissionKey, emit
from watcher.pipeline.services import Services
from watcher.pipeline.views import Damage, verify
from watcher.settings import load
from watcher.store import Store
from watcher.store.rows import AlertState, ChangeState

KILLS = 6
NAME = DocumentId("retention")


class Daemon:
    """The real daemon as its own process."""

    def __init__(self, config: Path) -> None:
        self.log = config.parent / "daemon.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "watcher.cli.main", "run", "--config", str(config)],
                stdout=log,
                stderr=log,
            )

    def ready(self) -> bool:
        """Tell whether it has said that it is ready since the log began."""
        return b"daemon.ready" in self.log.read_bytes()

    def kill(self) -> None:
        """As the kernel does when memory runs out."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """As the service manager does."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def until(what: Callable[[], bool], daemon: Daemon, seconds: float = 60) -> None:
    """Wait for a condition, not for a time."""
    deadline = time.monotonic() + seconds
    while not what():
        assert daemon.process.poll() is None, daemon.log.read_text()[-3000:]
        assert time.monotonic() < deadline, daemon.log.read_text()[-3000:]
        time.sleep(0.02)


def page(number: int) -> Page:
    """Return a policy whose retention period is `number` days."""
    return html(
        f"Access logs are kept for {number} days and then deleted from every system.",
        "Exceptions need the written approval of the data protection officer.",
        "This policy applies to every employee and to every contractor of the company.",
    )


def stored(store: Store, wanted: int) -> bool:
    """Tell whether the store holds that many versions."""
    return len(store.versions.list(NAME)) >= wanted


def configure(folder: Path, url: str, hook: str) -> Path:
    (folder / "documents").mkdir()
    (folder / "documents" / "d.toml").write_text(
        f'[[document]]\ndocument_id = "{NAME}"\nurl = "{url}"\nschedule = "1s"\n'
        'language = "en"\nconfirm = false\nallowed_networks = ["127.0.0.0/8"]\n',
        encoding="utf-8",
    )
    config = folder / "watcher.toml"
    config.write_text(
        f'data_dir = "{folder}/var"\n[listen]\nport = 0\n[web]\nport = 0\n[fetch]\nspacing = "0s"\n'
        f'[check]\ntick = "50ms"\n[[channels]]\nname = "hook"\nkind = "webhook"\nurl = "{hook}"\n',
        encoding="utf-8",
    )
    return config


@pytest.mark.kill
@pytest.mark.timeout(300)
def test_a_killed_daemon_loses_nothing_and_doubles_nothing(
    tmp_path: Path, site: Site, receiver: Receiver
) -> None:
    chance = random.Random(20261130)
    config = configure(tmp_path, site.put(NAME, page(0)), receiver.url)
    daemon = Daemon(config)
    until(daemon.ready, daemon)
    with Store.open_beside(tmp_path / "var") as store:
        until(lambda: store.versions.current(NAME) is not None, daemon)
        services = Services(load(config), store, ManualClock(), Metrics())
        citation = emit(
            services, NAME, EmissionKey("a", "1"), quote="Access logs are kept for 0 days"
        )
    for number in range(1, KILLS + 1):
        site.put(NAME, page(number))
        time.sleep(chance.uniform(0.0, 0.6))
        daemon.kill()
        daemon = Daemon(config)
        with Store.open_beside(tmp_path / "var") as store:
            until(partial(stored, store, number + 1), daemon)
    with Store.open_beside(tmp_path / "var") as store:
        until(
            lambda: all(c.state is ChangeState.ANCHORED for c in store.changes.list(NAME)), daemon
        )
        until(lambda: not store.outbox.list(state=AlertState.PENDING), daemon)
    assert daemon.stop() == 0

    with Store.open(tmp_path / "var", read_only=True) as store:
        services = Services(load(config), store, ManualClock(), Metrics())
        assert not [found for found in verify(services) if isinstance(found, Damage)]
        assert len(store.versions.list(NAME)) == KILLS + 1
        assert len(store.captures.list(NAME)) == KILLS + 1
        changes = store.changes.list(NAME)
        assert len({change.change_id for change in changes}) == len(changes) == KILLS
        statements = store.citations.statements(citation.citation.citation_id)
        assert len({s.version for s in statements}) == len(statements) == KILLS
        alerts = store.outbox.list()
        assert {alert.state for alert in alerts} == {AlertState.DELIVERED}
        assert {alert.change_id for alert in alerts} == {change.change_id for change in changes}
    # A kill between the receiver's answer and its record repeats the request
    # under the same key, so that a receiver can tell.
    assert len(set(receiver.keys)) == KILLS
    assert {body["change_id"] for body in receiver.bodies} == {c.change_id for c in changes}


def test_two_daemons_on_one_directory_are_refused_by_name(
    tmp_path: Path, site: Site, receiver: Receiver
) -> None:
    config = configure(tmp_path, site.put(NAME, page(0)), receiver.url)
    daemon = Daemon(config)
    try:
        until(daemon.ready, daemon)
        with Store.open_beside(tmp_path / "var") as store:
            until(lambda: store.versions.current(NAME) is not None, daemon)
        second = subprocess.run(
            [sys.executable, "-m", "watcher.cli.main", "run", "--config", str(config)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=os.environ | {"COLUMNS": "200"},
        )
        assert second.returncode == 75
        assert "in use" in second.stderr
    finally:
        daemon.stop()
