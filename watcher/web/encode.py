"""The JSON of resolutions, written by hand: they are many, and pydantic costs more than the proof.

`watcher.web.api.citations` describes the same shape for the OpenAPI; a test
holds the two together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from starlette.responses import Response

from watcher.domain.anchors import ANCHOR_SCHEMA, Citation
from watcher.domain.text import CanonicalText, Unit
from watcher.store import Resolution

_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def json_response(row: Mapping[str, object], status: int = 200) -> Response:
    """Return `row` as an answer."""
    return Response(_dumps(row).encode(), status, media_type="application/json")


def moment(at: datetime) -> str:
    """Return an RFC 3339 time in UTC, as pydantic writes it."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def anchors_of(citation: Citation, text: CanonicalText | None, unit: Unit) -> list[object]:
    """Return the anchors of a citation in `unit`; bytes need no text."""
    name, rows = citation.citation_id, []
    for part in citation.segments:
        start, end = part.start, part.end
        if text is not None:
            start, end = text.from_bytes(start, unit), text.from_bytes(end, unit)
        rows.append(
            {
                "schema": ANCHOR_SCHEMA,
                "document_id": citation.document_id,
                "version": citation.version,
                "page": part.page,
                "start": start,
                "end": end,
                "unit": unit.value,
                "sha256": part.sha256,
                "citation_id": name,
            }
        )
    return list(rows)


def resolution_row(
    found: Resolution, text: CanonicalText | None = None, unit: Unit = Unit.UTF8
) -> dict[str, object]:
    """Return what is answered of a citation that resolves."""
    citation = found.citation
    return {
        "citation_id": citation.citation_id,
        "document_id": citation.document_id,
        "version": citation.version,
        "standing": found.standing.value,
        "since": moment(found.since),
        "passages": [passage.decode() for passage in found.passages],
        "anchors": anchors_of(citation, text, unit),
    }
