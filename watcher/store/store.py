"""The store as one object: a directory, its lock, its database, its blobs."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from watcher.store.acts import Acts
from watcher.store.backups import BLOBS_NAME, DATABASE_NAME, Backups
from watcher.store.blobs import BlobFiles
from watcher.store.bulk import Bulk
from watcher.store.captures import Captures
from watcher.store.changes import Changes
from watcher.store.citations import Citations
from watcher.store.commits import Commits
from watcher.store.counts import count
from watcher.store.database import Database
from watcher.store.dates import Dates
from watcher.store.documents import Documents
from watcher.store.errors import StoreError, StoreReadOnlyError
from watcher.store.feed import Feed
from watcher.store.holds import Holds
from watcher.store.incidents import Incidents
from watcher.store.lock import DirectoryLock
from watcher.store.migrate import bring_up_to_date
from watcher.store.observations import Observations
from watcher.store.outbox import Outbox
from watcher.store.purges import Purges
from watcher.store.reviews import Reviews
from watcher.store.rows import Counts
from watcher.store.rule_sets import RuleSets
from watcher.store.service import ServiceRecords
from watcher.store.silences import Silences
from watcher.store.tokens import Tokens
from watcher.store.triage import Triages
from watcher.store.versions import Versions


class Store:
    """Everything that is kept, below one directory. Made by `Store.open`."""

    def __init__(self, database: Database, blobs: BlobFiles, lock: DirectoryLock | None) -> None:
        self._database = database
        self._lock = lock
        self.documents = Documents(database)
        self.observations = Observations(database)
        self.captures = Captures(database, blobs)
        self.commits = Commits(database, blobs)
        self.versions = Versions(database, blobs)
        self.citations = Citations(database, blobs)
        self.holds = Holds(database)
        self.changes = Changes(database)
        self.rule_sets = RuleSets(database)
        self.reviews = Reviews(database)
        self.dates = Dates(database)
        self.outbox = Outbox(database)
        self.incidents = Incidents(database)
        self.silences = Silences(database)
        self.backups = Backups(database)
        self.service = ServiceRecords(database)
        self.acts = Acts(database)
        self.purges = Purges(database, blobs)
        self.bulk = Bulk(database, blobs)
        self.feed = Feed(database)
        self.tokens = Tokens(database)
        self.triage = Triages(database)

    @classmethod
    def open(cls, directory: Path, *, read_only: bool = False) -> Self:
        """Open the store in `directory` as its service, or to read.

        A directory has one service; it creates or migrates the database. A
        reader changes nothing, and may also work on a copy.

        Raises:
            StoreLockedError: the service runs there already, or the database
                must be migrated and others are at work on it.
            SchemaTooNewError, TriggersAlteredError, StoreError: it cannot be
                used as it is.
            StoreReadOnlyError, UnreadableError: the file system does not let us.
        """
        if not read_only:
            return cls._open_to_write(directory, service=True)
        path = directory / DATABASE_NAME
        if not path.is_file():
            raise StoreError(
                f"there is no store in {directory}",
                hint="name the data directory, or run `watcher run` once to create it",
            )
        store = cls(Database(path, read_only=True), BlobFiles(directory / BLOBS_NAME), None)
        try:
            bring_up_to_date(store._database, may_write=False)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def open_beside(cls, directory: Path) -> Self:
        """Open the store to write beside its service, or without one.

        For single commands: writes take turns in the database, and leases keep
        writers from each other's documents.

        Raises:
            StoreLockedError: the database must be migrated and others are at
                work on it.
            Else as `open`.
        """
        return cls._open_to_write(directory, service=False)

    @classmethod
    def _open_to_write(cls, directory: Path, *, service: bool) -> Self:
        """Open to write; whoever is alone finishes what a crash interrupted.

        A service that starts beside a command cannot tell a dead writer's lease
        from the command's: those run out by themselves. Only it sends alerts,
        so a claim on one is a dead sender's.
        """
        _make(directory)
        lock = DirectoryLock(directory, service=service)
        try:
            # Made before SQLite does, so that it and its journals, which take over its
            # mode, are nobody else's to read.
            (directory / DATABASE_NAME).touch(mode=0o640)
            database = Database(directory / DATABASE_NAME)
        except BaseException:
            lock.release()
            raise
        store = cls(database, BlobFiles(directory / BLOBS_NAME), lock)
        try:
            bring_up_to_date(database, may_write=lock.alone)
            if lock.alone:
                store.documents.void_leases()
                store.purges.recover()
                lock.share()
            if service:
                store.outbox.void_claims()
        except BaseException:
            store.close()
            raise
        return store

    def counts(self) -> Counts:
        """Return how much there is of everything."""
        return count(self._database)

    def probe(self) -> None:
        """Take the right to write and give it back: nothing is written.

        Reading would not do: a database that another process has locked, or
        that lies on a disk gone read-only, is still read.

        Raises:
            StoreReadOnlyError, StoreBusyError, UnreadableError: it cannot be written.
        """
        with self._database.write():
            pass

    def close(self) -> None:
        """Close the database and give the directory back."""
        self._database.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _make(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o750, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreReadOnlyError(
            f"cannot create the data directory {directory} ({error.strerror})",
            hint="create it for this user, or name another",
        ) from error
