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
database is compared with the one below whenever a store is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, Table, UniqueConstraint, text

from watcher.store import tables
from watcher.store.errors import TriggersAlteredError

_WRITE_ONCE = (
    "capture",
    "capture_decision",
    "rendition",
    "reading",
    "became_current",
    "version",
    "tombstone",
    "citation",
    "citation_segment",
    "emission",
    "emission_withdrawal",
    "hold",
    "hold_release",
    "statement",
    "classification",
    "hunk",
    "text_map",
    "operator_act",
)

_PURGEABLE = {
    "stored_text": "SELECT 1 FROM tombstone t WHERE t.text_row = OLD.id",
    "page": "SELECT 1 FROM tombstone t WHERE t.text_row = OLD.text_row",
    "chunk": "SELECT 1 FROM tombstone t WHERE t.text_row = OLD.text_row",
    "reading_detail": (
        "SELECT 1 FROM reading r JOIN tombstone t ON t.version_row = r.version_row"
        " WHERE r.reading_id = OLD.reading_id AND NOT EXISTS"
        " (SELECT 1 FROM stored_text s WHERE s.version_row = r.version_row)"
    ),
}
"""Write-once tables whose rows go with a tombstone, and which one allows it."""

_MUTABLE = {
    "document": {
        "state", "title", "urls", "config_digest", "retired_at", "next_check", "fails",
        "last_success", "lease_owner", "lease_until", "lease_token",
        "validator_url", "validator_etag", "validator_last_modified", "validator_capture",
    },
    "observation": {"last", "count", "longest_gap"},
    "change": {"state"},
    "outbox": {
        "state", "unconfirmed", "attempts", "not_before", "due_at", "last_error", "finished_at",
        "receipt", "acked_at", "acked_by",
    },
    "incident": {"last_at", "count", "told_at", "closed_at"},
}  # fmt: skip
"""Tables that record work: the only columns that may change. Rows never go."""

_FORWARD = {
    "document": ("a lease token only grows", "NEW.lease_token < OLD.lease_token"),
    "observation": (
        "only the newest run of a document grows, by one observation at a time",
        "NEW.last <= OLD.last OR NEW.count <> OLD.count + 1 OR NEW.longest_gap < OLD.longest_gap"
        " OR EXISTS (SELECT 1 FROM observation o"
        " WHERE o.document_id = OLD.document_id AND o.id > OLD.id)",
    ),
    "change": (
        "the work on a change only goes forward",
        "instr('stored classified anchored', NEW.state)"
        " < instr('stored classified anchored', OLD.state)",
    ),
    "outbox": (
        "an alert that was delivered or cancelled is done, and acknowledged once",
        "(OLD.state IN ('delivered', 'cancelled') AND NEW.state <> OLD.state)"
        " OR (OLD.acked_at IS NOT NULL AND"
        " (NEW.acked_at IS NOT OLD.acked_at OR NEW.acked_by <> OLD.acked_by))"
        " OR NEW.attempts < OLD.attempts",
    ),
    "incident": (
        "a closed incident is done, and told once",
        "OLD.closed_at IS NOT NULL"
        " OR (OLD.told_at IS NOT NULL AND NEW.told_at IS NOT OLD.told_at)"
        " OR NEW.count < OLD.count OR NEW.last_at < OLD.last_at",
    ),
}

_LIVE = (
    "SELECT 1 FROM emission e JOIN citation c ON c.id = e.citation_row"
    " WHERE c.version_row = NEW.version_row AND e.expires_at > NEW.at"
    " AND NOT EXISTS (SELECT 1 FROM emission_withdrawal w WHERE w.emission_row = e.id)"
)
_HELD = (
    "SELECT 1 FROM hold h LEFT JOIN citation c ON c.id = h.citation_row"
    " WHERE h.document_id = NEW.document_id"
    " AND (h.version_row = NEW.version_row OR c.version_row = NEW.version_row"
    " OR (h.version_row IS NULL AND h.citation_row IS NULL))"
    " AND NOT EXISTS (SELECT 1 FROM hold_release r WHERE r.hold_row = h.id)"
)
_CURRENT = (
    "SELECT version_row FROM became_current b WHERE b.document_id = NEW.document_id"
    " ORDER BY b.id DESC LIMIT 1"
)

