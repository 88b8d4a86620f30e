"""The whole daemon, in a real process with real signals and sockets."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
PROGRAM = Path(__file__).with_name("daemon_under_test.py")
PATIENCE = 30.0
HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


def wait_for(what: str, ask: Callable[[], T]) -> T:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = ask()
        if found:
            return found
        time.sleep(0.02)
    pytest.fail(f"no {what} within {PATIENCE} s")


@dataclass
class Daemon:
    process: subprocess.Popen[str]
    folder: Path
    log: Path
    notify: socket.socket
    told: list[str] = field(default_factory=list)

    def lines(self) -> list[dict[str, Any]]:
        complete = self.log.read_text().rpartition("\n")[0].splitlines()
        return [json.loads(line) for line in complete if line.startswith("{")]

    def event(self, name: str, count: int = 1) -> dict[str, Any]:
        def ask() -> dict[str, Any]:
            matching = [line for line in self.lines() if line["event"] == name]
            return matching[count - 1] if len(matching) >= count else {}

        return wait_for(f"event {name}", ask)

    def get(self, path: str) -> tuple[int, str]:
        address = self.event("daemon.started")["listen"]
        try:
            with urllib.request.urlopen(f"http://{address}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def wait_ready(self, status: int = 200) -> str:
        return (
            wait_for(
                f"/readyz {status}",
                lambda: (answer := self.get("/readyz?verbose"))[0] == status and answer[1],
            )
            or ""
        )

    def metric(self, name: str) -> float:
        line = next(
            line for line in self.get("/metrics")[1].splitlines() if line.startswith(name + " ")
        )
        return float(line.rsplit(" ", 1)[1])

    def notifications(self) -> list[str]:
        while True:
            try:
                self.told.append(self.notify.recv(65536).decode())
            except BlockingIOError:
                return self.told

    def switch(self, name: str, *, on: bool = True) -> None:
        if on:
            (self.folder / name).touch()
        else:
            (self.folder / name).unlink()

    def notes(self) -> list[str]:
        notes = self.folder / "notes"
        return notes.read_text().splitlines() if notes.exists() else []

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def running(folder: Path, port: int = 0) -> Iterator[Daemon]:
    address = folder / "notify"
    log = folder / "log"
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify,
        log.open("w", encoding="utf-8") as errors,
    ):
        notify.bind(str(address))
        notify.setblocking(False)
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(folder), str(port)],
            stderr=errors,
            text=True,
            env={**os.environ, "NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": "600000"},
        )
        try:
            yield Daemon(process, folder, log, notify)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with running(tmp_path) as found:
        yield found


def test_it_starts_serves_and_stops_in_order(daemon: Daemon) -> None:
    verbose = daemon.wait_ready()
    assert "[+] process (vital): ticking" in verbose
    assert "[+] database (vital): writable" in verbose
    assert "[+] disk: plenty" in verbose
    assert daemon.get("/livez") == (200, "ok\n")
    assert daemon.get("/healthz") == (200, "ok\n")
    assert daemon.get("/nothing")[0] == 404
    assert daemon.metric('watcher_state{watcher_state="running"}') == 1
    wait_for("a tick", lambda: "tick" in daemon.notes())
    daemon.switch("work")
    seen = len(daemon.notes())
    wait_for("work under way", lambda: len(daemon.notes()) > seen)
    assert daemon.stop() == 0
    assert daemon.notes()[-2:] == ["worked", "stopped"]
    assert "drain" in daemon.notes()
    events = [line["event"] for line in daemon.lines()]
    assert events[0] == "daemon.started"
    assert events[-2:] == ["daemon.draining", "daemon.stopped"]


def test_systemd_is_told_of_every_step(daemon: Daemon) -> None:
    daemon.wait_ready()
    wait_for("watchdog", lambda: daemon.notifications().count("WATCHDOG=1") >= 3)
    daemon.stop()
    told = daemon.notifications()
    ready = told.index("READY=1\nSTATUS=watching 3 documents")
    stopping = next(i for i, line in enumerate(told) if line.startswith("STOPPING=1"))
    assert ready < told.index("WATCHDOG=1") < stopping


def test_a_service_manager_that_does_not_read_stops_nothing(daemon: Daemon) -> None:
    daemon.wait_ready()
    runs = 'watcher_job_runs_total{name="dispatch",outcome="success"}'
    wait_for("many runs", lambda: daemon.metric(runs) >= 20)
    daemon.wait_ready()
    assert daemon.stop() == 0


def test_the_watchdog_is_not_fed_while_a_vital_check_fails(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.switch("database locked")
    assert "database: database is locked" in daemon.wait_ready(503)
    daemon.event("daemon.degraded")
    assert daemon.get("/livez")[0] == 200
    daemon.notifications()
    daemon.told.clear()
    wait_for("two status lines", lambda: len(daemon.notifications()) >= 2)
    assert "WATCHDOG=1" not in daemon.told
    assert any("STATUS=degraded: database: database is locked" in line for line in daemon.told)
    daemon.switch("database locked", on=False)
    daemon.wait_ready()
    daemon.event("daemon.recovered")


def test_a_failing_check_that_is_not_vital_degrades_and_no_more(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.switch("disk full")
    assert daemon.event("daemon.degraded")["failing"] == {"disk": "12 MiB left"}
    status, verbose = daemon.get("/readyz?verbose")
    assert status == 200
    assert "state: degraded" in verbose
    daemon.notifications()
    daemon.told.clear()
    wait_for("watchdog", lambda: "WATCHDOG=1" in daemon.notifications())


def test_it_is_not_ready_before_the_database_is(tmp_path: Path) -> None:
    (tmp_path / "database locked").touch()
    with running(tmp_path) as daemon:
        wait_for("probe", lambda: "database is locked" in daemon.get("/readyz")[1])
        assert daemon.get("/readyz")[1].startswith("not ready: starting; database:")
        assert not [line for line in daemon.notifications() if line.startswith("READY")]
        daemon.switch("database locked", on=False)
        daemon.wait_ready()
        daemon.event("daemon.ready")


def test_a_failing_job_is_told_and_the_next_runs(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.switch("fail")
    failed = daemon.event("job.failed")
    assert failed["job"] == "dispatch"
    assert failed["exception"][0]["exc_value"] == "this tick was told to fail"
    daemon.switch("fail", on=False)
    succeeded = 'watcher_job_runs_total{name="dispatch",outcome="success"}'
    before = daemon.metric(succeeded)
    wait_for("success", lambda: daemon.metric(succeeded) > before)


def test_drain_cancels_what_does_not_end(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.switch("hang")
    seen = len(daemon.notes())
    wait_for("hanging tick", lambda: len(daemon.notes()) > seen)
    assert daemon.stop() == 0
    assert daemon.event("job.timeout")["cancelled"] == ["dispatch"]
    assert daemon.notes()[-1] == "stopped"


def test_a_second_sigterm_ends_it_at_once(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.switch("hang")
    seen = len(daemon.notes())
    wait_for("hanging tick", lambda: len(daemon.notes()) > seen)
    daemon.process.send_signal(signal.SIGTERM)
    daemon.event("daemon.draining")
    assert daemon.get("/readyz")[0] == 503
    assert daemon.stop() == 1
    assert "stopped" not in daemon.notes()


def test_sighup_takes_new_settings_or_keeps_the_old_and_says_so(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.process.send_signal(signal.SIGHUP)
    assert daemon.event("config.reloaded")["summary"] == "3 documents"
    assert daemon.metric("watcher_config_last_reload_successful") == 1
    daemon.switch("bad config")
    daemon.process.send_signal(signal.SIGHUP)
    rejected = daemon.event("config.rejected")
    assert rejected["hint"] == "write timeout"
    assert rejected["kept"] == "old"
    assert daemon.metric("watcher_config_last_reload_successful") == 0
    daemon.switch("bad config", on=False)
    daemon.switch("broken config")
    daemon.process.send_signal(signal.SIGHUP)
    assert "exception" in daemon.event("config.rejected", count=2)
    reloading = [line for line in daemon.notifications() if line.startswith("RELOADING=1")]
    assert all("MONOTONIC_USEC=" in line for line in reloading)
    assert len(reloading) == 3
    assert daemon.stop() == 0


def test_sigusr1_writes_every_stack_and_nothing_of_its_values(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.process.send_signal(signal.SIGUSR1)
    stacks = daemon.event("daemon.stacks")
    assert any("supervisor.py" in place for place in stacks["tasks"]["supervisor"])
    assert any(name.startswith("listener") for name in stacks["threads"])
    assert daemon.stop() == 0


def test_a_loop_that_stands_still_is_seen_from_outside(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.switch("block")
    fault = wait_for("livez 503", lambda: (answer := daemon.get("/livez"))[0] == 503 and answer[1])
    assert "event loop" in str(fault)
    daemon.event("loop.lagged")
    wait_for("livez 200", lambda: daemon.get("/livez")[0] == 200)
    assert not [line for line in daemon.lines() if line["event"] == "scheduler.stalled"]


def test_a_stopped_and_continued_process_goes_on(daemon: Daemon) -> None:
    daemon.wait_ready()
    daemon.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, daemon.process.pid, os.WSTOPPED | os.WNOWAIT)
    time.sleep(2.5)  # longer than the stall limit: this is the fault itself
    daemon.process.send_signal(signal.SIGCONT)
    daemon.event("loop.lagged")
    seen = len(daemon.notes())
    wait_for("ticks", lambda: len(daemon.notes()) > seen + 2)
    assert not [line for line in daemon.lines() if line["event"] == "scheduler.stalled"]


def test_a_taken_address_says_what_to_do(daemon: Daemon, tmp_path: Path) -> None:
    port = int(daemon.event("daemon.started")["listen"].rsplit(":", 1)[1])
    second = tmp_path / "second"
    second.mkdir()
    with running(second, port) as other:
        assert other.process.wait(PATIENCE) == 75
        failed = other.event("daemon.failed")
        assert str(port) in failed["message"]
        assert "another daemon" in failed["hint"]


def test_a_socket_of_the_service_manager_is_used(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as ready_made,
        (tmp_path / "log").open("w", encoding="utf-8") as errors,
    ):
        address = "{}:{}".format(*ready_made.getsockname())
        number = str(ready_made.fileno())
        process = subprocess.Popen(
            [sys.executable, "-c", HAND_OVER, number, str(PROGRAM), str(tmp_path), "1"],
            pass_fds=[int(number)],
            stderr=errors,
        )
        try:
            wait_for("start", lambda: "daemon.started" in (tmp_path / "log").read_text())
            assert f'"listen": "{address}"' in (tmp_path / "log").read_text()
            with urllib.request.urlopen(f"http://{address}/livez", timeout=10) as answer:
                assert answer.read() == b"ok\n"
            process.terminate()
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            process.wait()


def test_openmetrics_is_served_to_who_asks_for_it(daemon: Daemon) -> None:
    daemon.wait_ready()
    address = daemon.event("daemon.started")["listen"]
    request = urllib.request.Request(
        f"http://{address}/metrics", headers={"Accept": "application/openmetrics-text"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
        assert answer.read().endswith(b"# EOF\n")


def test_idle_connections_neither_hold_up_others_nor_the_end(daemon: Daemon) -> None:
    daemon.wait_ready()
    host, port = daemon.event("daemon.started")["listen"].rsplit(":", 1)
    idle = [socket.create_connection((host, int(port))) for _ in range(10)]
    try:
        assert daemon.get("/livez")[0] == 200
        assert daemon.stop() == 0
    finally:
        for connection in idle:
            connection.close()
