"""A purge is a purge: nothing of the text is left, and the tombstone says who and why."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from backports import zstd

from tests.store.store_bench import DOCUMENT, Bench, day, reading_of
from watcher.align.model import TextMap
from watcher.domain.changes import (
    Atom,
    ChangeClass,
    Classification,
    Hunk,
    HunkKind,
    Severity,
    Tier,
)
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.ranges import Range
from watcher.domain.reading import Heading, Problem
from watcher.domain.resolution import HashMismatchError, UnknownVersionError, VersionPurgedError
from watcher.domain.statements import Statement, Status
from watcher.domain.verdicts import Outcome
from watcher.store import AlertKind, NewAlert, PurgeRefusedError, Store

SECRET = "The marmalade clause binds every zebra"
OLD = f"It is kept for 30 days.\n{SECRET}.\n"
NEW = "It is kept for 90 days.\n"


def places(directory: Path, words: str) -> list[str]:
    """Every file, as it is and unpacked, that holds `words`."""
    found = []
    for path in directory.rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes()
        with suppress(zstd.ZstdError):
            data += zstd.decompress(data)
        if words.encode() in data:
            found.append(path.name)
    return found


def purge(bench: Bench, version: VersionId | None, *, forced: str = "") -> None:
    assert version is not None
    bench.store.purges.purge(
        DOCUMENT, version, at=day(9), rule="order 7", actor="mara", reason="by order", forced=forced
    )


def superseded(bench: Bench) -> VersionId:
    """A document whose first text holds the secret, wherever a store might keep it."""
    reading = replace(
        reading_of(OLD),
        title=SECRET,
        page_labels=(SECRET,),
        headings=(Heading(Range(24, 62), 1, SECRET),),
        problems=(Problem("doubt", SECRET),),
    )
    first = bench.commit(OLD, day(0), reading=reading, body=f"<p>{SECRET}</p>".encode())
    citation = bench.cite(OLD, SECRET, day(1), days=2)
    second = bench.commit(NEW, day(2))
    assert first.version is not None
    assert second.change_id is not None
    gone = Range(24, 62)
    atom = Atom(gone, Range(24, 24), ChangeClass.EDITORIAL, "unproven", why=SECRET)
    hunk = Hunk(HunkKind.REMOVED, gone, Range(24, 24), ChangeClass.EDITORIAL, (atom,))
    judged = Classification(
        ChangeClass.EDITORIAL, Tier.DIGEST, 0.1, (), (), SECRET, (SECRET,), (hunk,), "p"
    )
    text_map = TextMap.of(len(OLD), len(NEW), [(0, 15, 0, 15, 0)], "align/1")
    bench.store.changes.save_classification(second.change_id, judged, text_map, at=day(2))
    number = bench.store.citations.get(citation.citation_id).number
    statement = Statement(Status.GONE, candidates=(Range(0, 4),), algorithm="r/1")
    bench.store.changes.save_statements(second.change_id, [(number, statement)], at=day(2))
    alert = NewAlert(
        second.change_id, "ops", AlertKind.CHANGE, DOCUMENT, Severity.INFO, day(2), day(2)
    )
    bench.store.changes.finish(second.change_id, [alert])
    return first.version


def test_no_byte_of_a_purged_text_is_left(bench: Bench) -> None:
    version = superseded(bench)
    assert places(bench.directory, SECRET)
    citation = bench.store.citations.list()[0].citation
    purge(bench, version)
    assert places(bench.directory, SECRET) == []
    with pytest.raises(VersionPurgedError, match="by mara under order 7"):
        bench.store.versions.text(DOCUMENT, version)
    with pytest.raises(VersionPurgedError):
        bench.store.citations.resolve(citation.citation_id)
    with pytest.raises(VersionPurgedError):
        bench.store.captures.reading(bench.store.changes.list()[0].from_reading)
    first, second = bench.store.versions.list(DOCUMENT)
    assert (first.purged, second.purged) == (True, False)
    assert bench.store.versions.text(DOCUMENT, second.version).data == NEW.encode()
    assert bench.store.citations.statements(citation.citation_id)
    bench.store.close()
    assert places(bench.directory, SECRET) == []


def test_a_reader_in_the_way_only_delays_it(bench: Bench) -> None:
    version = superseded(bench)
    with Store.open(bench.directory, read_only=True) as reader, reader._database.read() as seen:
        seen.exec_driver_sql("SELECT count(*) FROM document").fetchone()
        purge(bench, version)
        with pytest.raises(VersionPurgedError):
            bench.store.versions.text(DOCUMENT, version)
        assert places(bench.directory, SECRET)
    bench.store.purges.work_off()
    assert places(bench.directory, SECRET) == []


def test_the_current_version_goes_only_by_force(bench: Bench) -> None:
    commit = bench.commit(OLD, day(0))
    for forced in ("", "  "):
        with pytest.raises(PurgeRefusedError, match="current version"):
            purge(bench, commit.version, forced=forced)
    purge(bench, commit.version, forced="court order 12/26")
    assert bench.store.versions.tombstones(DOCUMENT)[0].forced == "court order 12/26"
    assert places(bench.directory, SECRET) == []


def test_a_cited_version_goes_only_by_force(bench: Bench) -> None:
    commit = bench.commit(OLD, day(0))
    bench.cite(OLD, SECRET, day(1))
    bench.commit(NEW, day(2))
    with pytest.raises(PurgeRefusedError, match="live citation"):
        purge(bench, commit.version)
    number = bench.store.citations.emissions(bench.store.citations.list()[0].citation.citation_id)[
        0
    ].number
    bench.store.citations.withdraw(number, at=day(3), actor="app", reason="answer removed")
    purge(bench, commit.version)


@pytest.mark.parametrize("scope", ["document", "version", "citation"])
def test_a_hold_keeps_a_version(bench: Bench, scope: str) -> None:
    commit = bench.commit(OLD, day(0))
    citation = bench.cite(OLD, SECRET, day(1), days=1)
    bench.commit(NEW, day(2))
    holds = bench.store.holds
    if scope == "citation":
        hold = holds.pin(citation.citation_id, at=day(3), actor="mara", reason="audit")
    else:
        version = commit.version if scope == "version" else None
        hold = holds.hold(DOCUMENT, version, at=day(3), actor="mara", reason="litigation")
    with pytest.raises(PurgeRefusedError, match="a pin or a hold"):
        purge(bench, commit.version)
    holds.release(hold.number, at=day(4), actor="mara", reason="over")
    purge(bench, commit.version)


def test_a_purged_version_is_not_purged_again(bench: Bench) -> None:
    version = superseded(bench)
    purge(bench, version)
    with pytest.raises(VersionPurgedError):
        purge(bench, version)
    with pytest.raises(UnknownVersionError):
        purge(bench, VersionId("sha256:" + "0" * 64))


def test_a_text_that_returns_is_stored_anew_and_the_tombstone_says_so(bench: Bench) -> None:
    version = superseded(bench)
    purge(bench, version)
    assert bench.store.versions.tombstones(DOCUMENT)[0].returned_at is None
    commit = bench.commit(OLD, day(10))
    assert (commit.version, commit.new_version) == (version, False)
    assert bench.store.versions.text(DOCUMENT, version).data == OLD.encode()
    assert bench.store.versions.tombstones(DOCUMENT)[0].returned_at == day(10)
    citation = bench.store.citations.list()[0].citation
    assert bench.store.citations.resolve(citation.citation_id).passages == (SECRET.encode(),)
    bench.commit(NEW, day(11))
    purge(bench, version)
    assert len(bench.store.versions.tombstones(DOCUMENT)) == 2
    assert places(bench.directory, SECRET) == []


def test_a_purge_between_blob_and_row_takes_nothing_from_the_commit(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = superseded(bench)
    commits = bench.store.commits
    put = commits._put

    def put_and_then_purge(*contents: bytes) -> dict[str, bytes]:
        blobs = put(*contents)
        purge(bench, version)
        return blobs

    monkeypatch.setattr(commits, "_put", put_and_then_purge)
    commit = bench.commit(OLD, day(10))
    assert bench.store.versions.text(DOCUMENT, version).data == OLD.encode()
    assert bench.store.captures.body(commit.capture_id) == OLD.encode()


def test_another_document_keeps_its_own_copy(bench: Bench) -> None:
    version = superseded(bench)
    other = bench.another(DocumentId("other"))
    bench.commit(OLD, day(3), lease=other)
    purge(bench, version)
    text = bench.store.versions.text(DocumentId("other"), version)
    assert text.data == OLD.encode()
    assert bench.store.captures.body(bench.store.captures.list(DocumentId("other"))[0].capture_id)
    first = bench.store.captures.list(DOCUMENT)[0]
    with pytest.raises(HashMismatchError):
        bench.store.captures.body(first.capture_id)


def test_bytes_that_gave_no_text_are_kept(bench: Bench) -> None:
    version = superseded(bench)
    body = f"<p>{SECRET}</p>".encode()
    held = bench.commit("", day(3), body=body, outcome=Outcome.HELD)
    purge(bench, version)
    assert bench.store.captures.body(held.capture_id) == body


def test_what_a_crash_left_is_finished_when_the_store_opens(bench: Bench) -> None:
    version = superseded(bench)
    bench.store.close()
    with closing(sqlite3.connect(bench.directory / "watcher.sqlite3")) as connection:
        connection.execute(
            "INSERT INTO tombstone (text_row, version_row, document_id, version, at, rule, actor,"
            " reason, forced) SELECT s.id, v.id, v.document_id, v.version,"
            " '2026-05-10 00:00:00.000000', 'order', 'mara', '', ''"
            " FROM stored_text s JOIN version v ON v.id = s.version_row WHERE v.version = ?",
            (version,),
        )
        connection.commit()
    with Store.open(bench.directory) as store, pytest.raises(VersionPurgedError):
        store.versions.text(DOCUMENT, version)
    assert len(list(bench.directory.glob("blobs/*/*/*.zst"))) == 1
