"""What persons silenced and did, and when everything was copied."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Index
from sqlmodel import Field, SQLModel
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import AUTO, Long


class OperatorActRow(SQLModel, table=True):
    """What a person did that can hide or reveal something: what was before, and after."""

    __tablename__ = "operator_act"
    __table_args__ = (AUTO,)

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    act: str
    document_id: str | None = Field(default=None, foreign_key="document.document_id")
    subject: str
    reason: str
    before: str = Field(default="", sa_column_kwargs={"server_default": ""})
    after: str = Field(default="", sa_column_kwargs={"server_default": ""})


class SilenceRow(SQLModel, table=True):
    """Which alerts wait for the digest, until when, why and at whose word.

    An empty `kind` or `key`, or no document, matches any. `remote` holds the
    names of the same silence at other programs, by channel.
    """

    __tablename__ = "silence"
    __table_args__ = (
        CheckConstraint("trim(actor) <> '' AND trim(reason) <> ''", name="ck_silence_told"),
        CheckConstraint("ends_at > at", name="ck_silence_time"),
        CheckConstraint(
            "document_id IS NOT NULL OR kind <> '' OR key <> ''", name="ck_silence_match"
        ),
        Index("ix_silence_ends", "ends_at"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    reason: str
    ends_at: datetime = Field(sa_type=UTCDateTime)
    document_id: str | None = Field(default=None, foreign_key="document.document_id")
    kind: str
    key: str
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_by: str
    remote: dict[str, str] = Field(sa_type=JSON)


class SilencedRow(SQLModel, table=True):
    """That an alert waits for the digest because of a silence."""

    __tablename__ = "silenced"
    __table_args__ = (Index("ix_silenced_silence", "silence_row"),)

    outbox_row: int = Field(sa_type=Long, primary_key=True, foreign_key="outbox.id")
    silence_row: int = Field(sa_type=Long, foreign_key="silence.id")
    at: datetime = Field(sa_type=UTCDateTime)


class BackupRow(SQLModel, table=True):
    """That a verified copy was made: where, and the SHA-256 of its list of files."""

    __tablename__ = "backup"
    __table_args__ = (CheckConstraint("length(sha256) = 64", name="ck_backup_sha256"), AUTO)

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    at: datetime = Field(sa_type=UTCDateTime)
    target: str
    sha256: str
    blobs: int
