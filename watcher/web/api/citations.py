"""Citations: emitted, resolved, withdrawn, listed."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr
from starlette.concurrency import run_in_threadpool

from watcher.domain.anchors import ANCHOR_SCHEMA
from watcher.domain.ids import DocumentId, is_citation_id, version_id
from watcher.domain.text import Unit
from watcher.errors import WatcherError
from watcher.pipeline.citing import EmissionKey, Emitted
from watcher.pipeline.citing_many import Wanted, emit_many
from watcher.pipeline.services import Services
from watcher.store import Standing, UnknownCitationError
from watcher.web.access import Caller
from watcher.web.deps import CallerDep, CitingDep, ServicesDep, caller_of, state_of
from watcher.web.encode import dumps, json_response, moment, resolution_json, text_response
from watcher.web.paging import Cursor, Limit, decode_number, encode
from watcher.web.plain import plain_route
from watcher.web.principals import OPEN
from watcher.web.problems import ApiError, problem_of
from watcher.web.resolving import (
    check_citation,
    check_resolvable,
    resolve_many,
    resolve_one,
    resolve_warm,
)

router = APIRouter(tags=["citations"])

MOST = 1000
CitationName = Annotated[str, Path(description="`c1` and 32 characters.")]
UnitName = Annotated[Unit, Query(description="The unit of the anchors' offsets.")]
Word = Annotated[StrictStr, Field(max_length=1000)]


class AnchorOut(BaseModel):
    """A `watcher.anchor/1` object."""

    schema_: str = Field(ANCHOR_SCHEMA, alias="schema")
    document_id: str
    version: str
    page: int
    start: int
    end: int
    unit: Unit
    sha256: str
    citation_id: str


class ResolutionOut(BaseModel):
    """The exact passages of a citation, each proven by its hash, and how its version stands."""

    citation_id: str
    document_id: str
    version: str
    standing: Standing
    since: datetime
    passages: list[str]
    anchors: list[AnchorOut]


class ProblemOut(BaseModel):
    """A problem (RFC 9457); `code` is one of a closed list."""

    type: str
    title: str
    status: int
    code: str
    request_id: str
    detail: str = ""
    hint: str = ""
    document_id: str = ""


class ResolveItem(BaseModel):
    """One outcome: a resolution or a problem."""

    status: int
    resolution: ResolutionOut | None = None
    problem: ProblemOut | None = None


class ResolveAnswer(BaseModel):
    """Outcomes in the order asked."""

    items: list[ResolveItem]


class ResolveIn(BaseModel):
    """Citation ids, or anchors as they were emitted."""

    model_config = ConfigDict(extra="forbid")

    items: list[StrictStr | dict[str, Any]] = Field(max_length=MOST)
    unit: Unit = Unit.UTF8


class EmitIn(BaseModel):
    """That an answer cites a passage: ranges or a quote, of a version or the current one."""

    model_config = ConfigDict(extra="forbid")

    document_id: Annotated[StrictStr, Field(max_length=128)]
    answer_id: Word
    ordinal: Annotated[StrictInt, Field(ge=0, lt=2**31)] = 0
    caller: Word = ""
    """Empty: the caller's own name. Others' names only where everybody is open."""
    version: Annotated[StrictStr, Field(pattern=r"^(sha256:[0-9a-f]{64})?$")] = ""
    ranges: list[tuple[StrictInt, StrictInt]] = Field(default=[], max_length=100)
    unit: Unit = Unit.UTF8
    quote: Annotated[StrictStr, Field(max_length=1_000_000)] = ""
    answer_sha256: Annotated[StrictStr, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    application: Word = ""
    model: Word = ""
    labels: dict[Word, Word] = Field(default={}, max_length=50)


class EmittedOut(BaseModel):
    """A recorded use. `new`: false where the key had been used for the same before."""

    citation_id: str
    document_id: str
    version: str
    current: bool
    found_by: str
    new: bool
    expires_at: datetime
    anchors: list[AnchorOut]


class EmitBatchIn(BaseModel):
    """Up to 1,000 uses."""

    model_config = ConfigDict(extra="forbid")

    items: list[EmitIn] = Field(max_length=MOST)


class EmitItem(BaseModel):
    """One outcome: an emission or a problem."""

    status: int
    emission: EmittedOut | None = None
    problem: ProblemOut | None = None


class EmitAnswer(BaseModel):
    """Outcomes in the order asked."""

    items: list[EmitItem]


class WithdrawIn(BaseModel):
    """A use, by its key, that is to count no more."""

    model_config = ConfigDict(extra="forbid")

    answer_id: Word
    ordinal: Annotated[StrictInt, Field(ge=0, lt=2**31)] = 0
    caller: Word = ""
    reason: Word = ""


class EmissionOut(BaseModel):
    """A use of a citation by an answer."""

    citation_id: str
    caller: str
    answer_id: str
    ordinal: int
    at: datetime
    expires_at: datetime
    withdrawn_at: datetime | None
    application: str
    model: str


class CitationOut(BaseModel):
    """A citation with its anchors in UTF-8 bytes."""

    citation_id: str
    created_at: datetime
    anchors: list[AnchorOut]


class CitationPage(BaseModel):
    """Citations in the order in which they were emitted first."""

    items: list[CitationOut]
    next: str | None


def _described(model: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """Return the description of an answer that is encoded by hand."""
    return {200: {"model": model}}


async def resolve_now(request: Request) -> Response:
    """Answer `resolveCitation`: without a thread where one read of the store is all it takes.

    Raises:
        WatcherError: as it is to be told.
    """
    state = state_of(request)
    if state.access.asks_others or request.url.query:
        return await run_in_threadpool(_resolve, request)
    citation_id, services = request.path_params["citation_id"], state.services()
    check_resolvable(request, services, caller_of(request), citation_id)
    found = resolve_warm(services, citation_id)
    if found is None:
        found = await run_in_threadpool(resolve_one, services, citation_id)
    return text_response(resolution_json(citation_id, found))


def _resolve(request: Request) -> Response:
    caller, services = caller_of(request), state_of(request).services()
    citation_id = request.path_params["citation_id"]
    check_resolvable(request, services, caller, citation_id)
    unit = Unit.parse(request.query_params.get("unit", Unit.UTF8))
    found = resolve_one(services, citation_id)
    text = None
    if unit is not Unit.UTF8:
        text = services.store.versions.text(found.citation.document_id, found.citation.version)
    return text_response(resolution_json(citation_id, found, text, unit))


def describe_resolve(citation_id: CitationName, unit: UnitName = Unit.UTF8) -> None:
    """Resolve a citation: exactly what was cited, or an error by name."""


router.add_api_route(
    "/citations/{citation_id}",
    describe_resolve,
    operation_id="resolveCitation",
    response_class=Response,
    responses=_described(ResolutionOut),
    route_class_override=plain_route(resolve_now),
)


@router.post(
    "/citations/resolve",
    operation_id="resolveCitations",
    response_class=Response,
    responses=_described(ResolveAnswer),
)
def resolve_batch(
    request: Request, services: ServicesDep, caller: CallerDep, asked: ResolveIn
) -> Response:
    """Resolve up to 1,000 citation ids or anchors, with an outcome for each."""
    what = [one if isinstance(one, str) else json.dumps(one) for one in asked.items]
    found = resolve_many(request, services, caller, what)
    rows = []
    for name, one in zip(what, found, strict=True):
        if isinstance(one, WatcherError):
            rows.append(dumps(_problem(request, one)))
            continue
        text = None
        if asked.unit is not Unit.UTF8:
            text = services.store.versions.text(one.citation.document_id, one.citation.version)
        known = name if is_citation_id(name) else one.citation.citation_id
        rows.append(
            f'{{"status":200,"resolution":{resolution_json(known, one, text, asked.unit)}}}'
        )
    return text_response(f'{{"items":[{",".join(rows)}]}}')


@router.post(
    "/citations",
    operation_id="emitCitation",
    response_class=Response,
    responses={
        200: {"model": EmittedOut, "description": "The use was recorded before"},
        201: {"model": EmittedOut, "description": "The use is recorded"},
    },
)
def emit(services: ServicesDep, caller: CitingDep, asked: EmitIn) -> Response:
    """Record that an answer cites a passage; a retry with the same key changes nothing."""
    caller.check(asked.document_id)
    (found,) = emit_many(services, [_wanted(caller, asked)])
    if isinstance(found, WatcherError):
        raise found
    return json_response(_emitted(found), 201 if found.emission.new else 200)


@router.post(
    "/citations/batch",
    operation_id="emitCitations",
    response_class=Response,
    responses=_described(EmitAnswer),
)
def emit_batch(
    request: Request, services: ServicesDep, caller: CitingDep, asked: EmitBatchIn
) -> Response:
    """Record up to 1,000 uses in one transaction, with an outcome for each."""
    allowed = caller.readable({DocumentId(one.document_id) for one in asked.items})
    answers = _emit_allowed(services, caller, asked.items, allowed)
    rows = []
    for found in answers:
        if isinstance(found, WatcherError):
            rows.append(_problem(request, found))
        else:
            status = 201 if found.emission.new else 200
            rows.append({"status": status, "emission": _emitted(found)})
    return json_response({"items": rows})


@router.post("/emissions/withdraw", operation_id="withdrawEmission")
def withdraw(services: ServicesDep, caller: CitingDep, asked: WithdrawIn) -> EmissionOut:
    """Let a use of the caller's own count no more; again changes nothing."""
    name = _caller_name(caller, asked.caller)
    store = services.store.citations
    found = store.find_emission(name, asked.answer_id, asked.ordinal)
    if found is None:
        raise caller.unseen(UnknownCitationError("there is no such use", hint="check its key"))
    caller.check(store.get(found.citation_id).citation.document_id)
    now = services.clock.now()
    store.withdraw(found.number, at=now, actor=caller.name, reason=asked.reason)
    return emission_out(services, found.citation_id, found.number)


