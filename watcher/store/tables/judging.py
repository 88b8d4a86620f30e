"""How changes were judged and whether that was right; when versions take effect."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import AUTO, Long


class RuleSetRow(SQLModel, table=True):
    """The owner's rules under which changes were classified, named by their SHA-256."""

    __tablename__ = "rule_set"
    __table_args__ = (CheckConstraint("length(digest) = 64", name="ck_rule_set_digest"),)

    digest: str = Field(primary_key=True)
    body: str
    first_at: datetime = Field(sa_type=UTCDateTime)


class ReviewSampleRow(SQLModel, table=True):
    """That a change was drawn for review, and with which chance."""

    __tablename__ = "review_sample"
    __table_args__ = (CheckConstraint("chance > 0 AND chance <= 1", name="ck_review_chance"),)

    change_row: int = Field(sa_type=Long, primary_key=True, foreign_key="classification.change_row")
    at: datetime = Field(sa_type=UTCDateTime)
    chance: float


class ReviewRow(SQLModel, table=True):
    """A person's verdict on the judgement of a change; the latest one counts."""

    __tablename__ = "review"
    __table_args__ = (
        CheckConstraint("verdict IN ('right', 'false-page', 'missed')", name="ck_review_verdict"),
        Index("ix_review_change", "change_row", "id"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    change_row: int = Field(sa_type=Long, foreign_key="classification.change_row")
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    verdict: str
    note: str


class DateScanRow(SQLModel, table=True):
    """That a version was searched for dates of effect, and by what."""

    __tablename__ = "date_scan"

    version_row: int = Field(sa_type=Long, primary_key=True, foreign_key="version.id")
    at: datetime = Field(sa_type=UTCDateTime)
    method: str


class EffectiveDateRow(SQLModel, table=True):
    """A date from which a version applies: found in its text, or stated by a person (no range)."""

    __tablename__ = "effective_date"
    __table_args__ = (
        UniqueConstraint("version_row", "day", "start", name="uq_effective_date"),
        CheckConstraint('0 <= start AND start <= "end"', name="ck_effective_date_range"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    version_row: int = Field(sa_type=Long, foreign_key="version.id")
    day: str
    start: int
    end: int
    at: datetime = Field(sa_type=UTCDateTime)


class DateDecisionRow(SQLModel, table=True):
    """That a person confirmed or rejected a date of effect; the latest decision counts."""

    __tablename__ = "date_decision"
    __table_args__ = (
        CheckConstraint("decision IN ('confirmed', 'rejected')", name="ck_date_decision"),
        Index("ix_date_decision", "date_row", "id"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    date_row: int = Field(sa_type=Long, foreign_key="effective_date.id")
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    decision: str
