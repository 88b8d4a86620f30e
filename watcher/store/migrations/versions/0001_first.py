"""The first schema."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import Long

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "blob_removal",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("sha256"),
    )
    op.create_table(
        "document",
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("urls", sa.JSON(), nullable=False),
        sa.Column("config_digest", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("retired_at", UTCDateTime(), nullable=True),
        sa.Column("next_check", UTCDateTime(), nullable=True),
        sa.Column("fails", sa.Integer(), nullable=False),
        sa.Column("last_success", UTCDateTime(), nullable=True),
        sa.Column("lease_owner", sa.String(), nullable=True),
        sa.Column("lease_until", UTCDateTime(), nullable=True),
        sa.Column("lease_token", Long(), nullable=False),
        sa.Column("validator_url", sa.String(), nullable=False),
        sa.Column("validator_etag", sa.String(), nullable=False),
        sa.Column("validator_last_modified", sa.String(), nullable=False),
        sa.Column("validator_capture", sa.String(), nullable=True),
        sa.CheckConstraint("state IN ('active', 'retired')", name="ck_document_state"),
        sa.PrimaryKeyConstraint("document_id"),
    )
    with op.batch_alter_table("document", schema=None) as batch_op:
        batch_op.create_index("ix_document_due", ["state", "next_check"], unique=False)

    op.create_table(
        "rendition",
        sa.Column("rendition_id", sa.String(), nullable=False),
        sa.Column("engine", sa.String(), nullable=False),
        sa.Column("versions", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("rendition_id"),
    )
    op.create_table(
        "statement_tally",
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("count", Long(), nullable=False),
        sa.PrimaryKeyConstraint("status"),
    )
    op.create_table(
        "capture",
        sa.Column("capture_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("captured_at", UTCDateTime(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("claimed_at", UTCDateTime(), nullable=True),
        sa.Column("body_sha256", sa.String(), nullable=False),
        sa.Column("body_size", Long(), nullable=False),
        sa.Column("content_type", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("final_url", sa.String(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("headers", sa.JSON(), nullable=False),
        sa.Column("peer", sa.String(), nullable=False),
        sa.Column("tls", sa.JSON(), nullable=False),
        sa.Column("server_date", sa.String(), nullable=False),
        sa.CheckConstraint("origin IN ('fetched', 'pushed', 'imported')", name="ck_capture_origin"),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.PrimaryKeyConstraint("capture_id"),
        sa.UniqueConstraint("document_id", "ordinal", name="uq_capture_ordinal"),
    )
    with op.batch_alter_table("capture", schema=None) as batch_op:
        batch_op.create_index("ix_capture_body", ["body_sha256"], unique=False)

    op.create_table(
        "incident",
        sa.Column("id", Long(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("opened_at", UTCDateTime(), nullable=False),
        sa.Column("last_at", UTCDateTime(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("told_at", UTCDateTime(), nullable=True),
        sa.Column("closed_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("incident", schema=None) as batch_op:
        batch_op.create_index("ix_incident_document", ["document_id", "id"], unique=False)
        batch_op.create_index(
            "uq_incident_open",
            ["document_id", "reason"],
            unique=True,
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )

    op.create_table(
        "operator_act",
        sa.Column("id", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=True),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "version",
        sa.Column("id", Long(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("first_stored", UTCDateTime(), nullable=False),
        sa.CheckConstraint("length(version) = 71", name="ck_version_form"),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("document_id", "version", name="uq_version_name"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("version", schema=None) as batch_op:
        batch_op.create_index("ix_version_version", ["version"], unique=False)

    op.create_table(
        "capture_decision",
        sa.Column("id", Long(), nullable=False),
        sa.Column("capture_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint(
            "state IN ('accepted', 'held', 'rejected')", name="ck_capture_decision_state"
        ),
        sa.ForeignKeyConstraint(
            ["capture_id"],
            ["capture.capture_id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("capture_decision", schema=None) as batch_op:
        batch_op.create_index("ix_capture_decision_capture", ["capture_id", "id"], unique=False)

    op.create_table(
        "citation",
        sa.Column("id", Long(), nullable=False),
        sa.Column("citation_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version_row", Long(), nullable=False),
        sa.Column("segments", sa.Integer(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.CheckConstraint("segments >= 1", name="ck_citation_segments"),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_row"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("citation_id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("citation", schema=None) as batch_op:
        batch_op.create_index("ix_citation_document", ["document_id", "id"], unique=False)
        batch_op.create_index("ix_citation_version", ["version_row"], unique=False)

    op.create_table(
        "observation",
        sa.Column("id", Long(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("first", UTCDateTime(), nullable=False),
        sa.Column("last", UTCDateTime(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("longest_gap", Long(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("flags", sa.JSON(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("final_url", sa.String(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("etag", sa.String(), nullable=False),
        sa.Column("last_modified", sa.String(), nullable=False),
        sa.Column("capture_id", sa.String(), nullable=True),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("hint", sa.String(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.CheckConstraint("count >= 1 AND first <= last", name="ck_observation_run"),
        sa.ForeignKeyConstraint(
            ["capture_id"],
            ["capture.capture_id"],
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("observation", schema=None) as batch_op:
        batch_op.create_index("ix_observation_capture", ["capture_id"], unique=False)
        batch_op.create_index("ix_observation_document", ["document_id", "id"], unique=False)

    op.create_table(
        "reading",
        sa.Column("reading_id", sa.String(), nullable=False),
        sa.Column("capture_id", sa.String(), nullable=False),
        sa.Column("rendition_id", sa.String(), nullable=False),
        sa.Column("version_row", Long(), nullable=True),
        sa.Column("read_at", UTCDateTime(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("annotations", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["capture_id"],
            ["capture.capture_id"],
        ),
        sa.ForeignKeyConstraint(
            ["rendition_id"],
            ["rendition.rendition_id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_row"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("reading_id"),
        sa.UniqueConstraint("capture_id", "rendition_id", name="uq_reading_recipe"),
    )
    with op.batch_alter_table("reading", schema=None) as batch_op:
        batch_op.create_index("ix_reading_version", ["version_row"], unique=False)

    op.create_table(
        "stored_text",
        sa.Column("id", Long(), nullable=False),
        sa.Column("version_row", Long(), nullable=False),
        sa.Column("stored_at", UTCDateTime(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_row"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("version_row"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "tombstone",
        sa.Column("id", Long(), nullable=False),
        sa.Column("text_row", Long(), nullable=False),
        sa.Column("version_row", Long(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("forced", sa.String(), nullable=False),
        sa.CheckConstraint("rule <> '' AND actor <> ''", name="ck_tombstone_who"),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_row"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("text_row"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("tombstone", schema=None) as batch_op:
        batch_op.create_index("ix_tombstone_version", ["version_row"], unique=False)

    op.create_table(
        "became_current",
        sa.Column("id", Long(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("reading_id", sa.String(), nullable=False),
        sa.Column("version_row", Long(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["reading_id"],
            ["reading.reading_id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_row"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("became_current", schema=None) as batch_op:
        batch_op.create_index("ix_became_current_document", ["document_id", "id"], unique=False)
        batch_op.create_index("ix_became_current_version", ["version_row"], unique=False)

    op.create_table(
        "change",
        sa.Column("id", Long(), nullable=False),
        sa.Column("change_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("from_reading", sa.String(), nullable=False),
        sa.Column("to_reading", sa.String(), nullable=False),
        sa.Column("from_version", Long(), nullable=False),
        sa.Column("to_version", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.CheckConstraint("cause IN ('publisher', 'rendition')", name="ck_change_cause"),
        sa.CheckConstraint("kind IN ('text', 'annotation')", name="ck_change_kind"),
        sa.CheckConstraint("state IN ('stored', 'classified', 'anchored')", name="ck_change_state"),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["from_reading"],
            ["reading.reading_id"],
        ),
        sa.ForeignKeyConstraint(
            ["from_version"],
            ["version.id"],
        ),
        sa.ForeignKeyConstraint(
            ["to_reading"],
            ["reading.reading_id"],
        ),
        sa.ForeignKeyConstraint(
            ["to_version"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("change_id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("change", schema=None) as batch_op:
        batch_op.create_index("ix_change_document", ["document_id", "id"], unique=False)
        batch_op.create_index(
            "ix_change_pending",
            ["id"],
            unique=False,
            sqlite_where=sa.text("state <> 'anchored'"),
            postgresql_where=sa.text("state <> 'anchored'"),
        )

    op.create_table(
        "chunk",
        sa.Column("text_row", Long(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("xxh3", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint('0 <= start AND start < "end"', name="ck_chunk_range"),
        sa.CheckConstraint("length(xxh3) = 16 AND length(sha256) = 32", name="ck_chunk_hashes"),
        sa.ForeignKeyConstraint(
            ["text_row"],
            ["stored_text.id"],
        ),
        sa.PrimaryKeyConstraint("text_row", "ordinal"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "citation_segment",
        sa.Column("citation_row", Long(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.CheckConstraint('0 <= start AND start < "end"', name="ck_citation_segment_range"),
        sa.CheckConstraint("length(sha256) = 64", name="ck_citation_segment_hash"),
        sa.ForeignKeyConstraint(
            ["citation_row"],
            ["citation.id"],
        ),
        sa.PrimaryKeyConstraint("citation_row", "ordinal"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "emission",
        sa.Column("id", Long(), nullable=False),
        sa.Column("citation_row", Long(), nullable=False),
        sa.Column("caller", sa.String(), nullable=False),
        sa.Column("answer_id", sa.String(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("emitted_at", UTCDateTime(), nullable=False),
        sa.Column("expires_at", UTCDateTime(), nullable=False),
        sa.Column("answer_sha256", sa.String(), nullable=False),
        sa.Column("application", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["citation_row"],
            ["citation.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("caller", "answer_id", "ordinal", name="uq_emission_key"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("emission", schema=None) as batch_op:
        batch_op.create_index("ix_emission_citation", ["citation_row", "expires_at"], unique=False)

    op.create_table(
        "hold",
        sa.Column("id", Long(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version_row", Long(), nullable=True),
        sa.Column("citation_row", Long(), nullable=True),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint("kind IN ('pin', 'hold')", name="ck_hold_kind"),
        sa.CheckConstraint("citation_row IS NULL OR version_row IS NULL", name="ck_hold_scope"),
        sa.ForeignKeyConstraint(
            ["citation_row"],
            ["citation.id"],
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_row"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("hold", schema=None) as batch_op:
        batch_op.create_index("ix_hold_citation", ["citation_row"], unique=False)
        batch_op.create_index("ix_hold_document", ["document_id"], unique=False)

    op.create_table(
        "page",
        sa.Column("text_row", Long(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.CheckConstraint('0 <= start AND start <= "end"', name="ck_page_range"),
        sa.ForeignKeyConstraint(
            ["text_row"],
            ["stored_text.id"],
        ),
        sa.PrimaryKeyConstraint("text_row", "page"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reading_detail",
        sa.Column("reading_id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("charset", sa.String(), nullable=False),
        sa.Column("page_labels", sa.JSON(), nullable=False),
        sa.Column("headings", sa.JSON(), nullable=False),
        sa.Column("links", sa.JSON(), nullable=False),
        sa.Column("struck", sa.JSON(), nullable=False),
        sa.Column("images", sa.JSON(), nullable=False),
        sa.Column("landmarks", sa.JSON(), nullable=False),
        sa.Column("hidden_characters", sa.Integer(), nullable=False),
        sa.Column("agreement", sa.Float(), nullable=True),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["reading_id"],
            ["reading.reading_id"],
        ),
        sa.PrimaryKeyConstraint("reading_id"),
    )
    op.create_table(
        "statement",
        sa.Column("citation_row", Long(), nullable=False),
        sa.Column("version_row", Long(), nullable=False),
        sa.Column("algorithm", sa.String(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("how", sa.String(), nullable=False),
        sa.Column("material", sa.Boolean(), nullable=True),
        sa.Column("context_changed", sa.Boolean(), nullable=False),
        sa.Column("absent_between", sa.Boolean(), nullable=False),
        sa.Column("carries", sa.Boolean(), nullable=False),
        sa.Column("similarity", sa.Float(), nullable=False),
        sa.Column("coverage", sa.Float(), nullable=False),
        sa.Column("margin", sa.Float(), nullable=False),
        sa.Column("method", sa.String(), nullable=False),
        sa.Column("ranges", sa.LargeBinary(), nullable=False),
        sa.Column("candidates", sa.LargeBinary(), nullable=False),
        sa.Column("runner_up", sa.LargeBinary(), nullable=False),
        sa.Column("edits", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["citation_row"],
            ["citation.id"],
        ),
        sa.ForeignKeyConstraint(
            ["version_row"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("citation_row", "version_row", "algorithm"),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("statement", schema=None) as batch_op:
        batch_op.create_index("ix_statement_version", ["version_row", "citation_row"], unique=False)

    op.create_table(
        "classification",
        sa.Column("change_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("change_class", sa.String(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("components", sa.JSON(), nullable=False),
        sa.Column("facets", sa.JSON(), nullable=False),
        sa.Column("pack", sa.String(), nullable=False),
        sa.Column("hunks", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["change_row"],
            ["change.id"],
        ),
        sa.PrimaryKeyConstraint("change_row"),
    )
    op.create_table(
        "emission_withdrawal",
        sa.Column("emission_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["emission_row"],
            ["emission.id"],
        ),
        sa.PrimaryKeyConstraint("emission_row"),
    )
    op.create_table(
        "hold_release",
        sa.Column("hold_row", Long(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["hold_row"],
            ["hold.id"],
        ),
        sa.PrimaryKeyConstraint("hold_row"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", Long(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("change_row", Long(), nullable=True),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("unconfirmed", sa.Boolean(), nullable=False),
        sa.Column("reverted", sa.Boolean(), nullable=False),
        sa.Column("claimed", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", UTCDateTime(), nullable=False),
        sa.Column("due_at", UTCDateTime(), nullable=False),
        sa.Column("last_error", sa.String(), nullable=False),
        sa.Column("finished_at", UTCDateTime(), nullable=True),
        sa.Column("receipt", sa.String(), nullable=False),
        sa.Column("acked_at", UTCDateTime(), nullable=True),
        sa.Column("acked_by", sa.String(), nullable=False),
        sa.CheckConstraint(
            "state IN ('held', 'pending', 'delivered', 'dead', 'cancelled', 'digest')",
            name="ck_outbox_state",
        ),
        sa.ForeignKeyConstraint(
            ["change_row"],
            ["change.id"],
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.document_id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("event_id", "channel", name="uq_outbox_key"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index("ix_outbox_document", ["document_id", "id"], unique=False)
        batch_op.create_index(
            "ix_outbox_open",
            ["not_before"],
            unique=False,
            sqlite_where=sa.text("state IN ('held', 'pending')"),
            postgresql_where=sa.text("state IN ('held', 'pending')"),
        )

    op.create_table(
        "text_map",
        sa.Column("change_row", Long(), nullable=False),
        sa.Column("algorithm", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["change_row"],
            ["change.id"],
        ),
        sa.PrimaryKeyConstraint("change_row"),
    )
    op.create_table(
        "hunk",
        sa.Column("change_row", Long(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("old_start", sa.Integer(), nullable=False),
        sa.Column("old_end", sa.Integer(), nullable=False),
        sa.Column("new_start", sa.Integer(), nullable=False),
        sa.Column("new_end", sa.Integer(), nullable=False),
        sa.Column("change_class", sa.String(), nullable=False),
        sa.Column("atoms", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["change_row"],
            ["classification.change_row"],
        ),
        sa.PrimaryKeyConstraint("change_row", "ordinal"),
        sqlite_with_rowid=False,
    )