@router.get("/citations/{citation_id}/emissions", operation_id="listEmissions")
def list_emissions(
    request: Request, services: ServicesDep, caller: CallerDep, citation_id: CitationName
) -> list[EmissionOut]:
    """List the uses of a citation, oldest first."""
    check_citation(request, services, caller, citation_id)
    found = services.store.citations.emissions(citation_id)
    return [emission_out(services, citation_id, use.number) for use in found]


@router.get("/documents/{document_id}/citations", operation_id="listCitations")
def list_citations(
    services: ServicesDep,
    caller: CallerDep,
    document_id: str,
    after: Cursor = "",
    limit: Limit = 100,
) -> CitationPage:
    """List the citations of a document; their texts are not read."""
    name = caller.check(document_id)
    services.store.documents.get(name)
    last = decode_number(after)
    found = services.store.citations.list(name, after=last, limit=limit + 1)
    items = [
        CitationOut.model_validate(
            {
                "citation_id": one.citation.citation_id,
                "created_at": one.created_at,
                "anchors": one.citation.anchors(),
            }
        )
        for one in found[:limit]
    ]
    more = encode(str(found[limit - 1].number)) if len(found) > limit else None
    return CitationPage(items=items, next=more)


def emission_out(services: Services, citation_id: str, number: int) -> EmissionOut:
    """Return a use as the API shows it."""
    uses = services.store.citations.emissions(citation_id)
    use = next(found for found in uses if found.number == number)
    return EmissionOut(
        citation_id=use.citation_id,
        caller=use.caller,
        answer_id=use.answer_id,
        ordinal=use.ordinal,
        at=use.at,
        expires_at=use.expires_at,
        withdrawn_at=use.withdrawn_at,
        application=use.application,
        model=use.model,
    )


