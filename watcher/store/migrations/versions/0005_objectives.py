"""What the daemon keeps of itself: samples, its alerts, broken citations, tallies."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import Long

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "service_sample",
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("samples", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("at"),
    )
    op.create_table(
        "service_alert",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("looked_at", UTCDateTime(), nullable=False),
        sa.Column("active_since", UTCDateTime(), nullable=True),
        sa.Column("firing_since", UTCDateTime(), nullable=True),
        sa.Column("value", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "citation_fault",
        sa.Column("citation_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["document.document_id"]),
        sa.PrimaryKeyConstraint("citation_id"),
    )
    op.create_table(
        "service_tally",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("result", sa.String(), nullable=False),
        sa.Column("count", Long(), nullable=False),
        sa.Column("last", UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "result"),
    )
