"""What a handler asks for in its arguments."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Path, Request
from starlette.concurrency import run_in_threadpool

from watcher.domain.ids import DocumentId
from watcher.pipeline.services import Services
from watcher.web.access import Caller
from watcher.web.principals import Scope
from watcher.web.state import WebState

SESSION_COOKIE = "watcher_session"


def state_of(request: Request) -> WebState:
    """Return what the application keeps for its handlers."""
    return cast("WebState", request.app.state.web)


async def services(request: Request) -> Services:
    """Return the services of now: a reload replaces them."""
    return state_of(request).services()


async def caller(request: Request) -> Caller:
    """Return who asks, known and within their limits, with the scope `read`.

    Raises:
        ApiError: `unauthenticated`, `scope_missing` or `rate_limited`.
    """
    return await run_in_threadpool(caller_of, request)


def caller_of(request: Request) -> Caller:
    """Return who asks, as `caller` does; may block.

    Raises:
        ApiError: `unauthenticated`, `scope_missing` or `rate_limited`.
    """
    access = state_of(request).access
    address = request.client.host if request.client else ""
    found = Caller(access.authenticate(_bearer(request), address), access)
    found.require(Scope.READ)
    return found


def _bearer(request: Request) -> str | None:
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    return request.cookies.get(SESSION_COOKIE)


async def citing_caller(found: Annotated[Caller, Depends(caller)]) -> Caller:
    """Return a caller who may emit and withdraw citations."""
    found.require(Scope.CITE)
    return found


async def reviewing_caller(found: Annotated[Caller, Depends(caller)]) -> Caller:
    """Return a caller who may acknowledge, judge and triage."""
    found.require(Scope.REVIEW)
    return found


CallerDep = Annotated[Caller, Depends(caller)]
CitingDep = Annotated[Caller, Depends(citing_caller)]
ReviewingDep = Annotated[Caller, Depends(reviewing_caller)]
ServicesDep = Annotated[Services, Depends(services)]


async def readable_document(
    document_id: Annotated[str, Path(description="The document's id.")],
    found: CallerDep,
) -> DocumentId:
    """Return the document of the path, if the caller may see it: asked before all else."""
    return await run_in_threadpool(found.check, document_id)


DocumentDep = Annotated[DocumentId, Depends(readable_document)]
