"""What was seen, and what it says."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Index, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import AUTO, BY_KEY, Long


class DocumentRow(SQLModel, table=True):
    """Something watched, and when it is to be looked at next.

    `lease_token` only grows: a writer that holds an older one was overtaken.
    The validators belong to `validator_url` and to `validator_capture`; sent
    for anything else they could confirm a text that was never read.
    """

    __tablename__ = "document"
    __table_args__ = (
        CheckConstraint("state IN ('active', 'retired')", name="ck_document_state"),
        Index("ix_document_due", "state", "next_check"),
    )

    document_id: str = Field(primary_key=True)
    state: str
    title: str
    urls: list[str] = Field(sa_type=JSON)
    config_digest: str
    created_at: datetime = Field(sa_type=UTCDateTime)
    retired_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    next_check: datetime | None = Field(default=None, sa_type=UTCDateTime)
    fails: int = 0
    last_success: datetime | None = Field(default=None, sa_type=UTCDateTime)
    lease_owner: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    lease_token: int = Field(default=0, sa_type=Long)
    validator_url: str = ""
    validator_etag: str = ""
    validator_last_modified: str = ""
    validator_capture: str | None = None


class ObservationRow(SQLModel, table=True):
    """A run of equal observations: the first, the last, how many.

    `longest_gap` is the longest time between two of them, in microseconds, so
    that nobody reads more into an interval than was seen.
    """

    __tablename__ = "observation"
    __table_args__ = (
        CheckConstraint("count >= 1 AND first <= last", name="ck_observation_run"),
        Index("ix_observation_document", "document_id", "id"),
        Index("ix_observation_capture", "capture_id"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    document_id: str = Field(foreign_key="document.document_id")
    first: datetime = Field(sa_type=UTCDateTime)
    last: datetime = Field(sa_type=UTCDateTime)
    count: int
    longest_gap: int = Field(sa_type=Long)
    outcome: str
    reason: str
    flags: list[str] = Field(sa_type=JSON)
    url: str
    final_url: str
    http_status: int | None
    etag: str
    last_modified: str
    capture_id: str | None = Field(foreign_key="capture.capture_id")
    message: str
    hint: str
    evidence: list[list[str]] = Field(sa_type=JSON)


class CaptureRow(SQLModel, table=True):
    """Source bytes that differ from the document's previous capture."""

    __tablename__ = "capture"
    __table_args__ = (
        UniqueConstraint("document_id", "ordinal", name="uq_capture_ordinal"),
        CheckConstraint("origin IN ('fetched', 'pushed', 'imported')", name="ck_capture_origin"),
        Index("ix_capture_body", "body_sha256"),
    )

    capture_id: str = Field(primary_key=True)
    document_id: str = Field(foreign_key="document.document_id")
    ordinal: int
    captured_at: datetime = Field(sa_type=UTCDateTime)
    origin: str
    claimed_at: datetime | None = Field(sa_type=UTCDateTime)
    body_sha256: str
    body_size: int = Field(sa_type=Long)
    content_type: str
    url: str
    final_url: str
    http_status: int | None
    headers: list[list[str]] = Field(sa_type=JSON)
    peer: str
    tls: list[list[str]] = Field(sa_type=JSON)
    server_date: str


