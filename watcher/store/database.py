"""One SQLite database: its connections, its transactions, its errors by name.

Writes begin IMMEDIATE, so that two of them queue instead of failing when both
want to upgrade; WAL lets readers go on. `synchronous=FULL`: a citation that was
answered must not lose its version to a power cut. `secure_delete`: what a purge
deletes is overwritten in the file.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import QueuePool

from watcher.domain.resolution import UnreadableError
from watcher.errors import WatcherError
from watcher.store.errors import (
    StoreBusyError,
    StoreFullError,
    StoreReadOnlyError,
    WriteOnceError,
)

APPLICATION_ID = 0x77617463
"""`watc` in the file's header, so that `file` and we know whose database it is."""
_BUSY_SECONDS = 30.0
_POLITE_MILLISECONDS = 500
"""How long writers stand still while the journal waits for its readers."""
_WRITE = "watcher_write"


class Database:
    """A pool of connections to one file; usable from any thread.

    Opened `read_only`, the database is not changed: that works next to a
    running service, and on a copy of its directory, writable or not.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._writer = threading.RLock()
        self._uri = f"file:{quote(str(path))}" + ("?mode=ro" if read_only else "")
        if read_only and _cannot_share(path):
            self._uri += "&immutable=1"
        self._engine = create_engine(
            "sqlite://", creator=self._connect, poolclass=QueuePool, pool_size=8, max_overflow=24
        )
        event.listen(self._engine, "begin", _begin)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection in one consistent snapshot.

        Raises:
            UnreadableError: the database does not answer now.
        """
        try:
            with named_errors(self.path), self._engine.connect() as connection, connection.begin():
                yield connection
        except StoreBusyError as error:
            raise UnreadableError(error.message, hint=error.hint) from error

    def rows(self, statement: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
        """Return the rows of one statement, a snapshot of its own; columns as SQLite has them.

        Raises:
            UnreadableError: the database does not answer now.
        """
        try:
            with named_errors(self.path):
                pooled = self._engine.raw_connection()
                try:
                    cursor = pooled.cursor()
                    cursor.execute(statement, values)
                    return list(cursor.fetchall())
                finally:
                    pooled.close()
        except StoreBusyError as error:
            raise UnreadableError(error.message, hint=error.hint) from error

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a connection in one transaction, committed durably at the end.

        Writers of this process take turns. Not to be nested.

        Raises:
            StoreReadOnlyError, StoreFullError, StoreBusyError, WriteOnceError,
            UnreadableError: nothing was written.
        """
        if self.read_only:
            raise StoreReadOnlyError(
                f"{self.path.parent} was opened read-only", hint="open it without read_only"
            )
        with self._writer, named_errors(self.path), self._engine.connect() as plain:
            connection = plain.execution_options(**{_WRITE: True})
            with connection.begin():
                yield connection

    @contextmanager
    def rebuild(self) -> Iterator[Connection]:
        """Give a transaction in which tables may be rebuilt, for a migration.

        SQLite rebuilds a table by dropping it, which foreign keys forbid, and
        they cannot be switched inside a transaction. So they are off in this
        one, and checked as a whole before it is committed.

        Raises:
            As `write`.
        """
        with self._writer, named_errors(self.path), self._engine.connect() as plain:
            connection = plain.execution_options(**{_WRITE: True})
            _set_foreign_keys(connection, on=False)
            try:
                with connection.begin():
                    yield connection
                    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
                    if broken is not None:
                        raise WriteOnceError(
                            f"{self.path}: rows of {broken[0]} would refer to nothing",
                            hint="the migration is wrong, and nothing was changed",
                        )
            finally:
                _set_foreign_keys(connection, on=True)

    def empty_journal(self) -> bool:
        """Move the journal into the database and cut it to nothing.

        Returns False where a reader still needs it; calling again later helps.
        """
        with self._writer, named_errors(self.path):
            raw = self._connect()
            try:
                raw.execute(f"PRAGMA busy_timeout={_POLITE_MILLISECONDS}")
                busy, _, _ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                raw.close()
        return not busy

    def size(self) -> int:
        """Return the bytes of the database file."""
        return self.path.stat().st_size

    def journal_size(self) -> int:
        """Return the bytes of the journal, 0 where there is none."""
        journal = self.path.with_name(self.path.name + "-wal")
        return journal.stat().st_size if journal.exists() else 0

    def close(self) -> None:
        """Close every pooled connection."""
        self._engine.dispose()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._uri,
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            if not self.read_only:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("PRAGMA secure_delete=ON")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA recursive_triggers=ON")
            connection.execute("PRAGMA trusted_schema=OFF")
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def _begin(connection: Connection) -> None:
    write = connection.get_execution_options().get(_WRITE, False)
    # On the driver's own cursor: the way through the engine costs as much as a query.
    cursor = connection.connection.cursor()
    cursor.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    cursor.close()


def _set_foreign_keys(connection: Connection, *, on: bool) -> None:
    """Switch foreign keys outside of any transaction."""
    cursor = connection.connection.cursor()
    cursor.execute(f"PRAGMA foreign_keys={'ON' if on else 'OFF'}")
    cursor.close()


def _cannot_share(path: Path) -> bool:
    """Tell whether a WAL database must be read as a file that nobody writes.

    A reader needs the -shm file or the right to create it. A copied directory
    on read-only media has neither; without a journal it may be read as it is.
    """
    journal = path.with_name(path.name + "-wal")
    if journal.exists() and journal.stat().st_size:
        return False
    probe = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)
    try:
        probe.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False
    finally:
        probe.close()
    return False


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Raise SQLite's errors about `path` as ours."""
    try:
        yield
    except PoolTimeoutError as error:
        raise StoreBusyError(
            f"every connection to {path} is in use", hint="ask less of it at once, or try again"
        ) from error
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise _named(error.orig, path) from error
        raise
    except sqlite3.Error as error:
        raise _named(error, path) from error


def _named(error: sqlite3.Error, path: Path) -> WatcherError:
    """Return our error for SQLite's; its own words stay in the message."""
    code = getattr(error, "sqlite_errorname", "")
    if code == "SQLITE_CONSTRAINT_TRIGGER":
        return WriteOnceError(str(error), hint="evidence is never altered; nothing was written")
    if code == "SQLITE_FULL":
        return StoreFullError(
            f"no room for {path}", hint="make room on the disk; the work is tried again"
        )
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusyError(
            f"{path} stayed locked for {_BUSY_SECONDS:.0f} s",
            hint="another program is writing to it; end that, then try again",
        )
    if code.startswith("SQLITE_READONLY"):
        return StoreReadOnlyError(
            f"{path} cannot be written", hint="make the data directory writable for this user"
        )
    if code.startswith("SQLITE_CONSTRAINT"):
        return WriteOnceError(
            f"{path}: {error}", hint="the row contradicts what is stored; nothing was written"
        )
    return UnreadableError(
        f"{path} does not answer: {error}",
        hint="check the disk; run `watcher verify`, and restore a backup if it is damaged",
    )
