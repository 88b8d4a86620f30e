"""The viewer: pages for people, rendered here and readable without JavaScript."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(include_in_schema=False)
