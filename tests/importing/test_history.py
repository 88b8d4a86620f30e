"""Earlier states of a document: read from files, git and WARC; citable and never observed."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import os
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.pipeline.deployment import Deployment, Receiver, html
from watcher.demo.site import Page, Site, maintenance
from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome
from watcher.pipeline.citing import EmissionKey, emit, resolve
from watcher.pipeline.history import (
    HistoryError,
    LeftOut,
    Past,
    Taken,
    git_states,
    listed_files,
    named_files,
    take_all,
    warc_states,
)
from watcher.pipeline.history.files import date_in_name
from watcher.store.rows import Origin, Standing

PAGES = [
    html(
        f"Access logs are kept for {days} days and then deleted from every system that we run.",
        "Exceptions need the written approval of the data protection officer of the company.",
    )
    for days in (10, 20, 30)
]
URL = "https://example.org/privacy"


def states(found: Iterable[Past | LeftOut]) -> list[Past]:
    return [state for state in found if isinstance(state, Past)]


def left(found: Iterable[Past | LeftOut]) -> list[str]:
    return [state.why for state in found if isinstance(state, LeftOut)]


@pytest.fixture
def deployment(tmp_path: Path, site: Site) -> Iterable[Deployment]:
    folder = tmp_path / "deployed"
    folder.mkdir()
    with Receiver() as receiver, Deployment(folder, site, receiver) as made:
        yield made


def take(deployment: Deployment, name: str, found: Iterable[Past | LeftOut]) -> list[Taken]:
    async def all_of_it() -> list[Taken]:
        return [taken async for taken in take_all(deployment.services, DocumentId(name), found)]

    return asyncio.run(all_of_it())


# --- dates ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("2024-05-01-privacy.html", "2024-05-01T00:00:00"),
        ("privacy_20240501.pdf", "2024-05-01T00:00:00"),
        ("privacy.2024.05.01.v2.md", "2024-05-01T00:00:00"),
        ("2024-05-01T10-30-05Z.html", "2024-05-01T10:30:05"),
        ("20240501103005.html", "2024-05-01T10:30:05"),
        ("2024-05-01 10.30 terms.txt", "2024-05-01T10:30:00"),
        ("2024-05-01_2024-05-01.txt", "2024-05-01T00:00:00"),
    ],
)
def test_the_date_in_a_name(name: str, date: str) -> None:
    assert date_in_name(name) == datetime.fromisoformat(date).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "name",
    ["privacy.html", "2024-13-01.html", "2024-05.html", "1234567.html",
     "2024-05-01-to-2024-06-01.html", "3024-05-01.html", "2024-02-30.pdf"],
)  # fmt: skip
def test_a_name_without_one_date_is_an_error_before_anything_is_read(name: str) -> None:
    with pytest.raises(HistoryError) as caught:
        named_files([Path("2024-01-01.html"), Path(name)])
    assert "--dates" in caught.value.hint


def test_files_come_oldest_first_and_a_list_gives_the_dates(tmp_path: Path) -> None:
    for name in ("b.html", "a.html"):
        (tmp_path / name).write_bytes(name.encode())
    listing = tmp_path / "dates.csv"
    listing.write_text(
        "file,date\nb.html,2024-05-01T02:00:00+02:00\na.html,2023-01-01\nnone.html,2025-01-01\n",
        encoding="utf-8",
    )
    found = list(listed_files(listing))
    assert [(state.url, state.claimed_at.isoformat()) for state in states(found)] == [
        ("a.html", "2023-01-01T00:00:00+00:00"),
        ("b.html", "2024-05-01T00:00:00+00:00"),
    ]
    assert len(left(found)) == 1


@pytest.mark.parametrize(
    "line", ["a.html", "a.html,yesterday", "../x,2024-01-01", "/etc/x,2024-01-01"]
)
def test_a_list_is_checked_before_anything_is_read(tmp_path: Path, line: str) -> None:
    (tmp_path / "dates.csv").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(HistoryError):
        listed_files(tmp_path / "dates.csv")


# --- through the store --------------------------------------------------------


def test_imported_states_are_citable_never_current_and_never_observed(
    deployment: Deployment, tmp_path: Path
) -> None:
    name = deployment.watch("retention", PAGES[2])
    deployment.check(name)
    current = deployment.store.versions.current(name)
    assert current is not None
    observed = deployment.store.observations.list(name, limit=100)
    files = []
    for number, page in enumerate([*PAGES[:2], maintenance()]):
        file = tmp_path / f"2020-01-0{number + 1}.html"
        file.write_bytes(page.body)
        files.append(file)
    (tmp_path / "2099-01-01.html").write_bytes(PAGES[0].body)

    taken = take(deployment, name, named_files([*files, tmp_path / "2099-01-01.html"]))
    assert [bool(one.version) for one in taken] == [True, True, False, False]
    assert taken[2].verdict is not None
    assert taken[2].verdict.outcome is Outcome.REFUSED
    assert taken[3].why == "its date is in the future"

    store = deployment.store
    assert store.versions.current(name) == current
    assert store.observations.list(name, limit=100) == observed
    assert store.changes.list(name, limit=10) == ()
    assert deployment.deliver() == 0
    imported = [c for c in store.captures.list(name) if c.origin is Origin.IMPORTED]
    assert [c.claimed_at for c in imported] == [
        datetime(2020, 1, 1, tzinfo=UTC),
        datetime(2020, 1, 2, tzinfo=UTC),
    ]
    assert store.versions.at(name, datetime(2020, 1, 1, 12, tzinfo=UTC)).version is None
    assert set(store.captures.claims(name)) == {taken[0].version, taken[1].version}

    cited = emit(
        deployment.services,
        name,
        EmissionKey("assistant", "old"),
        version=taken[0].version,
        quote="Access logs are kept for 10 days",
    )
    resolution = resolve(deployment.services, cited.citation.citation_id)
    assert resolution.passages == (b"Access logs are kept for 10 days",)
    assert resolution.standing is Standing.SUPERSEDED

    again = take(deployment, name, named_files(files[:2]))
    assert [one.new for one in again] == [False, False]
    assert len(store.captures.list(name)) == 3

    report = deployment.check(name, PAGES[0])
    assert report.change_id is not None, "a text known from imports is still news when it is seen"
    change = store.changes.get(report.change_id)
    assert (change.from_version, change.to_version) == (current.version, taken[0].version)


def test_a_document_can_begin_with_its_history(deployment: Deployment, tmp_path: Path) -> None:
    file = tmp_path / "2020-01-01.html"
    file.write_bytes(PAGES[0].body)
    (taken,) = take(deployment, "retention", named_files([file]))
    assert taken.version is not None
    assert deployment.store.versions.current(DocumentId("retention")) is None
    name = deployment.watch("retention", PAGES[0])
    report = deployment.check(name)
    assert report.verdict is not None
    assert report.verdict.outcome is Outcome.ACCEPTED
    current = deployment.store.versions.current(name)
    assert current is not None
    assert current.version == taken.version


# --- git ------------------------------------------------------------------------


class Repository:
    """A git repository whose commits have given times."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, at: str = "2020-01-01T00:00:00Z") -> None:
        person = {
            "GIT_CONFIG_GLOBAL": "/dev/null",
            **{f"GIT_{who}_NAME": "A" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "a@example.org" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_DATE": at for who in ("AUTHOR", "COMMITTER")},
        }
        subprocess.run(["git", "-C", self.folder, *arguments], check=True, env=os.environ | person)

    def commit(self, path: str, body: bytes, at: str) -> None:
        (self.folder / path).write_bytes(body)
        self.git("add", "--", path, at=at)
        self.git("commit", "-qm", "x", at=at)


def test_a_git_path_is_followed_through_renames_along_the_main_line(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    repository.commit("privacy.md", b"one\n", "2020-01-01T00:00:00Z")
    repository.commit("privacy.md", b"two\n", "2020-02-01T00:00:00Z")
    repository.git("mv", "privacy.md", "données privées.md")
    repository.git("commit", "-qm", "moved", at="2020-03-01T00:00:00Z")
    repository.git("checkout", "-qb", "draft")
    repository.commit("données privées.md", b"draft\n", "2020-04-01T00:00:00Z")
    repository.commit("données privées.md", b"three\n", "2020-05-01T00:00:00Z")
    repository.git("checkout", "-q", "main")
    repository.commit("other.md", b"x\n", "2020-06-01T00:00:00Z")
    repository.git("merge", "-q", "--no-edit", "draft", at="2020-07-01T00:00:00Z")
    found = list(git_states(repository.folder, "données privées.md"))
    assert [(s.body, s.claimed_at.date().isoformat(), s.url) for s in states(found)] == [
        (b"one\n", "2020-01-01", "données privées.md"),
        (b"two\n", "2020-02-01", "données privées.md"),
        (b"three\n", "2020-07-01", "données privées.md"),
    ], "drafts were never what the main line said"
    assert left(found) == []


def test_a_repository_runs_no_program_of_its_own(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    repository.commit("privacy.md", b"one\n", "2020-01-01T00:00:00Z")
    witness = tmp_path / "witness"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {witness}\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "gpg.program", "diff.x.textconv"):
        repository.git("config", key, str(script))
    repository.git("config", "log.showSignature", "true")
    (repository.folder / ".git" / "info" / "attributes").write_text("* diff=x\n", encoding="utf-8")
    assert [s.body for s in states(git_states(repository.folder, "privacy.md"))] == [b"one\n"]
    assert not witness.exists()


def test_what_git_cannot_give_is_an_error_or_left_out(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    (repository.folder / "link.md").symlink_to("/etc/passwd")
    repository.git("add", "link.md")
    repository.git("commit", "-qm", "x")
    assert left(git_states(repository.folder, "link.md")) == ["it is no regular file there"]
    for folder, path in (
        (repository.folder, "none.md"),
        (repository.folder, "--output=/tmp/x"),
        (repository.folder, ":(glob)**"),
        (tmp_path, "x"),
        (tmp_path / "missing", "x"),
    ):
        with pytest.raises(HistoryError) as caught:
            git_states(folder, path)
        assert len(str(caught.value).splitlines()) == 1


# --- WARC -------------------------------------------------------------------------


def record(
    body: bytes,
    *,
    url: str = URL,
    date: str = "2020-01-01T00:00:00Z",
    kind: str = "response",
    status: str = "200 OK",
    headers: Iterable[str] = ("Content-Type: text/html",),
    extra: Iterable[str] = (),
    cut: int = 0,
) -> bytes:
    http = f"HTTP/1.1 {status}\r\n" + "".join(f"{line}\r\n" for line in headers) + "\r\n"
    block = http.encode() + body if kind == "response" else body
    block = block[: len(block) - cut]
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        f"WARC-Date: {date}",
        f"Content-Length: {len(block)}",
        *extra,
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + block + b"\r\n\r\n"


def chunked(body: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (body[:7], body[7:])) + b"0\r\n\r\n"


def warc(tmp_path: Path, *records: bytes, members: bool = True) -> Path:
    file = tmp_path / "a.warc.gz"
    file.write_bytes(b"".join(map(gzip.compress, records)) if members else b"".join(records))
    return file


@pytest.mark.parametrize("members", [True, False])
def test_answers_of_one_url_are_found_among_others(tmp_path: Path, members: bool) -> None:
    body = PAGES[0].body
    file = warc(
        tmp_path,
        b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n",
        record(b"GET / HTTP/1.1\r\n\r\n", kind="request"),
        record(body, url="https://example.org/other"),
        record(
            body,
            url=f"<{URL.upper().replace('PRIVACY', 'privacy').replace('HTTPS', 'https')}?utm_source=x#top>",
            headers=["Content-Type: text/html; charset=utf-8", "Set-Cookie: session=1"],
        ),
        record(
            chunked(gzip.compress(body)),
            date="2021-01-01T00:00:00.5Z",
            headers=["Transfer-Encoding: chunked", "Content-Encoding: gzip"],
        ),
        members=members,
    )
    found = list(warc_states(file, URL))
    assert left(found) == []
    assert [state.body for state in states(found)] == [body, body]
    first, second = states(found)
    assert first.claimed_at == datetime(2020, 1, 1, tzinfo=UTC)
    assert second.claimed_at.year == 2021
    assert first.content_type == "text/html; charset=utf-8"
    assert ("set-cookie", "[redacted]") in first.headers


def test_what_is_no_whole_answer_is_left_out_with_a_word(tmp_path: Path) -> None:
    body = PAGES[0].body
    good = base64.b32encode(hashlib.sha1(b"HTTP/1.1 200 OK\r\n\r\nok").digest()).decode()
    file = warc(
        tmp_path,
        record(b"gone", status="404 Not Found"),
        record(b"", status="301 Moved", headers=["Location: /x"]),
        record(body, kind="revisit"),
        record(body, extra=["WARC-Truncated: length"]),
        record(body, extra=["WARC-Block-Digest: sha1:" + "A" * 32]),
        record(body, date="once"),
        record(body, headers=[f"Content-Length: {len(body)}"], cut=10),
        record(gzip.compress(body), headers=["Content-Encoding: gzip"], cut=10),
        record(gzip.compress(bytes(70 * 1024 * 1024)), headers=["Content-Encoding: gzip"]),
        record(body, headers=["garbage"] * 300),
        record(b"ok", headers=[], extra=[f"WARC-Block-Digest: sha1:{good}"]),
    )
    found = list(warc_states(file, URL))
    assert [state.body for state in states(found)] == [b"ok"]
    reasons = left(found)
    assert len(reasons) == 10
    assert [why.split(":")[0] for why in reasons[:6]] == [
        "its status is 404",
        "its status is 301",
        "it repeats an earlier answer and holds no bytes",
        "its answer was cut when it was archived",
        "its bytes do not fit their digest",
        "its date cannot be read",
    ]


@pytest.mark.parametrize(
    "damage",
    [
        b"garbage",
        b"WARC/1.0\r\nWARC-Type: response\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: 999999999999999\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: -1\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: 10\r\n\r\nabc",
        b"WARC/1.0\r\n" + b"A: b\r\n" * 500,
        b"WARC/1.0\r\nA: " + b"b" * 100_000,
        b"\x1f\x8b\x08\x00broken",
    ],
    ids=range(8),
)
def test_damage_ends_the_reading_and_keeps_what_stands_before(
    tmp_path: Path, damage: bytes
) -> None:
    file = tmp_path / "a.warc"
    file.write_bytes(record(b"first") + damage)
    found = list(warc_states(file, URL))
    assert [state.body for state in states(found)] == [b"first"]
    assert len(left(found)) == 1
    assert "damaged from here on" in left(found)[0]
    packed = tmp_path / "b.warc.gz"
    packed.write_bytes(gzip.compress(record(b"first")) + gzip.compress(record(b"second"))[:-20])
    assert "damaged" in left(warc_states(packed, URL))[0]


def test_what_is_no_warc_is_an_error(tmp_path: Path) -> None:
    for number, data in enumerate((b"", b"<html>", gzip.compress(b"x"), b"\x1f\x8b")):
        file = tmp_path / f"{number}.warc"
        file.write_bytes(data)
        with pytest.raises(HistoryError):
            warc_states(file, URL)
    with pytest.raises(HistoryError):
        warc_states(tmp_path / "missing.warc", URL)


def test_archived_answers_are_judged_like_fetched_ones(
    deployment: Deployment, tmp_path: Path
) -> None:
    soft = Page(maintenance().body, "text/html")
    file = warc(tmp_path, record(PAGES[0].body), record(soft.body, date="2020-02-01T00:00:00Z"))
    taken = take(deployment, "retention", warc_states(file, URL))
    assert [bool(one.version) for one in taken] == [True, False]
    assert taken[1].verdict is not None
    assert taken[1].verdict.reason is not None
    assert taken[1].verdict.reason.value == "maintenance"
