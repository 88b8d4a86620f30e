"""What every request and every answer passes."""

from __future__ import annotations

import socket

import pytest

from tests.pipeline.deployment import html
from tests.web.conftest import Served, configured


def test_a_document_is_listed_and_shown(shared: Served) -> None:
    name = shared.deployment.watch("retention", html("Keep logs for 365 days."))
    page = shared.http.get("/api/v1/documents").json()
    assert [item["document_id"] for item in page["items"]] == [name]
    assert page["next"] is None
    answer = shared.http.get(f"/api/v1/documents/{name}")
    assert answer.json()["state"] == "active"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers


def test_what_is_not_there_is_a_problem(shared: Served) -> None:
    answer = shared.http.get("/api/v1/documents/nothing", headers={"X-Request-Id": "abc-1"})
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == answer.json()["request_id"] == "abc-1"
    assert answer.json()["code"] == "unknown_document"
    assert shared.http.get("/api/v1/nothing").json()["code"] == "not_found"
    wrong = shared.http.put("/api/v1/documents")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "GET"
    bad = shared.http.get("/api/v1/documents", params={"limit": "0", "after": "%"})
    assert (bad.status_code, bad.json()["code"]) == (422, "invalid_request")
    assert shared.http.get("/api/v1/documents?after=_").json()["code"] == "usage"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.nip.io"])
def test_another_host_name_is_not_answered(shared: Served, host: str) -> None:
    answer = shared.http.get("/api/v1/documents", headers={"Host": host})
    assert answer.status_code in {400, 421}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_an_unsafe_request_from_another_site_is_refused(
    shared: Served, headers: dict[str, str]
) -> None:
    answer = shared.http.post("/api/v1/documents", headers=headers)
    assert answer.json()["code"] == "cross_site"


def test_large_requests_are_refused_at_once(shared: Served) -> None:
    host, port = shared.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as large:
        large.sendall(
            b"POST /api/v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"
        )
        assert large.recv(100).startswith(b"HTTP/1.1 413")
    with socket.create_connection((host, int(port)), timeout=10) as flood:
        flood.sendall(b"GET / HTTP/1.1\r\n" + b"X-A: " + b"a" * 70_000 + b"\r\n\r\n")
        assert flood.recv(100).startswith(b"HTTP/1.1 400")


def test_a_request_that_never_arrives_whole_is_given_up(served: Served) -> None:
    with configured(served, '[web.limits]\nslow = "300ms"\n') as http:
        place = (http.base_url.host, http.base_url.port or 0)
        for beginning in (
            b"GET /api/v1/documents HTTP/1.1\r\nHost: local",
            (
                b"POST /api/v1/citations HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
            ),
        ):
            with socket.create_connection(place, timeout=10) as slow:
                slow.sendall(beginning)
                said = slow.recv(200)
                assert said == b"" or said.startswith(b"HTTP/1.1 408")
