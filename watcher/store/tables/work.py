"""What is to be done with a change, and how far it is."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Index, LargeBinary, UniqueConstraint, text
from sqlmodel import Field, SQLModel
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import AUTO, BY_KEY, Long


class ChangeRow(SQLModel, table=True):
    """Two consecutive readings that differ; `state` says how far the work on it is."""

    __tablename__ = "change"
    __table_args__ = (
        CheckConstraint("kind IN ('text', 'annotation')", name="ck_change_kind"),
        CheckConstraint("cause IN ('publisher', 'rendition')", name="ck_change_cause"),
        CheckConstraint("state IN ('stored', 'classified', 'anchored')", name="ck_change_state"),
        Index("ix_change_document", "document_id", "id"),
        Index(
            "ix_change_pending",
            "id",
            sqlite_where=text("state <> 'anchored'"),
            postgresql_where=text("state <> 'anchored'"),
        ),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    change_id: str = Field(unique=True)
    document_id: str = Field(foreign_key="document.document_id")
    kind: str
    cause: str
    from_reading: str = Field(foreign_key="reading.reading_id")
    to_reading: str = Field(foreign_key="reading.reading_id")
    from_version: int = Field(sa_type=Long, foreign_key="version.id")
    to_version: int = Field(sa_type=Long, foreign_key="version.id")
    at: datetime = Field(sa_type=UTCDateTime)
    state: str


class ClassificationRow(SQLModel, table=True):
    """The judgement on a change: numbers and rule names, no word of the text."""

    __tablename__ = "classification"

    change_row: int = Field(sa_type=Long, primary_key=True, foreign_key="change.id")
    at: datetime = Field(sa_type=UTCDateTime)
    change_class: str
    tier: str
    score: float
    components: list[list[str | float]] = Field(sa_type=JSON)
    facets: list[str] = Field(sa_type=JSON)
    pack: str
    rules: str = Field(default="", sa_column_kwargs={"server_default": ""})
    config: str = Field(default="", sa_column_kwargs={"server_default": ""})
    hunks: int


class HunkRow(SQLModel, table=True):
    """A changed block and its atoms, as ranges.

    An atom is `[old start, old end, new start, new end, class, rule, facets, weight]`.
    """

    __tablename__ = "hunk"
    __table_args__ = (BY_KEY,)

    change_row: int = Field(sa_type=Long, primary_key=True, foreign_key="classification.change_row")
    ordinal: int = Field(primary_key=True)
    kind: str
    old_start: int
    old_end: int
    new_start: int
    new_end: int
    change_class: str
    atoms: list[list[int | str | float | list[str]]] = Field(sa_type=JSON)


class TextMapRow(SQLModel, table=True):
    """The map of a change: packed, compressed, with the SHA-256 of the packed bytes."""

    __tablename__ = "text_map"

    change_row: int = Field(sa_type=Long, primary_key=True, foreign_key="change.id")
    algorithm: str
    sha256: str
    runs: int
    packed: bytes = Field(sa_type=LargeBinary)


class OutboxRow(SQLModel, table=True):
    """One thing to be told on one channel; what is said is made when it is sent."""

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("event_id", "channel", name="uq_outbox_key"),
        CheckConstraint(
            "state IN ('held', 'pending', 'delivered', 'dead', 'cancelled', 'digest')",
            name="ck_outbox_state",
        ),
        Index(
            "ix_outbox_open",
            "not_before",
            sqlite_where=text("state IN ('held', 'pending')"),
            postgresql_where=text("state IN ('held', 'pending')"),
        ),
        Index("ix_outbox_document", "document_id", "id"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    event_id: str
    channel: str
    kind: str
    document_id: str = Field(foreign_key="document.document_id")
    change_row: int | None = Field(sa_type=Long, foreign_key="change.id")
    severity: str
    reason: str
    created_at: datetime = Field(sa_type=UTCDateTime)
    state: str
    unconfirmed: bool
    reverted: bool
    claimed: bool
    attempts: int
    not_before: datetime = Field(sa_type=UTCDateTime)
    due_at: datetime = Field(sa_type=UTCDateTime)
    last_error: str
    finished_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    receipt: str
    acked_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    acked_by: str = ""
    resolved_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    resolved_by: str = Field(default="", sa_column_kwargs={"server_default": ""})


class IncidentRow(SQLModel, table=True):
    """A time during which a document could not be seen, for one reason; told once."""

    __tablename__ = "incident"
    __table_args__ = (
        Index(
            "uq_incident_open",
            "document_id",
            "reason",
            unique=True,
            sqlite_where=text("closed_at IS NULL"),
            postgresql_where=text("closed_at IS NULL"),
        ),
        Index("ix_incident_document", "document_id", "id"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    document_id: str = Field(foreign_key="document.document_id")
    reason: str
    opened_at: datetime = Field(sa_type=UTCDateTime)
    last_at: datetime = Field(sa_type=UTCDateTime)
    count: int
    told_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    closed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class BlobRemovalRow(SQLModel, table=True):
    """A blob that may be needed no more; the row goes once that was looked into."""

    __tablename__ = "blob_removal"

    sha256: str = Field(primary_key=True)
