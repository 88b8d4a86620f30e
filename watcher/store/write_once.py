"""The rules of what may ever change, as triggers of the database itself.

They hold for every program that opens the file, not only for this one:

- No row of a write-once table is updated or deleted. A BEFORE INSERT trigger on
  every key stops INSERT OR REPLACE and UPSERT, which would otherwise delete a
  row without firing its DELETE trigger (SQLite fires it only under
  `PRAGMA recursive_triggers`, which any connection may leave off).
- A text (its row, pages, chunks and what its readings hold beside it) goes only
  by inserting its tombstone: that statement itself deletes the text. A
  tombstone that describes no stored text cannot be inserted, so none can wait
  for a later DELETE, and row numbers are never used again.
- Tables that record work change only in the columns that say how far it is,
  and only forward.

What triggers cannot stop is a program that drops them. So the set found in the
database is compared with the expected one whenever a store is opened.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, Table, UniqueConstraint, text

from watcher.store import tables
from watcher.store.errors import TriggersAlteredError
from watcher.store.rules import FORWARD, INSERTED, MUTABLE, PURGE, PURGEABLE, WRITE_ONCE, Rule


def expected_triggers() -> dict[str, str]:
    """Return the CREATE statement of every trigger by its name."""
    statements = [PURGE]
    statements += [_trigger("INSERT", rule) for rule in (*_taken_keys(), *INSERTED)]
    statements += [_trigger("UPDATE", rule) for rule in (*_fixed_columns(), *FORWARD)]
    statements += [_trigger("DELETE", rule) for rule in _kept_rows()]
    return {statement.split(maxsplit=3)[2]: statement for statement in statements}


def remove(connection: Connection) -> None:
    """Take off every trigger; for a migration, which puts them on again."""
    for name in found_triggers(connection):
        connection.execute(text(f'DROP TRIGGER "{name}"'))


def install(connection: Connection) -> None:
    """Put the expected triggers on a database that has none."""
    for statement in expected_triggers().values():
        connection.exec_driver_sql(statement)


def found_triggers(connection: Connection) -> dict[str, str]:
    """Return the CREATE statement of every trigger that the database has."""
    query = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    return {row.name: row.sql for row in connection.execute(query)}


def verify(connection: Connection) -> None:
    """Check that the database has the expected triggers and no others.

    Raises:
        TriggersAlteredError: one is missing, differs, or does not belong there.
    """
    expected, found = expected_triggers(), found_triggers(connection)
    if expected == found:
        return
    wrong = sorted(
        name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)
    )
    raise TriggersAlteredError(
        f"{len(wrong)} write-once rules are missing, altered or foreign: {', '.join(wrong[:4])}",
        hint="something changed the database by other means: compare it with a backup before use",
    )


def _trigger(event: str, rule: Rule) -> str:
    when = f" WHEN {rule.refused}" if rule.refused else ""
    return (
        f"CREATE TRIGGER wo_{rule.table}_{rule.name} BEFORE {event} ON {rule.table}{when}"
        f" BEGIN SELECT RAISE(ABORT, 'write-once: {rule.table}: {rule.message}'); END"
    )


def _kept_rows() -> Iterator[Rule]:
    for table in (*WRITE_ONCE, *MUTABLE):
        yield Rule(table, "delete", "rows never go", "")
    for table, tombstone in PURGEABLE.items():
        yield Rule(table, "delete", "rows go only with a tombstone", f"NOT EXISTS ({tombstone})")


def _fixed_columns() -> Iterator[Rule]:
    for name in (*WRITE_ONCE, *PURGEABLE):
        yield Rule(name, "update", "rows are written once", "")
    for name, mutable in MUTABLE.items():
        fixed = [c.name for c in tables.METADATA.tables[name].columns if c.name not in mutable]
        changed = " OR ".join(f'OLD."{column}" IS NOT NEW."{column}"' for column in fixed)
        yield Rule(name, "update", "this column is written once", changed)


def _taken_keys() -> Iterator[Rule]:
    """Yield, for each table, the rule that a new row takes no key of an old one."""
    for name in (*WRITE_ONCE, *PURGEABLE, *MUTABLE):
        taken = []
        for columns, where in _keys(tables.METADATA.tables[name]):
            same = " AND ".join(f'o."{column}" = NEW."{column}"' for column in columns)
            taken.append(f"EXISTS (SELECT 1 FROM {name} o WHERE {same}{where})")  # noqa: S608
        yield Rule(name, "insert", "this key is taken", " OR ".join(taken))


def _keys(table: Table) -> Iterator[tuple[list[str], str]]:
    """Yield the columns of each key of `table`, and the condition of a partial one."""
    yield [column.name for column in table.primary_key], ""
    unique = [c for c in table.constraints if isinstance(c, UniqueConstraint)]
    for columns in sorted([column.name for column in c.columns] for c in unique):
        yield columns, ""
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        if index.unique:
            where = index.dialect_options["sqlite"]["where"]
            partial = "" if where is None else f" AND o.{where} AND NEW.{where}"
            yield [column.name for column in index.columns], partial
