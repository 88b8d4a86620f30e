"""The HTTP API, below `/api/v1`."""

from __future__ import annotations

from fastapi import APIRouter

from watcher.web.api import captures, changes, citations, documents, events, places, versions

router = APIRouter()
for part in (documents, captures, versions, citations, places, changes, events):
    router.include_router(part.router)
