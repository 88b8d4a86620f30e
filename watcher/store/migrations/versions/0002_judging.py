"""Rule sets, reviews and dates of effect."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import Long

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "classification", sa.Column("rules", sa.String(), nullable=False, server_default="")
    )
    op.create_table(
        "rule_set",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("first_at", UTCDateTime(), nullable=False),
        sa.CheckConstraint("length(digest) = 64", name="ck_rule_set_digest"),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "review_sample",
        sa.Column("change_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("chance", sa.Float(), nullable=False),
        sa.CheckConstraint("chance > 0 AND chance <= 1", name="ck_review_chance"),
        sa.ForeignKeyConstraint(["change_row"], ["classification.change_row"]),
        sa.PrimaryKeyConstraint("change_row"),
    )
    op.create_table(
        "review",
        sa.Column("id", Long(), nullable=False),
        sa.Column("change_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.CheckConstraint(
            "verdict IN ('right', 'false-page', 'missed')", name="ck_review_verdict"
        ),
        sa.ForeignKeyConstraint(["change_row"], ["classification.change_row"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_review_change", "review", ["change_row", "id"], unique=False)
    op.create_table(
        "date_scan",
        sa.Column("version_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("method", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["version_row"], ["version.id"]),
        sa.PrimaryKeyConstraint("version_row"),
    )
    op.create_table(
        "effective_date",
        sa.Column("id", Long(), nullable=False),
        sa.Column("version_row", Long(), nullable=False),
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.CheckConstraint('0 <= start AND start <= "end"', name="ck_effective_date_range"),
        sa.ForeignKeyConstraint(["version_row"], ["version.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("version_row", "day", "start", name="uq_effective_date"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "date_decision",
        sa.Column("id", Long(), nullable=False),
        sa.Column("date_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("decision", sa.String(), nullable=False),
        sa.CheckConstraint("decision IN ('confirmed', 'rejected')", name="ck_date_decision"),
        sa.ForeignKeyConstraint(["date_row"], ["effective_date.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_date_decision", "date_decision", ["date_row", "id"], unique=False)
