"""Opening a data directory: one service, readers beside it, and what is refused by name."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event

from tests.store.store_bench import DOCUMENT, Bench, day, in_child
from watcher.domain.changes import Severity
from watcher.domain.resolution import UnreadableError
from watcher.store import (
    AlertKind,
    NewAlert,
    SchemaTooNewError,
    Store,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    WriteOnceError,
    migrations,
)
from watcher.store.migrate import SCHEMA
from watcher.store.tables import METADATA

OLD = "It is kept for 30 days.\n"
SCHEMAS = Path(__file__).parent / "schemas"
HOLD = """
import sys
from pathlib import Path
from watcher.store import Store
with getattr(Store, sys.argv[2])(Path(sys.argv[1])) as store:
    print("open", flush=True)
    sys.stdin.read()
"""


def other_process(directory: Path, how: str) -> subprocess.Popen[str]:
    """Another process that has the store open until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=30)
    assert process.returncode == 0


def test_a_directory_has_one_service(tmp_path: Path) -> None:
    process = other_process(tmp_path, "open")
    with pytest.raises(StoreLockedError, match=str(process.pid)):
        Store.open(tmp_path)
    end(process)
    Store.open(tmp_path).close()


def test_a_killed_service_leaves_the_directory_free(tmp_path: Path) -> None:
    process = other_process(tmp_path, "open")
    process.kill()
    process.communicate(timeout=30)
    Store.open(tmp_path).close()


def test_two_stores_in_one_process_are_two(tmp_path: Path) -> None:
    with Store.open(tmp_path):
        with pytest.raises(StoreLockedError):
            Store.open(tmp_path)
        with Store.open_beside(tmp_path), Store.open(tmp_path, read_only=True):
            pass
    Store.open(tmp_path).close()


def test_a_command_writes_beside_the_service_and_voids_no_lease(bench: Bench) -> None:
    process = other_process(bench.directory, "open_beside")
    bench.commit(OLD, day(0))
    end(process)
    bench.store.close()
    process = other_process(bench.directory, "open")
    with Store.open_beside(bench.directory) as beside:
        leased = beside.documents.claim(DOCUMENT, day(1), lease_seconds=60, owner="command")
        end(process)
        with Store.open(bench.directory):
            beside.documents.release(leased.lease, next_check=day(2), fails=0)


def test_whoever_is_alone_ends_the_leases_of_the_dead(bench: Bench) -> None:
    taken = bench.store.documents.claim(DOCUMENT, day(9), lease_seconds=86_400, owner="dead")
    bench.store.documents.schedule(DOCUMENT, day(9))
    bench.store.close()
    with Store.open(bench.directory) as store:
        due = store.documents.claim_due(day(9), limit=9, lease_seconds=60, owner="new")
        assert [leased.lease.token > taken.lease.token for leased in due] == [True]


def test_what_a_dead_sender_had_claimed_is_due_at_once(bench: Bench) -> None:
    outbox = bench.store.outbox
    for event_id in ("claimed", "retried"):
        outbox.add(
            [NewAlert(event_id, "ops", AlertKind.REFUSED, DOCUMENT, Severity.INFO, day(0), day(0))]
        )
    taken = outbox.claim_due(day(1), limit=9, lease_seconds=86_400)
    outbox.retry(taken[1].number, not_before=day(2), error="503")
    bench.store.close()
    with Store.open_beside(bench.directory) as command:
        assert command.outbox.claim_due(day(1), limit=9, lease_seconds=60) == ()
    with Store.open(bench.directory) as store:
        again = store.outbox.claim_due(day(1), limit=9, lease_seconds=60)
        assert [(alert.event_id, alert.attempts) for alert in again] == [("claimed", 2)]


def test_a_reader_sees_what_the_service_writes_and_writes_nothing(bench: Bench) -> None:
    with Store.open(bench.directory, read_only=True) as reader:
        bench.commit(OLD, day(0))
        assert len(reader.versions.list(DOCUMENT)) == 1
        with pytest.raises(StoreReadOnlyError):
            reader.documents.sync([], day(1))


def test_a_copy_is_readable_even_where_nothing_can_be_written(bench: Bench, tmp_path: Path) -> None:
    bench.commit(OLD, day(0))
    bench.store.close()
    copy = tmp_path / "copy"
    shutil.copytree(bench.directory, copy)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (tmp_path, *tmp_path.parents[:3]):
        path.chmod(path.stat().st_mode | 0o055)
    before = sorted(copy.iterdir())

    def read_as_nobody() -> None:
        if os.getuid() == 0:  # file modes do not stop root
            os.setgid(65534)
            os.setuid(65534)
        with Store.open(copy, read_only=True) as store:
            version = store.versions.list(DOCUMENT)[0].version
            assert store.versions.text(DOCUMENT, version).data == OLD.encode()
        with pytest.raises(StoreReadOnlyError):
            Store.open(copy)

    assert in_child(read_as_nobody) == 0
    assert sorted(copy.iterdir()) == before


def test_a_copy_taken_while_the_service_writes_is_readable(bench: Bench, tmp_path: Path) -> None:
    bench.commit(OLD, day(0))
    copy = tmp_path / "copy"
    shutil.copytree(bench.directory, copy)
    with Store.open(copy, read_only=True) as store:
        assert len(store.versions.list(DOCUMENT)) == 1


