"""The JSON of resolutions, written by hand: they are many, and pydantic costs more than the proof.

`watcher.web.api.citations` describes the same shape for the OpenAPI; a test
holds the two together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from json.encoder import encode_basestring

from starlette.responses import Response

from watcher.domain.anchors import ANCHOR_SCHEMA
from watcher.domain.text import CanonicalText, Unit
from watcher.store import Resolution

dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def json_response(row: Mapping[str, object], status: int = 200) -> Response:
    """Return `row` as an answer."""
    return text_response(dumps(row), status)


def text_response(body: str, status: int = 200) -> Response:
    """Return JSON that is written already as an answer."""
    return Response(body.encode(), status, media_type="application/json")


def moment(at: datetime) -> str:
    """Return an RFC 3339 time in UTC, as pydantic writes it."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def resolution_json(
    name: str, found: Resolution, text: CanonicalText | None = None, unit: Unit = Unit.UTF8
) -> str:
    """Return what is answered of a citation that resolves, whose id is `name`.

    Ids, versions and hashes are of closed forms that need no escaping.
    """
    citation = found.citation
    document, version = citation.document_id, citation.version
    anchors = []
    for part in citation.segments:
        start, end = part.start, part.end
        if text is not None:
            start, end = text.from_bytes(start, unit), text.from_bytes(end, unit)
        anchors.append(
            f'{{"schema":"{ANCHOR_SCHEMA}","document_id":"{document}","version":"{version}",'
            f'"page":{part.page},"start":{start},"end":{end},"unit":"{unit.value}",'
            f'"sha256":"{part.sha256}","citation_id":"{name}"}}'
        )
    passages = ",".join([encode_basestring(passage.decode()) for passage in found.passages])
    return (
        f'{{"citation_id":"{name}","document_id":"{document}","version":"{version}",'
        f'"standing":"{found.standing.value}","since":"{moment(found.since)}",'
        f'"passages":[{passages}],"anchors":[{",".join(anchors)}]}}'
    )
