"""What the store refuses, each by name."""

from __future__ import annotations

from watcher.errors import TemporaryError, UsageError, WatcherError


class StoreError(WatcherError):
    """The data directory cannot be used as it is."""

    code = "store"


class StoreLockedError(TemporaryError):
    """Another process owns the data directory."""

    code = "store_locked"


class StoreFullError(TemporaryError):
    """No room is left for the database or for blobs; nothing was written."""

    code = "store_full"


class StoreBusyError(TemporaryError):
    """The database was locked for longer than a write waits."""

    code = "store_busy"


class StoreReadOnlyError(UsageError):
    """A write to a store that was opened to read, or on a read-only file system."""

    code = "store_read_only"


class SchemaTooNewError(StoreError):
    """The database was written by a newer watcher."""

    code = "schema_too_new"
    exit_code = 78


class TriggersAlteredError(StoreError):
    """The database's write-once rules are not the ones that belong there."""

    code = "triggers_altered"


class WriteOnceError(StoreError):
    """A write-once rule of the database stopped a statement."""

    code = "write_once"


class StaleLeaseError(TemporaryError):
    """The document was given to another writer; nothing was written."""

    code = "stale_lease"


class DocumentBusyError(TemporaryError):
    """Another check of the document is running."""

    code = "document_busy"


class RenditionMismatchError(StoreError):
    """The reading's rendition is not the one pinned for the document."""

    code = "rendition_mismatch"


class UnknownCaptureError(UsageError):
    """No capture has that id."""

    code = "unknown_capture"


class DecisionError(UsageError):
    """The capture is not held, or a newer one was accepted since."""

    code = "decision"


class UnknownCitationError(UsageError):
    """No citation was emitted under that id."""

    code = "unknown_citation"


class NotCitableError(UsageError):
    """The version was only ever held: it is not citable."""

    code = "not_citable"


class EmissionConflictError(UsageError):
    """The emission's key was used for another citation or another answer."""

    code = "emission_conflict"


class UnknownChangeError(UsageError):
    """No change has that id."""

    code = "unknown_change"


class ChangeStateError(StoreError):
    """The work on the change is not where this step begins."""

    code = "change_state"


class UnknownAlertError(UsageError):
    """No alert has that number."""

    code = "unknown_alert"


class BackupError(StoreError):
    """The copy cannot be made or used; what was there before is untouched."""

    code = "backup"


class SilenceError(UsageError):
    """The silence does not say why, by whom, for which alerts or how long."""

    code = "silence"


class UnknownSilenceError(UsageError):
    """No silence has that number."""

    code = "unknown_silence"


class ReviewError(UsageError):
    """The verdict cannot be said of a judgement of that tier."""

    code = "review"


class UnknownDateError(UsageError):
    """No date of effect has that number."""

    code = "unknown_date"


class PurgeRefusedError(StoreError):
    """The text is current, or a live citation or a hold needs it."""

    code = "purge_refused"


class UnknownHoldError(UsageError):
    """No pin or hold has that number."""

    code = "unknown_hold"
