"""Bring a database to this release's schema, or refuse it by name.

The whole way is one transaction: a killed migration leaves the old schema.
Triggers are not part of the steps, because rebuilding a table drops its own
silently and stumbles over those of others: all are taken off before and the
full set is put on at the end, in the same transaction.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from watcher.store import write_once
from watcher.store.database import APPLICATION_ID, Database
from watcher.store.errors import SchemaTooNewError, StoreError, StoreLockedError

SCHEMA = "0005"
"""The revision that this release reads and writes: the newest in `migrations`."""
_MIGRATIONS = Path(__file__).parent / "migrations"


def bring_up_to_date(database: Database, *, may_write: bool) -> None:
    """Create the schema, or migrate it forward; check the write-once rules.

    `may_write`: nobody else is at work on the directory, nor can come.

    Raises:
        StoreLockedError: it must be migrated, and others are at work on it.
        SchemaTooNewError: a newer release wrote it.
        StoreError: it is not a database of ours.
        TriggersAlteredError: its write-once rules were tampered with.
    """
    with database.read() as connection:
        found = _revision(connection, database.path)
        if found == SCHEMA:
            write_once.verify(connection)
            return
    if database.read_only:
        raise StoreError(
            f"{database.path} has schema {found or 'none'}, this release reads {SCHEMA}",
            hint="open it once for writing with this release, which migrates it",
        )
    if not may_write:
        raise StoreLockedError(
            f"{database.path} has schema {found or 'none'} and must become {SCHEMA},"
            " but other processes work on it",
            hint="stop the running watcher, then try again",
        )
    with database.rebuild() as connection:
        write_once.remove(connection)
        _upgrade(connection)
        write_once.install(connection)
        connection.execute(text(f"PRAGMA application_id={APPLICATION_ID}"))


def _revision(connection: Connection, path: Path) -> str | None:
    """Return the schema's revision, None for an empty database."""
    names = inspect(connection).get_table_names()
    if not names:
        return None
    application = connection.execute(text("PRAGMA application_id")).scalar_one()
    if application != APPLICATION_ID or "alembic_version" not in names:
        raise StoreError(
            f"{path} is not a database of watcher",
            hint="name another data directory, or move that file away",
        )
    revision = str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
    if revision > SCHEMA:
        raise SchemaTooNewError(
            f"{path} has schema {revision}, this release knows up to {SCHEMA}",
            hint="a newer watcher wrote it: run that release, or restore an older backup",
        )
    return revision


def _upgrade(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415  (only a migration pays for the import)
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, SCHEMA)
