"""Who may ask over HTTP, what they are told of, and what persons made of changes."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Index
from sqlmodel import Field, SQLModel
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import AUTO, Long


class ApiTokenRow(SQLModel, table=True):
    """A bearer token by its SHA-256; `everything`: every document, whatever its groups."""

    __tablename__ = "api_token"
    __table_args__ = (CheckConstraint("length(sha256) = 64", name="ck_api_token_sha256"), AUTO)

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    name: str = Field(unique=True)
    sha256: str = Field(unique=True)
    scopes: list[str] = Field(sa_type=JSON)
    groups: list[str] = Field(sa_type=JSON)
    everything: bool
    created_at: datetime = Field(sa_type=UTCDateTime)
    created_by: str
    expires_at: datetime = Field(sa_type=UTCDateTime)


class ApiTokenRevocationRow(SQLModel, table=True):
    """That a token counts no more."""

    __tablename__ = "api_token_revocation"

    token_row: int = Field(sa_type=Long, primary_key=True, foreign_key="api_token.id")
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str


class DocumentAccessRow(SQLModel, table=True):
    """The groups that may see a document from `at` on; none: every caller that is known.

    Kept, so that a document which is taken out of the configuration stays as
    closed as it was.
    """

    __tablename__ = "document_access"
    __table_args__ = (Index("ix_document_access", "document_id", "id"), AUTO)

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    document_id: str = Field(foreign_key="document.document_id")
    groups: list[str] = Field(sa_type=JSON)
    at: datetime = Field(sa_type=UTCDateTime)


class TriageRow(SQLModel, table=True):
    """What a person made of a change; the newest row of a change is how it stands."""

    __tablename__ = "triage"
    __table_args__ = (
        CheckConstraint(
            "disposition IN ('', 'not_applicable', 'action_needed', 'done')",
            name="ck_triage_disposition",
        ),
        Index("ix_triage_change", "change_row", "id"),
        AUTO,
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    change_row: int = Field(sa_type=Long, foreign_key="change.id")
    at: datetime = Field(sa_type=UTCDateTime)
    actor: str
    assignee: str
    disposition: str
    due: str
    ticket: str
    note: str


class AnchoredRow(SQLModel, table=True):
    """That the work on a change ended: its place in the order of what others are told."""

    __tablename__ = "anchored"
    __table_args__ = (AUTO,)

    id: int | None = Field(default=None, primary_key=True, sa_type=Long)
    change_row: int = Field(sa_type=Long, unique=True, foreign_key="change.id")
