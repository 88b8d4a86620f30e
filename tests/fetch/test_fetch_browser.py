"""Pages that their scripts make, in the system's real Chromium."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import SecretStr

from tests.fetch.chromium import require_chromium
from tests.fetch.fetching import fetch, fetch_all, limited, request
from watcher.domain.verdicts import Refusal
from watcher.fetch import Answer, AnswerKind
from watcher.fetch.browser import BrowserMissingError

SHELL = "<!doctype html><html lang=en><head><title>Policy</title></head><body><div id=app></div>{}</body></html>"
SHOW = "const show = text => { const p = document.createElement('p'); p.textContent = text; app.append(p); };"


def script(code: str) -> bytes:
    return SHELL.format(f"<script>{SHOW}{code}</script>").encode()


@pytest.fixture(scope="module", autouse=True)
def chromium() -> None:
    """Tests of this file need the system's Chromium."""
    require_chromium()


class App:
    """A site whose answers a test sets, by path; `seen` are the requests as they came."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.gate = threading.Event()
        app = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version: ClassVar[str] = "HTTP/1.1"  # type: ignore[misc]

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                app.seen.append((self.command, self.path, headers, body))
                if self.path == "/slow":
                    app.gate.wait(20)
                status, more, answer = app.answers.get(self.path, (404, {}, b"none"))
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_POST = do_GET  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    def put(self, path: str, body: bytes, status: int = 200, **headers: str) -> str:
        kind = {"Content-Type": "text/html" if body.startswith(b"<!doctype") else "text/plain"}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = (status, kind | given, body)
        return f"http://127.0.0.1:{self.server.server_port}{path}"

    def paths(self) -> list[str]:
        return [path for _, path, _, _ in self.seen]


@pytest.fixture
def app() -> Iterator[App]:
    made = App()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.gate.set()
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def evidence(answer: Answer) -> dict[str, str]:
    return {fact.name: fact.value for fact in answer.evidence}


def test_what_scripts_make_is_the_page(app: App) -> None:
    app.put("/old", b"", 302, Location="/text")
    app.put("/text", b"Logs are kept for 30 days.")
    app.put(
        "/app.js", b"fetch('/old').then(r => r.text()).then(show)", Content_Type="text/javascript"
    )
    url = app.put(
        "/policy",
        SHELL.format(
            f"<script>{SHOW}</script><script src=/app.js></script><img src=/logo.png>"
        ).encode(),
    )
    answer = fetch(url, render=True)
    assert answer.kind is AnswerKind.BODY, answer.verdict
    assert b"<p>Logs are kept for 30 days.</p>" in answer.body
    assert answer.content_type == "text/html; charset=utf-8"
    assert answer.validators is None
    assert evidence(answer)["rendered_by"].startswith("chromium ")
    assert evidence(answer)["page_requests"] == "2"
    assert "/logo.png" not in app.paths()
    assert {headers["user-agent"][:14] for _, _, headers, _ in app.seen} == {"policy-watcher"}


def test_the_page_is_settled_and_not_slept_on(app: App) -> None:
    app.put("/slow", b"late")
    url = app.put("/policy", script("show('early'); fetch('/slow').then(r => r.text()).then(show)"))
    threading.Timer(1.5, app.gate.set).start()
    answer = fetch(url, render=True)
    assert answer.kind is AnswerKind.BODY, answer.verdict
    assert b"<p>late</p>" in answer.body, "what is still being loaded is waited for"


def test_a_ticking_clock_does_not_keep_a_page_from_rest(app: App) -> None:
    clock = "show('x'); setInterval(() => { app.firstChild.textContent = String(Date.now()); }, 10)"
    assert fetch(app.put("/policy", script(clock)), render=True).kind is AnswerKind.BODY


def test_a_page_that_never_rests_is_refused(app: App) -> None:
    url = app.put("/policy", script("setInterval(() => show('more'), 50)"))
    answer = fetch(url, render=True, limits=limited(total=4.0))
    assert answer.refusal is Refusal.TIMEOUT
    assert answer.verdict is not None
    assert "come to rest" in answer.verdict.message
    app.put("/policy", script("while (true) {}"))
    assert fetch(url, render=True, limits=limited(total=4.0)).refusal is Refusal.TIMEOUT


def test_requests_of_the_page_pass_the_same_guard(app: App) -> None:
    app.put("/away", b"", 302, Location="http://169.254.169.254/latest/")
    code = """
    const tried = [];
    const blocked = target => fetch(target).then(() => 'open', () => 'closed').then(show);
    blocked('http://169.254.169.254/latest/meta-data/'); blocked('http://10.0.0.1/'); blocked('/away');
    blocked('http://metadata.google.internal/'); blocked('file:///etc/passwd');
    try { const s = new WebSocket('ws://127.0.0.1:PORT/ws'); s.onopen = () => show('open'); s.onclose = () => show('closed'); }
    catch (e) { show('closed'); }
    """.replace("PORT", str(app.server.server_port))
    answer = fetch(app.put("/policy", script(code)), render=True)
    assert answer.kind is AnswerKind.BODY, answer.verdict
    assert answer.body.count(b"<p>closed</p>") == 6, answer.body
    assert b"<p>open</p>" not in answer.body
    assert "169.254.169.254" in evidence(answer)["page_requests_blocked"]
    assert "/ws" not in app.paths()


def test_secrets_stay_at_home_and_nothing_is_kept(app: App) -> None:
    other = app.put("/other", b"x", Access_Control_Allow_Origin="*").replace(
        "127.0.0.1", "localhost"
    )
    app.put("/mine", b"y")
    url = app.put(
        "/policy",
        script(
            f"fetch('/mine'); fetch('{other}'); show('cookie ' + document.cookie);"
            "document.cookie = 'mark=1'; show('kept ' + localStorage.getItem('k')); localStorage.setItem('k', 1)"
        ),
        Set_Cookie="visit=7; Path=/",
    )
    key = (("X-API-Key", SecretStr("hunter22")),)
    asked = request(url, render=True, headers=key)
    first, second = fetch_all(asked, asked)
    for answer in (first, second):
        assert b"<p>cookie visit=7</p><p>kept null</p>" in answer.body
        assert b"hunter22" not in answer.body
    keys = {path: headers.get("x-api-key") for _, path, headers, _ in app.seen}
    assert keys == {"/policy": "hunter22", "/mine": "hunter22", "/other": None}
    cookies = {path: headers.get("cookie", "") for _, path, headers, _ in app.seen}
    assert "visit=7" in cookies["/mine"]
    assert cookies["/other"] == ""


def test_forms_of_the_page_are_sent_as_they_are(app: App) -> None:
    app.put("/api", b"answer")
    code = "fetch('/api', {method: 'POST', body: 'q=1', headers: {'X-Asked': 'yes'}}).then(r => r.text()).then(show)"
    answer = fetch(app.put("/policy", script(code)), render=True)
    assert b"<p>answer</p>" in answer.body
    (sent,) = [
        (method, headers["x-asked"], body)
        for method, path, headers, body in app.seen
        if path == "/api"
    ]
    assert sent == ("POST", "yes", b"q=1")


def test_a_page_that_moves_on_is_where_it_ends(app: App) -> None:
    target = app.put("/login", script("show('Log in')"))
    answer = fetch(app.put("/policy", script("location.replace('/login')")), render=True)
    assert answer.shown_url == target
    assert b"<p>Log in</p>" in answer.body
    app.put("/policy", script("location.replace('/nowhere')"))
    answer = fetch(target.replace("login", "policy"), render=True)
    assert answer.refusal is Refusal.HTTP_ERROR
    assert answer.verdict is not None
    assert "404" in answer.verdict.message


def test_files_and_refusals_need_no_browser(app: App) -> None:
    plain = app.put("/plain", b"Just text, and nothing to render at all.")
    gone = app.put("/gone", b"gone", 410)
    answers = fetch_all(request(plain, render=True), request(gone, render=True))
    assert [answer.kind for answer in answers] == [AnswerKind.BODY, AnswerKind.REFUSED]
    assert answers[0].evidence == ()


def test_no_process_is_left_behind(app: App) -> None:
    before = children()
    fetch(app.put("/policy", script("show('x')")), render=True)
    assert children() == before


def children() -> set[str]:
    """Return the process ids of this process's children and theirs that are browsers."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        name, parent = (
            status.partition("(")[2].rpartition(")")[0],
            status.rpartition(")")[2].split()[1],
        )
        if parent == str(os.getpid()) and ("chrom" in name or "node" in name):
            found.add(folder.name)
    return found


def test_a_missing_browser_is_told_clearly(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(BrowserMissingError) as caught:
        fetch(app.put("/policy", script("show('x')")), render=True)
    assert "chromium" in str(caught.value)
    assert "render" in caught.value.hint
