"""A fault of the real daemon pages by the real Prometheus and Alertmanager, sixty times as fast.

One run covers all: rules, routes and intervals are the generated ones with every
time divided by `FASTER`.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]

from tests.pipeline.deployment import html
from tests.slo.project import ROOT, program
from watcher.cli.opening import opened
from watcher.demo.site import Site
from watcher.domain.changes import Severity
from watcher.domain.ids import DocumentId
from watcher.pipeline.citing import EmissionKey, emit
from watcher.store.rows import AlertKind, NewAlert

FASTER = 60
_UNITS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
NAMES = [DocumentId(f"policy-{n}") for n in range(4)]
CITED = 8


def shorter(duration: str) -> str:
    found = re.fullmatch(r"(\d+)([smhd])", duration)
    return f"{int(found[1]) * _UNITS[found[2]] // FASTER}ms" if found else duration


def faster(tree: Any) -> Any:
    """Return rules with every window, every `for` and every age divided."""
    if isinstance(tree, list):
        return [faster(each) for each in tree]
    if not isinstance(tree, dict):
        return tree
    found = {key: faster(value) for key, value in tree.items()}
    if "expr" in found:
        found["expr"] = re.sub(r"\[(\d+[smhd])\]", lambda m: f"[{shorter(m[1])}]", found["expr"])
        if "time()" in found["expr"]:
            found["expr"] = re.sub(
                r"(?<=> )(\d{3,})\b", lambda m: str(int(m[1]) / FASTER), found["expr"]
            )
    if "for" in found:
        found["for"] = shorter(found["for"])
    return found


class Receiver:
    """Takes what Alertmanager and the daemon send, by path."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.sent.append((self.path, json.loads(body)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{path}"

    def alerts(self, path: str, status: str = "firing") -> list[dict[str, str]]:
        """Return the labels of the alerts that were notified there, by status."""
        return [
            alert["labels"]
            for where, body in list(self.sent)
            if where == f"/{path}"
            for alert in body["alerts"]
            if alert["status"] == status
        ]

    def names(self, path: str, status: str = "firing") -> set[str]:
        return {labels["alertname"] for labels in self.alerts(path, status)}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def wait_for(what: str, ask: Callable[[], object], seconds: float = 40) -> float:
    """Wait until `ask` gives something; return how long that took."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        try:
            if ask():
                return time.monotonic() - began
        except OSError:
            pass
        time.sleep(0.1)
    pytest.fail(f"{what} did not come within {seconds:g} s")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@contextmanager
def process(log: Path, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        running = subprocess.Popen(command, stdout=output, stderr=output, cwd=ROOT)
        try:
            yield running
        finally:
            running.kill()
            running.wait()


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


class Stack:
    """The daemon, Prometheus, Alertmanager, a receiver of both, and a site."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.receiver = Receiver()
        stack.callback(self.receiver.close)
        self.site = stack.enter_context(Site())
        self.ports = {name: free_port() for name in ("daemon", "prometheus", "alertmanager")}
        self.stall = folder / "stall"
        self._daemon(stack)
        wait_for("a version of each document", self._all_fresh)
        self._alertmanager(stack)
        self._prometheus(stack)

    def _all_fresh(self) -> bool:
        url = f"http://{self._at('daemon')}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return f"watcher_documents_fresh {len(NAMES)}.0" in answer.read().decode()

    def _daemon(self, stack: ExitStack) -> None:
        documents = self.folder / "documents"
        documents.mkdir()
        for name in NAMES:
            url = self.site.put(name, page(name, 30))
            (documents / f"{name}.toml").write_text(
                f'[[document]]\ndocument_id = "{name}"\nurl = "{url}"\nlanguage = "en"\n'
                'schedule = "5s"\nconfirm = false\nallowed_networks = ["127.0.0.0/8"]\n'
            )
        self.config = self.folder / "watcher.toml"
        self.config.write_text(
            f'data_dir = "{self.folder}/var"\n[listen]\nport = {self.ports["daemon"]}\n'
            '[fetch]\nspacing = "0s"\n[canary]\nevery = "5s"\n[web]\nenabled = false\n'
            f'[[channels]]\nname = "hook"\nkind = "webhook"\nurl = "{self.receiver.url("hook")}"\n'
            f'[[channels]]\nname = "am"\nkind = "alertmanager"\n'
            f'url = "http://127.0.0.1:{self.ports["alertmanager"]}"\n'
        )
        self.daemon = stack.enter_context(
            process(
                self.folder / "daemon.log",
                sys.executable,
                "-m",
                "tests.slo.quick_daemon",
                str(self.config),
                str(self.stall),
            )
        )

    def _prometheus(self, stack: ExitStack) -> None:
        generated = ROOT / "config" / "prometheus"
        config = yaml.safe_load((generated / "prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "500ms", "evaluation_interval": "500ms"}
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [self._at("daemon")]
        manager = config["alerting"]["alertmanagers"][0]
        manager["static_configs"] = [{"targets": [self._at("alertmanager")]}]
        for name in config["rule_files"]:
            rules = faster(yaml.safe_load((generated / name).read_text()))
            (self.folder / name).write_text(yaml.safe_dump(rules))
        (self.folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        stack.enter_context(
            process(
                self.folder / "prometheus.log",
                program("prometheus"),
                f"--config.file={self.folder}/prometheus.yml",
                f"--storage.tsdb.path={self.folder}/tsdb",
                f"--web.listen-address={self._at('prometheus')}",
                "--rules.alert.resend-delay=1s",
            )
        )

    def _alertmanager(self, stack: ExitStack) -> None:
        path = ROOT / "config" / "alertmanager" / "alertmanager.yml"
        config = yaml.safe_load(path.read_text())
        config["receivers"] = [
            {
                "name": each["name"],
                "webhook_configs": [{"url": self.receiver.url(each["name"]), "max_alerts": 0}],
            }
            for each in config["receivers"]
        ]
        config["time_intervals"] = [
            {"name": "office-hours", "time_intervals": [{"times": [ALL_DAY]}]}
        ]
        for route in (config["route"], *config["route"]["routes"]):
            for key in ("group_wait", "group_interval", "repeat_interval"):
                if key in route:
                    route[key] = "1ms" if route[key] == "0s" else shorter(route[key])
        (self.folder / "alertmanager.yml").write_text(yaml.safe_dump(config))
        stack.enter_context(
            process(
                self.folder / "alertmanager.log",
                program("prometheus-alertmanager"),
                f"--config.file={self.folder}/alertmanager.yml",
                f"--storage.path={self.folder}/am",
                f"--web.listen-address={self._at('alertmanager')}",
                "--cluster.listen-address=",
            )
        )

    def _at(self, name: str) -> str:
        return f"127.0.0.1:{self.ports[name]}"

    def query(self, expression: str) -> list[Any]:
        url = f"http://{self._at('prometheus')}/api/v1/query?query={urllib.parse.quote(expression)}"
        found: list[Any] = get(url)["data"]["result"]
        return found

    def suppressed(self, name: str) -> bool:
        found = get(f"http://{self._at('alertmanager')}/api/v2/alerts")
        return any(
            alert["labels"]["alertname"] == name and alert["status"]["state"] == "suppressed"
            for alert in found
        )


ALL_DAY = {"start_time": "00:00", "end_time": "24:00"}


def page(name: str, days: int) -> Any:
    kinds = [f"Records of kind {n} of {name} are kept for {days + n} days." for n in range(CITED)]
    return html(*kinds, title=f"Policy {name}")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    program("prometheus")
    program("prometheus-alertmanager")
    with ExitStack() as stack:
        yield Stack(tmp_path_factory.mktemp("live"), stack)


@pytest.mark.system
@pytest.mark.timeout(180)
def test_faults_page_and_resolve_and_storms_are_few(live: Stack) -> None:
    took: dict[str, float] = {}
    receiver = live.receiver
    with opened(live.config, write=True) as services:
        for number in range(CITED):
            key = EmissionKey("assistant", f"a{number}")
            emitted = emit(services, NAMES[0], key, quote=f"of kind {number} of {NAMES[0]}")
    wait_for("the heartbeat", lambda: receiver.names("dead-man") == {"WatcherWatchdog"})
    wait_for("the citations", lambda: value(live, "watcher_citations_live") >= CITED)
    wait_for("the canary", lambda: live.query('watcher_canary_checks_total{result="pass"} > 0'))
    assert not receiver.names("pages")

    digits = emitted.citation.version.removeprefix("sha256:")
    (blob,) = [p for p in (live.folder / "var" / "blobs").rglob("*") if digits[4:] in p.name]
    good = blob.read_bytes()
    blob.chmod(0o644)
    blob.write_bytes(good[:-2] + bytes([good[-2] ^ 1]) + good[-1:])
    took["damage"] = wait_for("a page", lambda: "WatcherCitationsBroken" in receiver.names("pages"))
    wait_for("an inhibited page", lambda: live.suppressed("WatcherCitationBudgetBurn"))
    assert "WatcherCitationUnresolvable" not in receiver.names("tickets")
    blob.write_bytes(good)
    took["mended"] = wait_for(
        "its end", lambda: "WatcherCitationsBroken" in receiver.names("pages", "resolved")
    )

    storm(live)
    wait_for("the storm at the hook", lambda: [p for p, _ in receiver.sent if p == "/hook"])
    wait_for(
        "the storm's rest", lambda: live.query('sum(watcher_outbox_alerts{state="pending"}) == 0')
    )
    assert len([path for path, _ in receiver.sent if path == "/hook"]) <= 4
    told = [
        path
        for path, body in receiver.sent
        if any("document_id" in a["labels"] for a in body.get("alerts", []))
    ]
    assert len(told) <= 4

    live.stall.touch()
    took["stalled"] = wait_for(
        "a page", lambda: "WatcherSchedulerStalled" in receiver.names("pages")
    )
    live.stall.unlink()
    took["ticking"] = wait_for(
        "its end", lambda: "WatcherSchedulerStalled" in receiver.names("pages", "resolved")
    )

    live.daemon.send_signal(signal.SIGKILL)
    took["stopped"] = wait_for("a page", lambda: "WatcherDown" in receiver.names("pages"))
    beats = len(receiver.alerts("dead-man"))
    wait_for("another heartbeat", lambda: len(receiver.alerts("dead-man")) > beats)
    print({name: round(seconds, 1) for name, seconds in took.items()})


def value(live: Stack, metric: str) -> float:
    found = live.query(f"sum({metric})")
    return float(found[0]["value"][1]) if found else 0.0


def storm(live: Stack) -> None:
    """Let the daemon have 200 alerts to tell at once, about four documents, on two channels."""
    now = datetime.now(UTC)
    with opened(live.config, write=True) as services:
        services.store.outbox.add(
            NewAlert(
                f"{number:064x}",
                channel,
                AlertKind.REFUSED,
                NAMES[number % len(NAMES)],
                Severity.TICKET,
                now,
                now,
                reason="soft_404",
            )
            for number in range(100)
            for channel in ("hook", "am")
        )
