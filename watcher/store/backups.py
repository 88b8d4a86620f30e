"""A consistent, verified copy of a data directory, made while others work on it.

    target/watcher.sqlite3   the database, in one snapshot
    target/blobs/…           every blob that the snapshot names, verified
    target/backup.json       the digest of the database, and what is not whole

A copy is a data directory itself: commands that only read work on it as it is.
Blobs that are there already and intact are not written again. Everything is
verified before the older copy's database is replaced, so that a failing run
leaves the older copy whole. Blobs that nothing in the snapshot needs go from
the copy as well: a purge is a purge.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import insert, select

from watcher.domain.resolution import HashMismatchError, UnreadableError
from watcher.store import tables
from watcher.store.blobs import BlobFiles, sync_directory, writing
from watcher.store.database import APPLICATION_ID, Database, named_errors
from watcher.store.errors import BackupError
from watcher.store.lock import DirectoryLock
from watcher.store.rows.operating import SavedBackup

DATABASE_NAME = "watcher.sqlite3"
BLOBS_NAME = "blobs"
LIST_NAME = "backup.json"
_NEW = "backup.new.sqlite3"
_SCHEMA = "watcher.backup/1"
_TRIES = 2
_JOURNALS = tuple(f"{DATABASE_NAME}{end}" for end in ("-wal", "-shm", "-journal"))
_OWN = {DATABASE_NAME, BLOBS_NAME, LIST_NAME, _NEW, "lock", "writers", *_JOURNALS}
_NEEDED = """
SELECT substr(v.version, 8) FROM version v JOIN stored_text s ON s.version_row = v.id
UNION SELECT c.body_sha256 FROM capture c
    WHERE NOT EXISTS (SELECT 1 FROM reading r
        WHERE r.capture_id = c.capture_id AND r.version_row IS NOT NULL)
    OR EXISTS (SELECT 1 FROM reading r JOIN stored_text s ON s.version_row = r.version_row
        WHERE r.capture_id = c.capture_id)
"""
"""The blobs that a database needs, by the same rule by which a purge removes them."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds; `damaged` are blobs that neither side has whole."""

    sha256: str
    blobs: int
    written: int
    removed: int
    damaged: tuple[str, ...]


