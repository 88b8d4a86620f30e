"""The write-once rules under attack, by programs that know nothing of ours."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import UniqueConstraint

from tests.store.store_bench import DOCUMENT, Bench, bench_in, day
from watcher.align.model import TextMap
from watcher.domain.changes import (
    Atom,
    ChangeClass,
    Classification,
    Hunk,
    HunkKind,
    ScoreComponent,
    Severity,
    Tier,
)
from watcher.domain.ids import VersionId
from watcher.domain.ranges import Range
from watcher.domain.reviews import DateStatus, ReviewVerdict
from watcher.domain.statements import Statement, Status
from watcher.store import AlertKind, NewAlert, OperatorAct, Store, TriggersAlteredError, tables
from watcher.store.rows.operating import NewSilence, SavedBackup
from watcher.store.rows.serving import NewApiToken, Triage
from watcher.store.rules import MUTABLE, PURGEABLE, WRITE_ONCE
from watcher.store.write_once import expected_triggers

OLD = "Data is kept for 30 days.\nIt is not shared.\n"
NEW = "Data is kept for 90 days.\nIt is not shared.\n"
OWN = ("service_sample", "service_alert", "citation_fault", "service_tally")
"""What the daemon keeps of itself."""
PROTECTED = (*WRITE_ONCE, *PURGEABLE, *MUTABLE)
WORDS = Range(0, 4)


@pytest.fixture(scope="module")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("filled") / "var"
    made = bench_in(directory)
    with made.store:
        fill(made)
    return directory


@pytest.fixture
def filled(tmp_path: Path, filled_once: Path) -> Path:
    """A closed store's database with at least one row in every protected table."""
    shutil.copytree(filled_once, tmp_path / "var")
    return tmp_path / "var" / "watcher.sqlite3"


def fill(bench: Bench) -> None:
    store = bench.store
    for number, text in enumerate([OLD, NEW, OLD, "Third.\n", NEW]):
        commit = bench.commit(text, day(number))
    kept = bench.cite(OLD, "30 days", day(5))
    gone = bench.cite(NEW, "90 days", day(5), days=1)
    store.citations.withdraw(
        store.citations.emissions(gone.citation_id)[0].number, at=day(6), actor="a", reason="r"
    )
    pin = store.holds.pin(kept.citation_id, at=day(6), actor="a", reason="r")
    store.holds.release(pin.number, at=day(6), actor="a", reason="r")
    assert commit.change_id is not None
    atom = Atom(WORDS, WORDS, ChangeClass.EDITORIAL, "unproven")
    hunk = Hunk(HunkKind.REPLACED, WORDS, WORDS, ChangeClass.EDITORIAL, (atom,))
    judged = Classification(
        ChangeClass.EDITORIAL,
        Tier.DIGEST,
        0.5,
        (ScoreComponent("a", 0.5),),
        (),
        "",
        (),
        (hunk,),
        "p",
        store.rule_sets.put("{}", day(6)),
    )
    text_map = TextMap.of(43, 43, [(0, 4, 0, 4, 0)], "align/1")
    store.changes.save_classification(commit.change_id, judged, text_map, at=day(6), chance=0.5)
    store.reviews.record(commit.change_id, ReviewVerdict.MISSED, at=day(6), actor="a", note="n")
    number = store.citations.get(kept.citation_id).number
    statement = Statement(Status.UNCHANGED, (WORDS,), algorithm="r/1")
    store.changes.save_statements(commit.change_id, [(number, statement)], at=day(6))
    alert = NewAlert(
        commit.change_id, "c", AlertKind.CHANGE, DOCUMENT, Severity.INFO, day(6), day(6)
    )
    store.changes.finish(commit.change_id, [alert])
    for name, version in store.dates.unscanned():
        found = [(day(9).date(), WORDS)] if version == commit.version else []
        store.dates.scanned(name, version, found, at=day(7), method="m")
    number = store.dates.list()[0].number
    store.dates.decide(number, DateStatus.CONFIRMED, at=day(7), actor="a")
    store.incidents.refused(DOCUMENT, "timeout", day(7))
    store.acts.record(OperatorAct(day(7), "a", "look", "s"))
    said = NewSilence(day(7), day(9), "a", "r", document_id=DOCUMENT)
    silence = store.silences.add(said).number
    store.outbox.silence(store.outbox.list()[0].number, silence, at=day(7))
    store.tokens.add(NewApiToken("t", "0" * 64, ("read",), (), False, day(7), "a", day(9)))
    store.tokens.revoke("t", at=day(8), actor="a")
    store.tokens.set_groups({DOCUMENT: ("legal",)}, day(7))
    store.triage.record(Triage(commit.change_id, DOCUMENT, day(7), "a", "mara"))
    store.backups.record(SavedBackup(day(7), "/b", "0" * 64, 1))
    store.purges.purge(
        DOCUMENT, third(store), at=day(8), rule="order 7", actor="a", reason="by order"
    )