_INSERTS = {
    "capture_decision": (
        (
            "decided",
            "a decision about a capture is final unless it was to hold it",
            "EXISTS (SELECT 1 FROM capture_decision d WHERE d.capture_id = NEW.capture_id)"
            " AND (NEW.state = 'held' OR EXISTS (SELECT 1 FROM capture_decision d"
            " WHERE d.capture_id = NEW.capture_id AND d.state <> 'held'))",
        ),
    ),
    "became_current": (
        (
            "accepted",
            "only a reading of an accepted capture becomes current",
            "NOT EXISTS (SELECT 1 FROM reading r"
            " JOIN capture c ON c.capture_id = r.capture_id"
            " JOIN capture_decision d ON d.capture_id = c.capture_id AND d.state = 'accepted'"
            " WHERE r.reading_id = NEW.reading_id AND r.version_row = NEW.version_row"
            " AND c.document_id = NEW.document_id)",
        ),
    ),
    "stored_text": (
        (
            "reused",
            "a row number that a tombstone names is not used again",
            "EXISTS (SELECT 1 FROM tombstone t WHERE t.text_row = NEW.id)",
        ),
    ),
    "page": (
        (
            "complete",
            "a stored text has as many pages as it says",
            "NOT EXISTS (SELECT 1 FROM stored_text s WHERE s.id = NEW.text_row"
            " AND NEW.page BETWEEN 1 AND s.pages AND NEW.\"end\" <= s.size)",
        ),
    ),
    "chunk": (
        (
            "complete",
            "a stored text has as many chunks as it says, each inside its page",
            "NOT EXISTS (SELECT 1 FROM stored_text s JOIN page p ON p.text_row = s.id"
            " WHERE s.id = NEW.text_row AND NEW.ordinal BETWEEN 0 AND s.chunks - 1"
            " AND p.page = NEW.page AND p.start <= NEW.start AND NEW.\"end\" <= p.\"end\")",
        ),
    ),
    "citation": (
        (
            "stored",
            "a citation names a stored version of its document",
            "NOT EXISTS (SELECT 1 FROM version v JOIN stored_text s ON s.version_row = v.id"
            " WHERE v.id = NEW.version_row AND v.document_id = NEW.document_id)",
        ),
    ),
    "citation_segment": (
        (
            "inside",
            "a segment is one of those that its citation counts, inside its page",
            "NOT EXISTS (SELECT 1 FROM citation c"
            " JOIN stored_text s ON s.version_row = c.version_row"
            " JOIN page p ON p.text_row = s.id"
            " WHERE c.id = NEW.citation_row AND NEW.ordinal BETWEEN 0 AND c.segments - 1"
            " AND p.page = NEW.page AND p.start <= NEW.start AND NEW.\"end\" <= p.\"end\")",
        ),
    ),
    "hunk": (
        (
            "complete",
            "a classification has as many hunks as it says",
            "NOT EXISTS (SELECT 1 FROM classification c WHERE c.change_row = NEW.change_row"
            " AND NEW.ordinal BETWEEN 0 AND c.hunks - 1)",
        ),
    ),
    "tombstone": (
        (
            "describes",
            "a tombstone describes a text that is stored",
            "NOT EXISTS (SELECT 1 FROM stored_text s JOIN version v ON v.id = s.version_row"
            " WHERE s.id = NEW.text_row AND v.id = NEW.version_row"
            " AND v.document_id = NEW.document_id AND v.version = NEW.version)",
        ),
        (
            "current",
            "the current version is purged only when forced with a reason",
            f"trim(NEW.forced) = '' AND NEW.version_row = ({_CURRENT})",
        ),
        (
            "cited",
            "a live citation needs this version: purge it only when forced with a reason",
            f"trim(NEW.forced) = '' AND EXISTS ({_LIVE})",
        ),
        (
            "held",
            "a pin or a hold keeps this version: purge it only when forced with a reason",
            f"trim(NEW.forced) = '' AND EXISTS ({_HELD})",
        ),
    ),
}  # fmt: skip
"""What an inserted row must satisfy: (name, message, when it is refused)."""

