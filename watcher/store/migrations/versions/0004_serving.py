"""Tokens, who may see a document, triage, the order in which changes were finished."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import Long

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_token",
        sa.Column("id", Long(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("everything", sa.Boolean(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("expires_at", UTCDateTime(), nullable=False),
        sa.CheckConstraint("length(sha256) = 64", name="ck_api_token_sha256"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("sha256"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "api_token_revocation",
        sa.Column("token_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["token_row"], ["api_token.id"]),
        sa.PrimaryKeyConstraint("token_row"),
    )
    op.create_table(
        "document_access",
        sa.Column("id", Long(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["document.document_id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_document_access", "document_access", ["document_id", "id"], unique=False)
    op.create_table(
        "triage",
        sa.Column("id", Long(), nullable=False),
        sa.Column("change_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("assignee", sa.String(), nullable=False),
        sa.Column("disposition", sa.String(), nullable=False),
        sa.Column("due", sa.String(), nullable=False),
        sa.Column("ticket", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.CheckConstraint(
            "disposition IN ('', 'not_applicable', 'action_needed', 'done')",
            name="ck_triage_disposition",
        ),
        sa.ForeignKeyConstraint(["change_row"], ["change.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_triage_change", "triage", ["change_row", "id"], unique=False)
    op.create_table(
        "anchored",
        sa.Column("id", Long(), nullable=False),
        sa.Column("change_row", Long(), nullable=False),
        sa.ForeignKeyConstraint(["change_row"], ["change.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("change_row"),
        sqlite_autoincrement=True,
    )
    op.execute(
        "INSERT INTO anchored (change_row)"
        " SELECT id FROM change WHERE state = 'anchored' ORDER BY id"
    )
