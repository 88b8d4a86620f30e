"""The viewer: pages for people, rendered here and readable without JavaScript.

A handler returns `pages.render(...)`; an error of ours that it raises becomes a
page that says so (`pages.PageRoute`). Text of documents is hostile: templates
escape everything, and what is exact text goes through `texts.exact`.
"""

from __future__ import annotations

from fastapi import APIRouter

from watcher.web.views import assets, changes, citations, documents, signing, versions

router = APIRouter(include_in_schema=False)
for part in (assets, signing, documents, versions, citations, changes):
    router.include_router(part.router)
