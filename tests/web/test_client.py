"""The client proves what it gets, waits as it is told, and loses no emission to an outage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.pipeline.deployment import html
from tests.web.conftest import Served
from tests.web.test_access import answering
from watcher.client import ApiRefusalError, Client, ProofError, Use
from watcher.errors import TemporaryError

RULES = (
    "1. Scope. Grüße: access logs of every system must be kept for 365 days.",
    "2. Owner. The data protection officer keeps a register of all exceptions.",
    "3. Exceptions. Each exception needs the written approval of the owner.",
)


def test_it_proves_what_it_gets_and_spools_through_an_outage(
    served: Served, tmp_path: Path
) -> None:
    name = served.deployment.watch("retention", html(*RULES))
    served.deployment.check(name)
    spool = tmp_path / "spool"
    with Client("http://127.0.0.1:9", deadline=0.2) as cut_off:
        for n in range(3):
            assert cut_off.emit(Use(name, f"a{n}", quote="365 days"), spool=spool) is None
        assert cut_off.emit(Use(name, "bad", quote="nowhere"), spool=spool) is None
        with pytest.raises(TemporaryError):
            cut_off.flush(spool)
    assert len(list(spool.glob("*.json"))) == 4
    with Client(served.url) as client:
        taken, refused = client.flush(spool)
        assert (taken, [r.partition(": ")[2] for r in refused]) == (3, ["quote_not_found"])
        assert client.flush(spool) == (0, [])
        cited = client.emit(Use(name, "a0", quote="365 days"))
        assert cited is not None
        found = client.resolve(cited)
        assert found.passages == ("365 days",)
        assert b"365 days" in client.text(name, found.version)
        with pytest.raises(ApiRefusalError) as refusal:
            client.resolve("c1" + "a" * 32)
        assert refusal.value.problem == "unknown_citation"
        good = served.http.get(f"/api/v1/citations/{cited}").json()
    lies: list[dict[str, Any]] = [
        {**good, "passages": ["30 days."]},
        {**good, "version": "sha256:" + "0" * 64},
        {**good, "anchors": [{**good["anchors"][0], "sha256": "0" * 64}]},
        {**good, "anchors": [{**good["anchors"][0], "start": 0}]},
    ]
    with answering(lambda *_: (200, lies[0])) as url, Client(url) as client:
        while lies:
            with pytest.raises(ProofError):
                client.resolve(cited)
            lies.pop(0)


@pytest.mark.parametrize(
    ("said", "least"),
    [("2", 2.0), ("date", 1.0), ("-5", 0.0), ("soon", 0.0), ("", 0.0)],
)
def test_it_waits_as_the_service_asks(served: Served, said: str, least: float) -> None:
    if said == "date":
        said = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)

    class Busy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(429)
            if said:
                self.send_header("Retry-After", said)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Busy)
    Thread(target=server.serve_forever, daemon=True).start()
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            raise TemporaryError("enough")

    url = f"http://127.0.0.1:{server.server_port}"
    with Client(url, deadline=60, sleep=wait) as client, pytest.raises(TemporaryError):
        client.resolve("c1" + "a" * 32)
    server.shutdown()
    server.server_close()
    assert all(least <= seconds <= 30 for seconds in waits)
