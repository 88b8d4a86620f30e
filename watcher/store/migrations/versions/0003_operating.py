"""Silences, resolutions, what an act changed, the settings of a judgement, backups."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import Long

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, column in (
        ("operator_act", "before"),
        ("operator_act", "after"),
        ("classification", "config"),
        ("outbox", "resolved_by"),
    ):
        op.add_column(table, sa.Column(column, sa.String(), nullable=False, server_default=""))
    op.add_column("outbox", sa.Column("resolved_at", UTCDateTime(), nullable=True))
    op.create_table(
        "silence",
        sa.Column("id", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("ends_at", UTCDateTime(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("ended_at", UTCDateTime(), nullable=True),
        sa.Column("ended_by", sa.String(), nullable=False),
        sa.Column("remote", sa.JSON(), nullable=False),
        sa.CheckConstraint("trim(actor) <> '' AND trim(reason) <> ''", name="ck_silence_told"),
        sa.CheckConstraint("ends_at > at", name="ck_silence_time"),
        sa.CheckConstraint(
            "document_id IS NOT NULL OR kind <> '' OR key <> ''", name="ck_silence_match"
        ),
        sa.ForeignKeyConstraint(["document_id"], ["document.document_id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_silence_ends", "silence", ["ends_at"], unique=False)
    op.create_table(
        "silenced",
        sa.Column("outbox_row", Long(), nullable=False),
        sa.Column("silence_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["outbox_row"], ["outbox.id"]),
        sa.ForeignKeyConstraint(["silence_row"], ["silence.id"]),
        sa.PrimaryKeyConstraint("outbox_row"),
    )
    op.create_index("ix_silenced_silence", "silenced", ["silence_row"], unique=False)
    op.create_table(
        "backup",
        sa.Column("id", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("blobs", sa.Integer(), nullable=False),
        sa.CheckConstraint("length(sha256) = 64", name="ck_backup_sha256"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
