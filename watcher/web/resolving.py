"""Resolving for callers: permission first, then the proof, then the count."""

from __future__ import annotations

import json
from collections.abc import Sequence

from starlette.requests import Request

from watcher.domain.ids import DocumentId, is_citation_id
from watcher.domain.resolution import ForbiddenError, Reason, ResolutionError
from watcher.errors import WatcherError
from watcher.metrics import ResolveSource
from watcher.pipeline.citing import resolve as resolve_what
from watcher.pipeline.services import Services
from watcher.store import Resolution, UnknownCitationError
from watcher.web.access import Caller
from watcher.web.deps import state_of


def check_citation(
    request: Request, services: Services, caller: Caller, citation_id: str
) -> DocumentId:
    """Return the document of a citation that the caller may see.

    Raises:
        ForbiddenError: they may not, be there such a citation or not.
        UnknownCitationError: there is none, told to who may see everything.
    """
    found = state_of(request).citations.of(services, [citation_id]).get(citation_id)
    if found is None:
        raise caller.unseen(
            UnknownCitationError(
                f"there is no citation {citation_id[:80]}", hint="give c1… as it was emitted"
            )
        )
    return caller.check(found)


def check_resolvable(
    request: Request, services: Services, caller: Caller, citation_id: str
) -> None:
    """Do what `check_citation` does, for a resolution: a refusal is counted as one.

    Raises:
        ForbiddenError, UnknownCitationError: as `check_citation`.
    """
    try:
        check_citation(request, services, caller, citation_id)
    except ForbiddenError as error:
        services.metrics.citation_resolved(ResolveSource.CALLER, error.reason)
        raise


def resolve_one(services: Services, citation_id: str) -> Resolution:
    """Return the exact passages of a citation that may be seen, and count the outcome.

    Raises:
        ResolutionError: one of the contract's list.
    """
    return resolve_what(services, citation_id)


def resolve_warm(services: Services, citation_id: str) -> Resolution | None:
    """Return what `resolve_one` does where that takes one read of the store; else None.

    Raises:
        ResolutionError: one of the contract's list.
    """
    try:
        found = services.store.citations.resolve_warm(citation_id)
    except ResolutionError as error:
        services.metrics.citation_resolved(ResolveSource.CALLER, error.reason)
        raise
    if found is not None:
        services.metrics.citation_resolved(ResolveSource.CALLER, None)
    return found


def resolve_many(
    request: Request, services: Services, caller: Caller, what: Sequence[str]
) -> list[Resolution | WatcherError]:
    """Return what each citation id or anchor (JSON) resolves to, or why not, in order."""
    ids = [one for one in what if is_citation_id(one)]
    documents = state_of(request).citations.of(services, ids)
    anchors = {one: _document_of(one) for one in what if one.startswith("{")}
    allowed = caller.readable({*documents.values(), *filter(None, anchors.values())})
    seen = [name for name in ids if documents.get(name) in allowed]
    by_id = dict(zip(seen, services.store.bulk.resolve(seen), strict=True))
    for found in by_id.values():
        reason = found.reason if isinstance(found, ResolutionError) else None
        if not isinstance(found, WatcherError) or reason is not None:
            services.metrics.citation_resolved(ResolveSource.CALLER, reason)
    answers: list[Resolution | WatcherError] = []
    for one in what:
        if one in by_id:
            answers.append(by_id[one])
        elif one in anchors:
            answers.append(_by_anchor(services, one, anchors[one], allowed))
        else:
            answers.append(_unseen(services, caller, one, documents))
    return answers


def _by_anchor(
    services: Services,
    anchor: str,
    document: DocumentId | None,
    allowed: frozenset[DocumentId],
) -> Resolution | WatcherError:
    if document is None or document not in allowed:
        services.metrics.citation_resolved(ResolveSource.CALLER, Reason.FORBIDDEN)
        return ForbiddenError("")
    try:
        return resolve_what(services, anchor)
    except WatcherError as error:
        return error


def _unseen(
    services: Services, caller: Caller, what: str, documents: dict[str, DocumentId]
) -> WatcherError:
    error: WatcherError = ForbiddenError("")
    if what not in documents:
        error = caller.unseen(
            UnknownCitationError(
                f"there is no citation {what[:80]}", hint="give c1… or an anchor as it was emitted"
            )
        )
    if isinstance(error, ForbiddenError):
        services.metrics.citation_resolved(ResolveSource.CALLER, error.reason)
    return error


def _document_of(anchor: str) -> DocumentId | None:
    fields = json.loads(anchor)
    name = fields.get("document_id")
    return DocumentId(name) if isinstance(name, str) else None