class CaptureDecisionRow(SQLModel, table=True):
    """Accepted, held or rejected: the newest row of a capture is its state."""

    __tablename__ = "capture_decision"
    __table_args__ = (
        CheckConstraint(
            "state IN ('accepted', 'held', 'rejected')", name="ck_capture_decision_state"
        ),
        Index("ix_capture_decision_capture", "capture_id", "id"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    capture_id: str = Field(foreign_key="capture.capture_id")
    state: str
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    reason: str


class RenditionRow(SQLModel, table=True):
    """A recipe that turns bytes into text."""

    __tablename__ = "rendition"

    rendition_id: str = Field(primary_key=True)
    engine: str
    versions: list[list[str]] = Field(sa_type=JSON)
    options: list[list[str]] = Field(sa_type=JSON)
    rules: str


class ReadingRow(SQLModel, table=True):
    """One capture read under one rendition; `version_row` is null where it gave no text.

    `annotations` is the digest of what stands beside the text (see
    `watcher.domain.annotations`), by which two readings of equal text compare.
    """

    __tablename__ = "reading"
    __table_args__ = (
        UniqueConstraint("capture_id", "rendition_id", name="uq_reading_recipe"),
        Index("ix_reading_version", "version_row"),
    )

    reading_id: str = Field(primary_key=True)
    capture_id: str = Field(foreign_key="capture.capture_id")
    rendition_id: str = Field(foreign_key="rendition.rendition_id")
    version_row: int | None = Field(sa_type=Long, foreign_key="version.id")
    read_at: datetime = Field(sa_type=UTCDateTime)
    media_type: str
    verdict: str
    annotations: str


class ReadingDetailRow(SQLModel, table=True):
    """What a reading holds beside the text; it goes when the text is purged."""

    __tablename__ = "reading_detail"

    reading_id: str = Field(primary_key=True, foreign_key="reading.reading_id")
    title: str
    language: str
    charset: str
    page_labels: list[str] = Field(sa_type=JSON)
    headings: list[list[int | str]] = Field(sa_type=JSON)
    links: list[list[int | str]] = Field(sa_type=JSON)
    struck: list[list[int]] = Field(sa_type=JSON)
    images: list[str] = Field(sa_type=JSON)
    landmarks: list[list[int | str]] = Field(sa_type=JSON)
    hidden_characters: int
    agreement: float | None
    problems: list[list[int | str]] = Field(sa_type=JSON)


class BecameCurrentRow(SQLModel, table=True):
    """A reading that became the document's current one; the newest row is.

    Its rendition is the document's pinned one from then on.
    """

    __tablename__ = "became_current"
    __table_args__ = (
        Index("ix_became_current_document", "document_id", "id"),
        Index("ix_became_current_version", "version_row"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    document_id: str = Field(foreign_key="document.document_id")
    at: datetime = Field(sa_type=UTCDateTime)
    reading_id: str = Field(foreign_key="reading.reading_id")
    version_row: int = Field(sa_type=Long, foreign_key="version.id")


class VersionRow(SQLModel, table=True):
    """The name of a distinct canonical text of a document; it stays after a purge."""

    __tablename__ = "version"
    __table_args__ = (
        UniqueConstraint("document_id", "version", name="uq_version_name"),
        CheckConstraint("length(version) = 71", name="ck_version_form"),
        Index("ix_version_version", "version"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    document_id: str = Field(foreign_key="document.document_id")
    version: str
    first_stored: datetime = Field(sa_type=UTCDateTime)


class StoredTextRow(SQLModel, table=True):
    """That the text of a version is held. The bytes are the blob of that SHA-256."""

    __tablename__ = "stored_text"
    __table_args__ = (AUTO,)

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    version_row: int = Field(sa_type=Long, unique=True, foreign_key="version.id")
    stored_at: datetime = Field(sa_type=UTCDateTime)
    size: int
    pages: int
    chunks: int


class PageRow(SQLModel, table=True):
    """A page, counted from 1, as a range of the text."""

    __tablename__ = "page"
    __table_args__ = (
        CheckConstraint('0 <= start AND start <= "end"', name="ck_page_range"),
        BY_KEY,
    )

    text_row: int = Field(sa_type=Long, primary_key=True, foreign_key="stored_text.id")
    page: int = Field(primary_key=True)
    start: int
    end: int


class ChunkRow(SQLModel, table=True):
    """A page-bounded range with its two hashes: binary, for these rows are many."""

    __tablename__ = "chunk"
    __table_args__ = (
        CheckConstraint('0 <= start AND start < "end"', name="ck_chunk_range"),
        CheckConstraint("length(xxh3) = 16 AND length(sha256) = 32", name="ck_chunk_hashes"),
        BY_KEY,
    )

    text_row: int = Field(sa_type=Long, primary_key=True, foreign_key="stored_text.id")
    ordinal: int = Field(primary_key=True)
    page: int
    start: int
    end: int
    xxh3: bytes = Field(sa_type=LargeBinary)
    sha256: bytes = Field(sa_type=LargeBinary)


class TombstoneRow(SQLModel, table=True):
    """That a text was purged: when, under which rule, by whom, and why.

    Inserting one is what deletes the text (see `watcher.store.write_once`), so
    neither can be without the other.
    """

    __tablename__ = "tombstone"
    __table_args__ = (
        CheckConstraint("rule <> '' AND actor <> ''", name="ck_tombstone_who"),
        Index("ix_tombstone_version", "version_row"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    text_row: int = Field(sa_type=Long, unique=True)
    version_row: int = Field(sa_type=Long, foreign_key="version.id")
    document_id: str = Field(foreign_key="document.document_id")
    version: str
    at: datetime = Field(sa_type=UTCDateTime)
    rule: str
    actor: str
    reason: str
    forced: str