_PURGE = """\
CREATE TRIGGER wo_tombstone_purge AFTER INSERT ON tombstone BEGIN
  INSERT INTO blob_removal (sha256) SELECT substr(NEW.version, 8)
    WHERE NOT EXISTS (SELECT 1 FROM blob_removal b WHERE b.sha256 = substr(NEW.version, 8));
  INSERT INTO blob_removal (sha256) SELECT DISTINCT c.body_sha256
    FROM reading r JOIN capture c ON c.capture_id = r.capture_id
    WHERE r.version_row = NEW.version_row
    AND NOT EXISTS (SELECT 1 FROM blob_removal b WHERE b.sha256 = c.body_sha256);
  DELETE FROM chunk WHERE text_row = NEW.text_row;
  DELETE FROM page WHERE text_row = NEW.text_row;
  DELETE FROM stored_text WHERE id = NEW.text_row;
  DELETE FROM reading_detail WHERE reading_id IN
    (SELECT r.reading_id FROM reading r WHERE r.version_row = NEW.version_row);
END"""


def expected_triggers() -> dict[str, str]:
    """Return the CREATE statement of every trigger by its name."""
    statements = [_PURGE]
    for name in (*_WRITE_ONCE, *_PURGEABLE):
        statements.append(_refuse(name, "update", "UPDATE", "rows are written once", None))
        statements.append(
            _refuse(
                name,
                "delete",
                "DELETE",
                "rows go only with a tombstone" if name in _PURGEABLE else "rows never go",
                f"NOT EXISTS ({_PURGEABLE[name]})" if name in _PURGEABLE else None,
            )
        )
    for name, columns in _MUTABLE.items():
        table = tables.METADATA.tables[name]
        fixed = [column.name for column in table.columns if column.name not in columns]
        changed = " OR ".join(f'OLD."{column}" IS NOT NEW."{column}"' for column in fixed)
        statements.append(_refuse(name, "fixed", "UPDATE", "this column is written once", changed))
        message, backward = _FORWARD[name]
        statements.append(_refuse(name, "forward", "UPDATE", message, backward))
        statements.append(_refuse(name, "delete", "DELETE", "rows never go", None))
    for name in (*_WRITE_ONCE, *_PURGEABLE, *_MUTABLE):
        taken = " OR ".join(_taken(tables.METADATA.tables[name]))
        statements.append(_refuse(name, "replace", "INSERT", "this key is taken", taken))
    for name, rules in _INSERTS.items():
        statements.extend(
            _refuse(name, rule, "INSERT", message, refused) for rule, message, refused in rules
        )
    return {statement.split(maxsplit=3)[2]: statement for statement in statements}


def install(connection: Connection) -> None:
    """Replace whatever triggers the database has by the expected ones."""
    for name in found_triggers(connection):
        connection.execute(text(f'DROP TRIGGER "{name}"'))
    for statement in expected_triggers().values():
        connection.exec_driver_sql(statement)


def found_triggers(connection: Connection) -> dict[str, str]:
    """Return the CREATE statement of every trigger that the database has."""
    rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    return {name: statement for name, statement in rows}


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


def _refuse(table: str, rule: str, event: str, message: str, when: str | None) -> str:
    condition = f" WHEN {when}" if when else ""
    return (
        f"CREATE TRIGGER wo_{table}_{rule} BEFORE {event} ON {table}{condition}"
        f" BEGIN SELECT RAISE(ABORT, 'write-once: {table}: {message}'); END"
    )


def _taken(table: Table) -> Iterator[str]:
    """Yield, for each key of `table`, the condition under which NEW's is taken."""
    for columns, where in _keys(table):
        same = " AND ".join(f'o."{column}" = NEW."{column}"' for column in columns)
        yield f"EXISTS (SELECT 1 FROM {table.name} o WHERE {same}{where})"


def _keys(table: Table) -> Iterator[tuple[Iterable[str], str]]:
    yield [column.name for column in table.primary_key], ""
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            yield [column.name for column in constraint.columns], ""
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        if index.unique:
            where = index.dialect_options["sqlite"]["where"]
            partial = "" if where is None else f" AND o.{where} AND NEW.{where}"
            yield [column.name for column in index.columns], partial