def third(store: Store) -> VersionId:
    versions = store.versions.list(DOCUMENT)
    return next(v.version for v in versions if v.size == len("Third.\n"))


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection as any program would open it: no pragma of ours."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def snapshot(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    return {
        name: connection.execute(f'SELECT * FROM "{name}" ORDER BY 1, 2').fetchall()
        for name in PROTECTED
    }


@contextmanager
def nothing_changes(path: Path) -> Iterator[sqlite3.Connection]:
    with raw(path) as connection:
        before = snapshot(connection)
        yield connection
        assert snapshot(connection) == before


def columns(name: str) -> list[str]:
    return [column.name for column in tables.METADATA.tables[name].columns]


def test_every_table_is_protected_or_known_to_hold_no_evidence() -> None:
    free = {"blob_removal", "statement_tally", *OWN}
    assert set(tables.METADATA.tables) == set(PROTECTED) | free


def test_rows_neither_change_nor_go(filled: Path) -> None:
    with nothing_changes(filled) as connection:
        for name in PROTECTED:
            assert connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0], name
            with pytest.raises(sqlite3.IntegrityError, match="write-once"):
                connection.execute(f"DELETE FROM {name}")
            if name in MUTABLE:
                continue
            for column in columns(name):
                for how in ("UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE"):
                    with pytest.raises(sqlite3.IntegrityError, match="write-once"):
                        connection.execute(f'{how} {name} SET "{column}" = "{column}"')


def test_columns_that_are_written_once_stay(filled: Path) -> None:
    with nothing_changes(filled) as connection:
        for name, mutable in MUTABLE.items():
            for column in set(columns(name)) - mutable:
                for how in ("UPDATE", "UPDATE OR REPLACE"):
                    with pytest.raises(sqlite3.IntegrityError):
                        connection.execute(f"{how} {name} SET \"{column}\" = 'forged'")


@pytest.mark.parametrize("recursive", ["ON", "OFF"])
def test_a_row_cannot_be_replaced(filled: Path, recursive: str) -> None:
    with nothing_changes(filled) as connection:
        connection.execute(f"PRAGMA recursive_triggers={recursive}")
        for name in PROTECTED:
            every = ", ".join(f'"{column}"' for column in columns(name))
            key = tables.METADATA.tables[name].primary_key.columns.keys()
            target = ", ".join(f'"{column}"' for column in key)
            upsert = f'ON CONFLICT ({target}) DO UPDATE SET "{columns(name)[-1]}" = NULL'
            attacks = [
                f"INSERT OR REPLACE INTO {name} SELECT {every} FROM {name}",
                f"REPLACE INTO {name} SELECT {every} FROM {name}",
                f"INSERT INTO {name} SELECT {every} FROM {name} WHERE true {upsert}",
            ]
            for attack in attacks:
                with pytest.raises(sqlite3.IntegrityError, match="write-once"):
                    connection.execute(attack)


@pytest.mark.parametrize(
    ("name", "unique"),
    [
        (table.name, tuple(column.name for column in constraint.columns))
        for table in tables.METADATA.tables.values()
        if table.name in PROTECTED
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint)
    ],
)
def test_a_row_cannot_be_replaced_through_its_other_keys(
    filled: Path, name: str, unique: tuple[str, ...]
) -> None:
    key = tables.METADATA.tables[name].primary_key.columns.keys()
    with nothing_changes(filled) as connection:
        chosen = ", ".join(
            f"CAST(\"{c}\" AS TEXT) || '9'" if c in key and c not in unique else f'"{c}"'
            for c in columns(name)
        )
        with pytest.raises(sqlite3.IntegrityError, match="write-once"):
            connection.execute(f"INSERT OR REPLACE INTO {name} SELECT {chosen} FROM {name}")


def test_an_open_incident_cannot_be_replaced(filled: Path) -> None:
    with nothing_changes(filled) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(
            "INSERT OR REPLACE INTO incident (document_id, reason, opened_at, last_at, count)"
            " SELECT document_id, reason, '2030', '2030', 1 FROM incident"
        )


FAKES = {
    "no such text": "SELECT 999, s.version_row, v.document_id, v.version",
    "of another text": "SELECT s.id + 1, s.version_row, v.document_id, v.version",
    "another document": "SELECT s.id, s.version_row, 'other', v.version",
    "another version": "SELECT s.id, s.version_row, v.document_id, 'sha256:' || hex(zeroblob(32))",
    "current": "SELECT s.id, s.version_row, v.document_id, v.version",
}


