"""The HTTP API, below `/api/v1`."""

from __future__ import annotations

from fastapi import APIRouter

from watcher.web.api import documents

router = APIRouter()
router.include_router(documents.router)