def test_there_is_nothing_to_read_where_nothing_is(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        Store.open(tmp_path, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_newer_schema_is_refused_by_name(bench: Bench) -> None:
    bench.store.close()
    with closing(sqlite3.connect(bench.directory / "watcher.sqlite3")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    refused = "schema 9999, this release knows up to"
    with pytest.raises(SchemaTooNewError, match=refused):
        Store.open(bench.directory)
    with pytest.raises(SchemaTooNewError, match=refused):
        Store.open_beside(bench.directory)
    with pytest.raises(SchemaTooNewError, match=refused):
        Store.open(bench.directory, read_only=True)


def test_a_foreign_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "watcher.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (a)")
        connection.commit()
    with pytest.raises(StoreError, match="is not a database of watcher"):
        Store.open(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert names == [("mine",)]


@pytest.mark.parametrize(
    "content", [b"no database, whatever its name says" * 100, b"SQLite format 3\0"]
)
def test_a_damaged_database_is_said_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "watcher.sqlite3").write_bytes(content)
    for read_only in (True, False):
        with pytest.raises(UnreadableError, match="does not answer"):
            Store.open(tmp_path, read_only=read_only)
    (tmp_path / "watcher.sqlite3").unlink()
    Store.open(tmp_path).close()


def test_a_directory_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreReadOnlyError, match="cannot create"):
        Store.open(tmp_path / "file" / "var")


def test_the_release_reads_the_newest_schema_that_it_has_steps_for() -> None:
    script = ScriptDirectory(str(Path(str(migrations.__file__)).parent))
    assert script.get_current_head() == SCHEMA


def test_tables_and_steps_agree(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store, store._database.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


@pytest.mark.parametrize("kept", sorted(SCHEMAS.glob("0*")), ids=lambda path: path.name)
def test_a_kept_data_directory_of_every_schema_still_opens(kept: Path, tmp_path: Path) -> None:
    """What these directories hold is told in `schemas/README.md`."""
    shutil.copytree(kept, tmp_path / "var")
    with Store.open(tmp_path / "var") as store:
        versions = store.versions.list(DOCUMENT)
        assert [v.purged for v in versions] == [False, False, True]
        texts = [store.versions.text(DOCUMENT, v.version).data for v in versions[:2]]
        assert texts == [b"Data is kept for 30 days.\n", b"Data is kept for 90 days.\n"]
        citation = store.citations.list()[0].citation
        assert store.citations.resolve(citation.citation_id).passages == (b"30 days",)
        assert store.counts().changes_pending == 2
        assert store.versions.at(DOCUMENT, day(0.5)).version == versions[0].version
    with Store.open(tmp_path / "var", read_only=True) as store:
        assert store.counts().citations == 1


def test_a_full_database_writes_nothing_and_says_so(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    before = bench.store.counts()
    database = bench.store._database
    database.close()

    def bound(connection: sqlite3.Connection, _: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages + 1}")

    event.listen(database._engine, "connect", bound)
    long = "".join(f"Clause {n} says that it is kept for {n} days.\n" * 20 for n in range(400))
    with pytest.raises(StoreFullError, match="no room"):
        bench.commit(long, day(1))
    assert bench.store.counts().captures == before.captures
    assert bench.store.versions.current(DOCUMENT) is not None
    event.remove(database._engine, "connect", bound)
    database.close()
    assert bench.commit(long, day(2)).new_version


NEXT_STEP = """
import sqlalchemy as sa
from alembic import op

revision = "9000"
down_revision = "{before}"


def upgrade():
    with op.batch_alter_table("document") as table:
        table.add_column(sa.Column("colour", sa.String(), server_default="blue"))
        table.alter_column("title", existing_type=sa.String(), server_default="")
    with op.batch_alter_table("version") as table:
        table.add_column(sa.Column("mood", sa.String(), server_default="calm"))
    {then}
"""


def with_next_step(patch: pytest.MonkeyPatch, tmp_path: Path, then: str) -> None:
    """Let this release have one schema more, which rebuilds tables that others refer to."""
    steps = tmp_path / "steps"
    shutil.copytree(Path(str(migrations.__file__)).parent, steps)
    (steps / "versions" / "9000_next.py").write_text(NEXT_STEP.format(before=SCHEMA, then=then))
    patch.setattr("watcher.store.migrate._MIGRATIONS", steps)
    patch.setattr("watcher.store.migrate.SCHEMA", "9000")


def everything(directory: Path) -> list[str]:
    with closing(sqlite3.connect(directory / "watcher.sqlite3")) as connection:
        return list(connection.iterdump())


def test_a_migration_keeps_rows_rules_and_references(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = bench.commit(OLD, day(0))
    bench.store.close()
    with_next_step(monkeypatch, tmp_path, "pass")
    with pytest.raises(StoreError, match=f"schema {SCHEMA}, this release reads 9000"):
        Store.open(bench.directory, read_only=True)
    with Store.open(bench.directory) as store:
        assert store.versions.list(DOCUMENT)[0].version == commit.version
        with store._database.read() as connection:
            assert connection.exec_driver_sql("SELECT colour FROM document").scalar() == "blue"
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        with pytest.raises(WriteOnceError), store._database.write() as connection:
            connection.exec_driver_sql("UPDATE version SET mood = 'grim'")
    Store.open(bench.directory, read_only=True).close()


@pytest.mark.parametrize(
    "then",
    [
        "raise RuntimeError('power cut')",
        "op.execute('DROP TRIGGER IF EXISTS x'); op.execute('DELETE FROM version')",
    ],
)
def test_a_migration_that_fails_changes_nothing(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    bench.commit(OLD, day(0))
    bench.store.close()
    before = everything(bench.directory)
    with monkeypatch.context() as patch:
        with_next_step(patch, tmp_path, then)
        with pytest.raises((RuntimeError, WriteOnceError)):
            Store.open(bench.directory)
    assert everything(bench.directory) == before
    Store.open(bench.directory).close()


def test_nobody_migrates_under_a_writers_feet(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_next_step(monkeypatch, tmp_path, "pass")
    with pytest.raises(StoreLockedError, match="must become 9000"):
        Store.open_beside(bench.directory)
