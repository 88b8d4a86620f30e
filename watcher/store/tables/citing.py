"""Who relies on a text: citations, their uses, and where they are now."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Index, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import AUTO, BY_KEY, Long


class CitationRow(SQLModel, table=True):
    """A citation; `segments` is how many rows complete it."""

    __tablename__ = "citation"
    __table_args__ = (
        CheckConstraint("segments >= 1", name="ck_citation_segments"),
        Index("ix_citation_version", "version_row"),
        Index("ix_citation_document", "document_id", "id"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    citation_id: str = Field(unique=True)
    document_id: str = Field(foreign_key="document.document_id")
    version_row: int = Field(sa_type=Long, foreign_key="version.id")
    segments: int
    created_at: datetime = Field(sa_type=UTCDateTime)


class CitationSegmentRow(SQLModel, table=True):
    """One range of a citation, with its page and the hash of its bytes."""

    __tablename__ = "citation_segment"
    __table_args__ = (
        CheckConstraint('0 <= start AND start < "end"', name="ck_citation_segment_range"),
        CheckConstraint("length(sha256) = 64", name="ck_citation_segment_hash"),
        BY_KEY,
    )

    citation_row: int = Field(sa_type=Long, primary_key=True, foreign_key="citation.id")
    ordinal: int = Field(primary_key=True)
    page: int
    start: int
    end: int
    sha256: str


class EmissionRow(SQLModel, table=True):
    """That somebody used a citation, under the user's own key."""

    __tablename__ = "emission"
    __table_args__ = (
        UniqueConstraint("caller", "answer_id", "ordinal", name="uq_emission_key"),
        Index("ix_emission_citation", "citation_row", "expires_at"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    citation_row: int = Field(sa_type=Long, foreign_key="citation.id")
    caller: str
    answer_id: str
    ordinal: int
    emitted_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    answer_sha256: str
    application: str
    model: str
    labels: list[list[str]] = Field(sa_type=JSON)


class EmissionWithdrawalRow(SQLModel, table=True):
    """That an emission no longer counts."""

    __tablename__ = "emission_withdrawal"

    emission_row: int = Field(sa_type=Long, primary_key=True, foreign_key="emission.id")
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    reason: str


class HoldRow(SQLModel, table=True):
    """A pin keeps a citation live; a hold also keeps its text from being purged.

    It covers one citation, one version, or (both null) the whole document.
    """

    __tablename__ = "hold"
    __table_args__ = (
        CheckConstraint("kind IN ('pin', 'hold')", name="ck_hold_kind"),
        CheckConstraint("citation_row IS NULL OR version_row IS NULL", name="ck_hold_scope"),
        Index("ix_hold_document", "document_id"),
        Index("ix_hold_citation", "citation_row"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    kind: str
    document_id: str = Field(foreign_key="document.document_id")
    version_row: int | None = Field(sa_type=Long, foreign_key="version.id")
    citation_row: int | None = Field(sa_type=Long, foreign_key="citation.id")
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    reason: str


class HoldReleaseRow(SQLModel, table=True):
    """That a pin or a hold ended."""

    __tablename__ = "hold_release"

    hold_row: int = Field(sa_type=Long, primary_key=True, foreign_key="hold.id")
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    reason: str


class StatementRow(SQLModel, table=True):
    """Where a citation is in a newer version, by one algorithm.

    Ranges are packed integers (see `watcher.store.codec`): there may be a
    million of these rows for one document.
    """

    __tablename__ = "statement"
    __table_args__ = (Index("ix_statement_version", "version_row", "citation_row"), BY_KEY)

    citation_row: int = Field(sa_type=Long, primary_key=True, foreign_key="citation.id")
    version_row: int = Field(sa_type=Long, primary_key=True, foreign_key="version.id")
    algorithm: str = Field(primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)
    status: str
    how: str
    material: bool | None
    context_changed: bool
    absent_between: bool
    carries: bool
    similarity: float
    coverage: float
    margin: float
    method: str
    ranges: bytes = Field(sa_type=LargeBinary)
    candidates: bytes = Field(sa_type=LargeBinary)
    runner_up: bytes = Field(sa_type=LargeBinary)
    edits: bytes = Field(sa_type=LargeBinary)


class StatementTallyRow(SQLModel, table=True):
    """How many statements there are of a status, so that nobody counts millions."""

    __tablename__ = "statement_tally"

    status: str = Field(primary_key=True)
    count: int = Field(sa_type=Long)