class Backups:
    """The record of copies that were made of this store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, saved: SavedBackup) -> None:
        """Append one."""
        values = {
            "at": saved.at,
            "target": saved.target,
            "sha256": saved.sha256,
            "blobs": saved.blobs,
        }
        with self._database.write() as connection:
            connection.execute(insert(tables.backup), values)

    def newest(self) -> SavedBackup | None:
        """Return the last one, or None where there never was one."""
        table = tables.backup
        with self._database.read() as connection:
            query = select(table).order_by(table.c.id.desc()).limit(1)
            row = connection.execute(query).mappings().first()
        if row is None:
            return None
        return SavedBackup(row["at"], row["target"], row["sha256"], row["blobs"])


def copy(source: Path, target: Path, at: datetime) -> Copied:
    """Copy the data directory `source` into `target`, bringing an older copy up to date.

    Raises:
        BackupError: the target is something else, or the source is not whole.
        StoreLockedError: a watcher runs on the target.
        StoreFullError, StoreReadOnlyError: the target cannot be written.
        UnreadableError: the source cannot be read.
    """
    _check_places(source, target)
    with writing(target):
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = DirectoryLock(target, service=True)
    try:
        return _copy(source, target, at)
    finally:
        lock.release()
        for name in ("lock", "writers"):
            (target / name).unlink(missing_ok=True)


def check(directory: Path) -> None:
    """Check that a copy's database is the one that was written there.

    Raises:
        BackupError: there is no copy, or its database is another one.
    """
    try:
        told = json.loads((directory / LIST_NAME).read_text("utf-8"))
        listed = str(told["database_sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BackupError(
            f"there is no backup in {directory}", hint="name a directory that `backup` wrote"
        ) from None
    if _sha256(directory / DATABASE_NAME) != listed:
        raise BackupError(
            f"the database in {directory} is not the one that was backed up",
            hint="it was damaged or opened for writing since: use another copy",
        )


def _check_places(source: Path, target: Path) -> None:
    here, there = source.resolve(), target.resolve()
    if here == there or here in there.parents or there in here.parents:
        raise BackupError(
            f"{target} and {source} lie in each other",
            hint="name a directory of its own, best on another disk",
        )
    foreign = {path.name for path in target.iterdir()} - _OWN if target.is_dir() else set()
    if foreign or ((target / DATABASE_NAME).exists() and not (target / LIST_NAME).exists()):
        raise BackupError(
            f"{target} holds something that is no backup: {', '.join(sorted(foreign)[:3])}"
            if foreign
            else f"{target} is a data directory, not a backup",
            hint="name an empty directory or one that a backup was written to",
        )


def _copy(source: Path, target: Path, at: datetime) -> Copied:
    new, written = target / _NEW, 0
    try:
        for _ in range(_TRIES):
            _snapshot(source / DATABASE_NAME, new)
            needed = _check_database(new)
            more, damaged = _copy_blobs(source, target, needed)
            written += more
            if not damaged:
                break  # else a purge may have taken what the snapshot still names
        digest = _sha256(new)
        told = {
            "schema": _SCHEMA,
            "at": at.isoformat(),
            "database_sha256": digest,
            "blobs": len(needed),
            "damaged": damaged,
        }
        with writing(target):
            # The journal of an older copy that somebody opened would be replayed into this one.
            for leftover in _JOURNALS:
                (target / leftover).unlink(missing_ok=True)
            new.replace(target / DATABASE_NAME)
            _write_list(target / LIST_NAME, json.dumps(told, indent=1))
    finally:
        new.unlink(missing_ok=True)
    blobs = BlobFiles(target / BLOBS_NAME)
    blobs.sweep()
    removed = sum(blobs.remove(name) for name in set(blobs.names()) - needed)
    return Copied(digest, len(needed), written, removed, tuple(damaged))


def _snapshot(source: Path, new: Path) -> None:
    """Write the database as it is at one moment, as one file without a journal."""
    if not source.is_file():
        raise BackupError(f"there is no store in {source.parent}", hint="name the data directory")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    try:
        with (
            named_errors(new),
            closing(sqlite3.connect(f"file:{quote(str(source))}?mode=ro", uri=True)) as read,
            closing(sqlite3.connect(new, isolation_level=None)) as write,
        ):
            read.backup(write)
            write.execute("PRAGMA journal_mode=DELETE")
    except UnreadableError as error:
        raise _not_whole(str(error.__cause__)) from error
    with writing(new.parent), new.open("rb") as file:
        os.fsync(file.fileno())


def _check_database(path: Path) -> set[str]:
    """Return the blobs that a whole database needs.

    Raises:
        BackupError: it is not whole, or not of ours.
    """
    uri = f"file:{quote(str(path))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            wrong = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
            orphans = connection.execute("PRAGMA foreign_key_check").fetchone()
            if application == APPLICATION_ID and wrong == ["ok"] and orphans is None:
                return {str(row[0]) for row in connection.execute(_NEEDED)}
    except sqlite3.DatabaseError as error:
        wrong = [str(error)]
    raise _not_whole("; ".join(map(str, wrong)))


def _not_whole(how: str) -> BackupError:
    return BackupError(
        f"the database is not whole, nothing was replaced: {how}",
        hint="see docs/runbooks/RestoreFromBackup.md",
    )


def _copy_blobs(source: Path, target: Path, needed: set[str]) -> tuple[int, list[str]]:
    """Write what the target has not whole; return how much, and what is nowhere whole."""
    here, there = BlobFiles(source / BLOBS_NAME), BlobFiles(target / BLOBS_NAME)
    written, damaged = 0, []
    for name in sorted(needed):
        try:
            there.get(name)
            continue
        except HashMismatchError:
            pass
        try:
            there.put(here.get(name))
            written += 1
        except HashMismatchError:
            damaged.append(name)
    return written, damaged


def _write_list(path: Path, text: str) -> None:
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync_directory(path.parent)


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BackupError(
            f"cannot read {path} ({error.strerror})", hint="check the disk"
        ) from error
