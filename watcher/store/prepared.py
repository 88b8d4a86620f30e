"""What is resolved a thousand times a second: one prepared statement for each question.

Written out, and run on the driver's own connection: the way through the engine
costs more than the answer. They answer the plain case; where a row is missing,
`Citations` finds out why and says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter

from watcher.domain.anchors import Citation, Segment
from watcher.store.database import Database
from watcher.store.rows import Standing

Proven = tuple[Citation, Standing, datetime]
"""A citation, how its version stands, and since when."""

_ONE = """
SELECT c.document_id, v.version,
  (SELECT at FROM became_current WHERE document_id = c.document_id AND id > (
     SELECT max(id) FROM became_current
     WHERE document_id = c.document_id AND version_row = v.id) ORDER BY id LIMIT 1),
  (SELECT at FROM became_current WHERE document_id = c.document_id AND id > coalesce((
     SELECT max(id) FROM became_current
     WHERE document_id = c.document_id AND version_row <> v.id), 0) ORDER BY id LIMIT 1),
  s.page, s.start, s."end", s.sha256
FROM citation c
JOIN version v ON v.id = c.version_row
JOIN document d ON d.document_id = c.document_id AND d.state <> 'retired'
JOIN stored_text t ON t.version_row = v.id
JOIN citation_segment s ON s.citation_row = c.id
WHERE c.citation_id = ?
  AND EXISTS (SELECT 1 FROM became_current
              WHERE document_id = c.document_id AND version_row = v.id)
ORDER BY s.ordinal
"""
_MANY = """
SELECT c.citation_id, c.document_id, v.version, s.page, s.start, s."end", s.sha256
FROM citation c
JOIN version v ON v.id = c.version_row
JOIN citation_segment s ON s.citation_row = c.id
WHERE c.citation_id IN (SELECT value FROM json_each(?))
ORDER BY c.id, s.ordinal
"""


def find_one(database: Database, citation_id: str) -> Proven | None:
    """Return a citation whose text is held and was current once, of a document not retired."""
    rows = database.rows(_ONE, (citation_id,))
    if not rows:
        return None
    document_id, version, successor, since = rows[0][:4]
    citation = Citation(document_id, version, tuple(Segment(*row[4:]) for row in rows))
    if successor is not None:
        return citation, Standing.SUPERSEDED, _moment(successor)
    return citation, Standing.CURRENT, _moment(since)


def find_many(database: Database, citation_ids: Iterable[str]) -> dict[str, Citation]:
    """Return each citation that there is, by its id."""
    rows = database.rows(_MANY, (json.dumps(list(citation_ids)),))
    found = {}
    for name, group in groupby(rows, itemgetter(0)):
        parts = tuple(group)
        segments = tuple(Segment(*part[3:]) for part in parts)
        found[name] = Citation(parts[0][1], parts[0][2], segments)
    return found


def _moment(stored: str) -> datetime:
    return datetime.fromisoformat(stored).replace(tzinfo=UTC)