@pytest.mark.parametrize("fake", FAKES)
def test_a_faked_tombstone_is_refused(filled: Path, fake: str) -> None:
    with nothing_changes(filled) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(
            "INSERT INTO tombstone (text_row, version_row, document_id, version,"
            f" at, rule, actor, reason, forced) {FAKES[fake]}, '2026-06-01', 'r', 'a', '', ' '"
            " FROM stored_text s JOIN version v ON v.id = s.version_row"
            " WHERE v.version = (SELECT version FROM version v JOIN became_current b"
            " ON b.version_row = v.id ORDER BY b.id DESC LIMIT 1)"
        )


def test_a_tombstone_in_the_same_transaction_frees_no_other_row(filled: Path) -> None:
    with raw(filled) as connection:
        connection.execute("BEGIN")
        row = connection.execute(
            "SELECT s.id, s.version_row, v.document_id, v.version FROM stored_text s"
            " JOIN version v ON v.id = s.version_row ORDER BY s.id LIMIT 1"
        ).fetchone()
        connection.execute(
            "INSERT INTO tombstone (text_row, version_row, document_id, version, at, rule, actor,"
            " reason, forced) VALUES (?, ?, ?, ?, '2026-06-01', 'r', 'a', 'x', 'forced')",
            row,
        )
        gone = "SELECT count(*) FROM {} WHERE text_row = ?"
        for name in ("page", "chunk"):
            assert connection.execute(gone.format(name), row[:1]).fetchone()[0] == 0
        for name in ("stored_text", "page", "chunk", "reading_detail", "version", "tombstone"):
            with pytest.raises(sqlite3.IntegrityError, match="write-once"):
                connection.execute(f"DELETE FROM {name}")


def test_the_number_of_a_purged_text_is_not_used_again(filled: Path) -> None:
    with nothing_changes(filled) as connection:
        text_row, version_row = connection.execute(
            "SELECT text_row, version_row FROM tombstone"
        ).fetchone()
        with pytest.raises(sqlite3.IntegrityError, match="not used again"):
            connection.execute(
                "INSERT INTO stored_text VALUES (?, ?, '2026', 7, 1, 1)", (text_row, version_row)
            )


@pytest.mark.parametrize(
    "forgery",
    [
        """INSERT INTO page SELECT text_row, 99, start, "end" FROM page""",
        """INSERT INTO chunk SELECT text_row, 99, page, start, "end", xxh3, sha256 FROM chunk""",
        """INSERT INTO citation_segment SELECT citation_row, 1, page, start, "end", sha256
            FROM citation_segment""",
        """INSERT INTO hunk SELECT change_row, 9, kind, 0, 1, 0, 1, change_class, atoms FROM hunk""",
        """INSERT INTO capture_decision (capture_id, state, at, actor, reason)
            SELECT capture_id, 'rejected', '2026', 'a', 'r' FROM capture""",
        """INSERT INTO became_current (document_id, at, reading_id, version_row)
            SELECT document_id, '2026', reading_id, version_row + 1 FROM became_current""",
        """INSERT INTO citation (citation_id, document_id, version_row, segments, created_at)
            SELECT 'c1x', document_id, 999, 1, '2026' FROM citation""",
        """INSERT INTO classification SELECT change_row + 9, at, change_class, tier, score,
            components, facets, pack, hunks, 'no such rules', config FROM classification""",
    ],
)
def test_nothing_is_added_to_what_is_complete(filled: Path, forgery: str) -> None:
    with nothing_changes(filled) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(forgery)


@pytest.mark.parametrize(
    "backward",
    [
        "UPDATE change SET state = 'stored' WHERE state = 'anchored'",
        "UPDATE observation SET last = first, count = count + 1",
        "UPDATE observation SET count = 1000",
        "UPDATE observation SET last = '2030-01-01 00:00:00.000000', count = count + 1",
        "UPDATE document SET lease_token = 0",
        "UPDATE incident SET count = 0",
        "UPDATE outbox SET attempts = -1",
    ],
)
def test_what_changes_goes_forward(filled: Path, backward: str) -> None:
    with nothing_changes(filled) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(backward)


@pytest.mark.parametrize("how", ["dropped", "altered", "foreign"])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_with_other_triggers_does_not_open(filled: Path, how: str, read_only: bool) -> None:
    name, statement = next(iter(expected_triggers().items()))
    with raw(filled) as connection:
        if how != "foreign":
            connection.execute(f"DROP TRIGGER {name}")
        if how == "altered":
            connection.execute(statement.replace("RAISE(ABORT", "RAISE(IGNORE") + " ")
            connection.execute(f"DROP TRIGGER {name}")
            connection.execute(f"CREATE TRIGGER {name} AFTER INSERT ON page BEGIN SELECT 1; END")
        if how == "foreign":
            connection.execute("CREATE TRIGGER x AFTER INSERT ON page BEGIN SELECT 1; END")
    with pytest.raises(TriggersAlteredError):
        Store.open(filled.parent, read_only=read_only)
