"""Purging a text: the tombstone, what goes with it, and the bytes themselves."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, exists, insert, or_, select

from watcher.domain.ids import DocumentId, VersionId
from watcher.store import tables
from watcher.store.acts import write_act
from watcher.store.blobs import BlobFiles
from watcher.store.codec import wellformed
from watcher.store.database import Database
from watcher.store.errors import PurgeRefusedError, WriteOnceError
from watcher.store.rows import OperatorAct, Tombstone
from watcher.store.texts import find_text

_removal = tables.blob_removal
_tombstone = tables.tombstone


class Purges:
    """The only way in which a text goes."""

    def __init__(self, database: Database, blobs: BlobFiles) -> None:
        self._database = database
        self._blobs = blobs

    def purge(
        self,
        document_id: DocumentId,
        version: VersionId,
        *,
        at: datetime,
        rule: str,
        actor: str,
        reason: str,
        forced: str = "",
    ) -> Tombstone:
        """Remove the text of a version for good and leave a tombstone.

        `rule` names the retention rule or the order. `forced` is the reason for
        purging what is current, cited by a live citation, pinned or held.

        Raises:
            PurgeRefusedError: it is one of those and `forced` is empty.
            UnknownDocumentError, UnknownVersionError: there is none.
            VersionPurgedError: it was purged before.
        """
        try:
            with self._database.write() as connection:
                row = find_text(connection, document_id, version)
                values = {
                    "text_row": row["text_row"],
                    "version_row": row["id"],
                    "document_id": document_id,
                    "version": version,
                    "at": at,
                    "rule": rule,
                    "actor": actor,
                    "reason": reason,
                    "forced": forced.strip(),
                }
                connection.execute(insert(_tombstone), wellformed(values))
                write_act(connection, OperatorAct(at, actor, "purge", version, document_id, reason))
        except WriteOnceError as error:
            raise PurgeRefusedError(
                error.message.removeprefix("write-once: tombstone: "),
                document_id=document_id,
                hint="let it be, release what holds it, or force the purge with a reason",
            ) from error
        self.work_off()
        return Tombstone(document_id, version, at, rule, actor, reason, forced.strip(), None)

    def work_off(self) -> int:
        """Remove the blobs that no text or capture needs any more; return how many.

        Also empties the journal, which holds what rows held before; where a
        reader is in the way, what is to be done stays noted for the next time.
        Repeating it is harmless.
        """
        removed = 0
        with self._database.write() as connection:
            names = list(connection.execute(select(_removal.c.sha256)).scalars())
            for name in names:
                if not _is_needed(connection, name):
                    removed += self._blobs.remove(name)
        if names and self._database.empty_journal():
            with self._database.write() as connection:
                connection.execute(delete(_removal).where(_removal.c.sha256.in_(names)))
        return removed

    def recover(self) -> None:
        """Finish what a crash interrupted; for the only writer on the directory."""
        self._blobs.sweep()
        with self._database.read() as connection:
            waiting = connection.execute(select(_removal.c.sha256).limit(1)).first()
        if waiting is not None:
            self.work_off()


def _is_needed(connection: Connection, name: str) -> bool:
    """Tell whether a blob is a text that is held, or bytes that one is read from.

    Bytes that gave no text under any rendition are kept: they are all there is.
    """
    version, text = tables.version, tables.stored_text
    capture, reading = tables.capture, tables.reading
    as_text = exists().where(
        version.c.version == f"sha256:{name}", text.c.version_row == version.c.id
    )
    gives_text = exists().where(
        reading.c.capture_id == capture.c.capture_id, reading.c.version_row.is_not(None)
    )
    gives_held_text = exists().where(
        reading.c.capture_id == capture.c.capture_id, text.c.version_row == reading.c.version_row
    )
    as_body = exists().where(capture.c.body_sha256 == name, or_(~gives_text, gives_held_text))
    return bool(connection.execute(select(or_(as_text, as_body))).scalar_one())
