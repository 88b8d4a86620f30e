"""The HTTP API, below `/api/v1`."""

from __future__ import annotations

from fastapi import APIRouter

from watcher.web.api import (
    captures,
    changes,
    citations,
    documents,
    events,
    places,
    versions,
    webhooks,
)

router = APIRouter()
for part in (documents, captures, versions, citations, places, changes, webhooks, events):
    router.include_router(part.router)
