"""What may ever change in which table: the facts that the triggers are made of.

Conditions are SQL over the NEW and the OLD row, and true where a statement is
to be refused.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """When a statement on `table` is refused, and what it is told."""

    table: str
    name: str
    message: str
    refused: str


WRITE_ONCE = (
    "capture",
    "capture_decision",
    "rendition",
    "reading",
    "became_current",
    "version",
    "tombstone",
    "citation",
    "citation_segment",
    "emission",
    "emission_withdrawal",
    "hold",
    "hold_release",
    "statement",
    "classification",
    "hunk",
    "text_map",
    "operator_act",
    "rule_set",
    "review_sample",
    "review",
    "date_scan",
    "effective_date",
    "date_decision",
    "silenced",
    "backup",
    "api_token",
    "api_token_revocation",
    "document_access",
    "triage",
    "anchored",
)
"""Tables whose rows neither change nor go."""

PURGEABLE = {
    "stored_text": "SELECT 1 FROM tombstone t WHERE t.text_row = OLD.id",
    "page": "SELECT 1 FROM tombstone t WHERE t.text_row = OLD.text_row",
    "chunk": "SELECT 1 FROM tombstone t WHERE t.text_row = OLD.text_row",
    "reading_detail": """SELECT 1 FROM reading r
        JOIN tombstone t ON t.version_row = r.version_row
        WHERE r.reading_id = OLD.reading_id AND NOT EXISTS
        (SELECT 1 FROM stored_text s WHERE s.version_row = r.version_row)""",
}
"""Tables whose rows do not change, and the tombstone with which they go."""

MUTABLE = {
    "document": {
        "state", "title", "urls", "config_digest", "retired_at", "next_check", "fails",
        "last_success", "lease_owner", "lease_until", "lease_token",
        "validator_url", "validator_etag", "validator_last_modified", "validator_capture",
    },
    "observation": {"last", "count", "longest_gap"},
    "change": {"state"},
    "outbox": {
        "state", "unconfirmed", "reverted", "claimed", "attempts", "not_before", "due_at",
        "last_error", "finished_at", "receipt", "acked_at", "acked_by",
        "resolved_at", "resolved_by",
    },
    "silence": {"ended_at", "ended_by", "remote"},
    "incident": {"last_at", "count", "told_at", "closed_at"},
}  # fmt: skip
"""Tables that record work: the only columns that change. Rows never go."""

FORWARD = (
    Rule(
        "document",
        "forward",
        "a lease token only grows",
        "NEW.lease_token < OLD.lease_token",
    ),
    Rule(
        "observation",
        "forward",
        "only the newest run of a document grows, by one observation at a time",
        """NEW.last <= OLD.last OR NEW.count <> OLD.count + 1
        OR NEW.longest_gap < OLD.longest_gap OR EXISTS (SELECT 1 FROM observation o
            WHERE o.document_id = OLD.document_id AND o.id > OLD.id)""",
    ),
    Rule(
        "change",
        "forward",
        "the work on a change only goes forward",
        """instr('stored classified anchored', NEW.state)
        < instr('stored classified anchored', OLD.state)""",
    ),
    Rule(
        "outbox",
        "forward",
        "an alert that was delivered or cancelled is done, acknowledged once, resolved once",
        """(OLD.state IN ('delivered', 'cancelled') AND NEW.state <> OLD.state)
        OR (OLD.acked_at IS NOT NULL
            AND (NEW.acked_at IS NOT OLD.acked_at OR NEW.acked_by <> OLD.acked_by))
        OR (OLD.resolved_at IS NOT NULL
            AND (NEW.resolved_at IS NOT OLD.resolved_at OR NEW.resolved_by <> OLD.resolved_by))
        OR NEW.attempts < OLD.attempts""",
    ),
    Rule(
        "silence",
        "forward",
        "a silence ends once",
        """OLD.ended_at IS NOT NULL
        AND (NEW.ended_at IS NOT OLD.ended_at OR NEW.ended_by <> OLD.ended_by)""",
    ),
    Rule(
        "incident",
        "forward",
        "a closed incident is done, and an incident is told once",
        """OLD.closed_at IS NOT NULL
        OR (OLD.told_at IS NOT NULL AND NEW.told_at IS NOT OLD.told_at)
        OR NEW.count < OLD.count OR NEW.last_at < OLD.last_at""",
    ),
)
"""How the columns that change may change."""

_CURRENT = """(SELECT b.version_row FROM became_current b
    WHERE b.document_id = NEW.document_id ORDER BY b.id DESC LIMIT 1)"""
_LIVE = """(SELECT 1 FROM emission e JOIN citation c ON c.id = e.citation_row
    WHERE c.version_row = NEW.version_row AND e.expires_at > NEW.at
    AND NOT EXISTS (SELECT 1 FROM emission_withdrawal w WHERE w.emission_row = e.id))"""
_HELD = """(SELECT 1 FROM hold h LEFT JOIN citation c ON c.id = h.citation_row
    WHERE h.document_id = NEW.document_id
    AND (h.version_row = NEW.version_row OR c.version_row = NEW.version_row
        OR (h.version_row IS NULL AND h.citation_row IS NULL))
    AND NOT EXISTS (SELECT 1 FROM hold_release r WHERE r.hold_row = h.id))"""

INSERTED = (
    Rule(
        "capture_decision",
        "decided",
        "a decision about a capture is final unless it was to hold it",
        """EXISTS (SELECT 1 FROM capture_decision d WHERE d.capture_id = NEW.capture_id)
        AND (NEW.state = 'held' OR EXISTS (SELECT 1 FROM capture_decision d
            WHERE d.capture_id = NEW.capture_id AND d.state <> 'held'))""",
    ),
    Rule(
        "became_current",
        "accepted",
        "only a reading of an accepted capture becomes current",
        """NOT EXISTS (SELECT 1 FROM reading r
        JOIN capture c ON c.capture_id = r.capture_id
        JOIN capture_decision d ON d.capture_id = c.capture_id AND d.state = 'accepted'
        WHERE r.reading_id = NEW.reading_id AND r.version_row = NEW.version_row
        AND c.document_id = NEW.document_id)""",
    ),
    Rule(
        "stored_text",
        "reused",
        "a row number that a tombstone names is not used again",
        "EXISTS (SELECT 1 FROM tombstone t WHERE t.text_row = NEW.id)",
    ),
    Rule(
        "page",
        "complete",
        "a stored text has as many pages as it says",
        """NOT EXISTS (SELECT 1 FROM stored_text s WHERE s.id = NEW.text_row
        AND NEW.page BETWEEN 1 AND s.pages AND NEW."end" <= s.size)""",
    ),
    Rule(
        "chunk",
        "complete",
        "a stored text has as many chunks as it says, each inside its page",
        """NOT EXISTS (SELECT 1 FROM stored_text s JOIN page p ON p.text_row = s.id
        WHERE s.id = NEW.text_row AND NEW.ordinal BETWEEN 0 AND s.chunks - 1
        AND p.page = NEW.page AND p.start <= NEW.start AND NEW."end" <= p."end")""",
    ),
    Rule(
        "citation",
        "stored",
        "a citation names a stored version of its document",
        """NOT EXISTS (SELECT 1 FROM version v JOIN stored_text s ON s.version_row = v.id
        WHERE v.id = NEW.version_row AND v.document_id = NEW.document_id)""",
    ),
    Rule(
        "citation_segment",
        "inside",
        "a segment is one of those that its citation counts, inside its page",
        """NOT EXISTS (SELECT 1 FROM citation c
        JOIN stored_text s ON s.version_row = c.version_row
        JOIN page p ON p.text_row = s.id
        WHERE c.id = NEW.citation_row AND NEW.ordinal BETWEEN 0 AND c.segments - 1
        AND p.page = NEW.page AND p.start <= NEW.start AND NEW."end" <= p."end")""",
    ),
    Rule(
        "classification",
        "ruled",
        "a classification names the rules under which it was made",
        """NEW.rules <> '' AND NOT EXISTS
        (SELECT 1 FROM rule_set r WHERE r.digest = NEW.rules)""",
    ),
    Rule(
        "hunk",
        "complete",
        "a classification has as many hunks as it says",
        """NOT EXISTS (SELECT 1 FROM classification c WHERE c.change_row = NEW.change_row
        AND NEW.ordinal BETWEEN 0 AND c.hunks - 1)""",
    ),
    Rule(
        "tombstone",
        "describes",
        "a tombstone describes a text that is stored",
        """NOT EXISTS (SELECT 1 FROM stored_text s JOIN version v ON v.id = s.version_row
        WHERE s.id = NEW.text_row AND v.id = NEW.version_row
        AND v.document_id = NEW.document_id AND v.version = NEW.version)""",
    ),
    Rule(
        "tombstone",
        "current",
        "the current version is purged only when forced with a reason",
        f"trim(NEW.forced) = '' AND NEW.version_row = {_CURRENT}",
    ),
    Rule(
        "tombstone",
        "cited",
        "a live citation needs this version: it is purged only when forced with a reason",
        f"trim(NEW.forced) = '' AND EXISTS {_LIVE}",
    ),
    Rule(
        "tombstone",
        "held",
        "a pin or a hold keeps this version: it is purged only when forced with a reason",
        f"trim(NEW.forced) = '' AND EXISTS {_HELD}",
    ),
)
"""What a new row must satisfy."""

PURGE = """\
CREATE TRIGGER wo_tombstone_purge AFTER INSERT ON tombstone BEGIN
  INSERT INTO blob_removal (sha256) SELECT substr(NEW.version, 8)
    WHERE NOT EXISTS (SELECT 1 FROM blob_removal b WHERE b.sha256 = substr(NEW.version, 8));
  INSERT INTO blob_removal (sha256) SELECT DISTINCT c.body_sha256
    FROM reading r JOIN capture c ON c.capture_id = r.capture_id
    WHERE r.version_row = NEW.version_row
    AND NOT EXISTS (SELECT 1 FROM blob_removal b WHERE b.sha256 = c.body_sha256);
  DELETE FROM chunk WHERE text_row = NEW.text_row;
  DELETE FROM page WHERE text_row = NEW.text_row;
  DELETE FROM stored_text WHERE id = NEW.text_row;
  DELETE FROM reading_detail WHERE reading_id IN
    (SELECT r.reading_id FROM reading r WHERE r.version_row = NEW.version_row);
END"""
"""A tombstone deletes what it describes: a text, its pages and chunks, what its readings hold."""
