"""Documents, captures, versions and texts over HTTP."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from tests.pipeline.deployment import html
from tests.web.conftest import Served, served_deployment

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_deployment(tmp_path_factory.mktemp("reading")) as made:
        page = html("Logs are kept for 365 days. Grüße, 日本 🎉.", EVIL)
        name = made.deployment.watch("retention", page)
        made.deployment.check(name)
        made.deployment.check(name, html("Logs are kept for 30 days. Grüße, 日本 🎉.", EVIL))
        yield made


def test_a_text_is_the_bytes_that_its_version_names(read: Served) -> None:
    base = "/api/v1/documents/retention/versions"
    listed = read.http.get(base).json()["items"]
    assert [v["standing"] for v in listed] == ["superseded", "current"]
    first = read.http.get(base, params={"limit": 1}).json()
    rest = read.http.get(base, params={"after": first["next"]}).json()
    assert [*first["items"], *rest["items"]] == listed
    for version in listed:
        text = read.http.get(f"{base}/{version['version']}/text")
        assert "sha256:" + hashlib.sha256(text.content).hexdigest() == version["version"]
        assert text.headers["etag"] == f'"{version["version"]}"'
        assert text.headers["content-type"] == "text/plain; charset=utf-8"
    current = read.http.get(f"{base}/current/text")
    assert current.headers["etag"] == f'"{listed[1]["version"]}"'


@pytest.mark.parametrize(
    ("header", "status", "part"),
    [
        ("bytes=0-3", 206, slice(0, 4)),
        ("bytes=5-", 206, slice(5, None)),
        ("bytes=-7", 206, slice(-7, None)),
        ("bytes=2-99999999", 206, slice(2, None)),
        ("bytes=-99999999", 206, slice(None)),
        ("bytes=99999-", 416, None),
        ("bytes=-0", 416, None),
        ("bytes=9999999999999999999-", 416, None),
        ("bytes=4-2", 200, slice(None)),
        ("bytes=0-1,3-4", 200, slice(None)),
        ("bytes=a-b", 200, slice(None)),
        ("lines=1-2", 200, slice(None)),
    ],
)
def test_a_part_of_a_text_is_given_in_bytes(
    read: Served, header: str, status: int, part: slice | None
) -> None:
    url = "/api/v1/documents/retention/versions/current/text"
    whole = read.http.get(url).content
    answer = read.http.get(url, headers={"Range": header})
    assert answer.status_code == status
    if part is None:
        assert answer.headers["content-range"] == f"bytes */{len(whole)}"
        assert answer.json()["code"] == "range_not_satisfiable"
    else:
        assert answer.content == whole[part]
    if status == 206:
        stated = answer.headers["content-range"].removeprefix("bytes ").partition("-")[0]
        assert whole[int(stated) :].startswith(answer.content)


def test_a_text_that_is_known_is_not_sent_again(read: Served) -> None:
    url = "/api/v1/documents/retention/versions/current/text"
    whole = read.http.get(url)
    tag = whole.headers["etag"]
    assert read.http.get(url, headers={"If-None-Match": f'"x", W/{tag}'}).status_code == 304
    stale = read.http.get(url, headers={"Range": "bytes=0-3", "If-Range": '"other"'})
    assert (stale.status_code, stale.content) == (200, whole.content)
    head = read.http.head(url)
    assert head.headers["content-length"] == str(len(whole.content))
    assert head.content == b""


def test_pages_and_chunks_tile_the_text_in_any_unit(read: Served) -> None:
    base = "/api/v1/documents/retention/versions/current"
    text = read.http.get(f"{base}/text").content.decode()
    units = {
        "utf-8-bytes": len(text.encode()),
        "utf-16-code-units": len(text.encode("utf-16-le")) // 2,
        "code-points": len(text),
    }
    for unit, length in units.items():
        pages = read.http.get(f"{base}/pages", params={"unit": unit}).json()
        assert [(p["page"], p["start"], p["end"]) for p in pages["items"]] == [(1, 0, length)]
    assert read.http.get(f"{base}/pages?unit=utf8").json()["code"] == "invalid_request"
    chunks = read.http.get(f"{base}/chunks").json()["items"]
    for chunk in chunks:
        part = text.encode()[chunk["start"] : chunk["end"]]
        assert hashlib.sha256(part).hexdigest() == chunk["sha256"]
    assert chunks[-1]["end"] == len(text.encode())


def test_an_original_is_saved_and_never_run(read: Served) -> None:
    base = "/api/v1/documents/retention/captures"
    captures = read.http.get(base).json()["items"]
    assert [c["state"] for c in captures] == ["accepted", "accepted"]
    original = read.http.get(f"{base}/{captures[0]['capture_id']}/original")
    assert EVIL.encode() in original.content
    assert hashlib.sha256(original.content).hexdigest() == captures[0]["body_sha256"]
    assert original.headers["content-security-policy"].startswith("sandbox;")
    assert original.headers["content-disposition"].startswith("attachment;")
    assert original.headers["x-content-type-options"] == "nosniff"
    assert read.http.get(f"{base}/k1-nothing").json()["code"] == "unknown_capture"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nothing/versions", "unknown_document"),
        ("nothing/versions/current/text", "unknown_document"),
        ("../etc/versions", "not_found"),
        (f"retention/versions/sha256:{'0' * 64}/text", "unknown_version"),
        ("retention/versions/7/text", "invalid_request"),
        ("retention/versions?after=zz", "usage"),
        ("RETENTION", "unknown_document"),
        ("a%00b", "unknown_document"),
        ("x" * 3000, "unknown_document"),
    ],
)
def test_what_is_named_wrongly_is_a_problem(read: Served, path: str, code: str) -> None:
    answer = read.http.get(f"/api/v1/documents/{path}")
    assert answer.json()["code"] == code
    assert answer.headers["content-type"] == "application/problem+json"