def _caller_name(caller: Caller, given: str) -> str:
    """Return in whose name a use is recorded: nobody speaks for another."""
    if not given or given == caller.name:
        return caller.name
    if caller.principal == OPEN or given.startswith(f"{caller.name}/"):
        return given
    raise ApiError(
        "usage",
        "a use is recorded in the caller's own name",
        hint="leave `caller` out, or begin it with your own name and a slash",
    )


def _wanted(caller: Caller, asked: EmitIn) -> Wanted:
    key = EmissionKey(
        _caller_name(caller, asked.caller),
        asked.answer_id,
        asked.ordinal,
        asked.answer_sha256,
        asked.application,
        asked.model,
        tuple(asked.labels.items()),
    )
    return Wanted(
        DocumentId(asked.document_id),
        key,
        version_id(asked.version) if asked.version else None,
        tuple(asked.ranges),
        asked.unit,
        asked.quote,
    )


def _emit_allowed(
    services: Services, caller: Caller, items: list[EmitIn], allowed: frozenset[DocumentId]
) -> list[Emitted | WatcherError]:
    """Emit what may be emitted, and refuse the rest, in order."""
    made: list[Wanted | WatcherError] = []
    for one in items:
        try:
            if one.document_id not in allowed:
                caller.check(one.document_id)
            made.append(_wanted(caller, one))
        except WatcherError as error:
            made.append(error)
    wanted = [one for one in made if isinstance(one, Wanted)]
    emitted = iter(emit_many(services, wanted) if wanted else [])
    return [one if isinstance(one, WatcherError) else next(emitted) for one in made]


def _emitted(found: Emitted) -> dict[str, object]:
    return {
        "citation_id": found.citation.citation_id,
        "document_id": found.citation.document_id,
        "version": found.citation.version,
        "current": found.current,
        "found_by": found.step.value if found.step else "range",
        "new": found.emission.new,
        "expires_at": moment(found.emission.expires_at),
        "anchors": found.citation.anchors(),
    }


def _problem(request: Request, error: WatcherError) -> dict[str, object]:
    problem = problem_of(error)
    request_id = str(request.scope["state"]["request_id"])
    return {"status": problem.status, "problem": problem.members(request_id)}
