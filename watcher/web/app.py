"""Putting the application together: routes, error answers, the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from watcher import __version__
from watcher.errors import WatcherError
from watcher.pipeline.services import Services
from watcher.web import api, views
from watcher.web.access import Access
from watcher.web.guard import Guard
from watcher.web.lean import Lean
from watcher.web.problems import ApiError, Problem, problem_of
from watcher.web.routes import route_of
from watcher.web.state import WebState

_BY_STATUS = {
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    413: "too_large",
}
_MOST_MISTAKES = 20


def create_app(services: Callable[[], Services]) -> FastAPI:
    """Return the application over the services that `services` gives at each request.

    Settings and clock are those of the services; `web` of the settings is read
    once, here.

    Raises:
        ConfigError: it is to be served beyond this machine without authentication.
    """
    settings = services().settings
    access = Access(services)
    access.check_start()

    def ended(path: str, status: int, seconds: float) -> None:
        services().metrics.http_answered(route_of(path), status, seconds)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = settings.web.limits.threads
        yield

    app = FastAPI(
        title="policy-watcher",
        version=__version__,
        summary="Versions of policy documents, and citations of them that stay exact.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.web = WebState(services, access)
    app.include_router(api.router, prefix="/api/v1")
    app.include_router(views.router)
    app.add_exception_handler(WatcherError, _tell)
    app.add_exception_handler(RequestValidationError, _tell_form)
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_middleware(Lean, tell=_tell)
    app.add_middleware(Guard, settings=lambda: services().settings, ended=ended)
    return app


def _request_id(request: Request) -> str:
    return str(request.scope["state"]["request_id"])


def _tell(request: Request, error: Exception) -> Response:
    headers = error.headers if isinstance(error, ApiError) else {}
    if not isinstance(error, WatcherError):
        raise error
    return problem_of(error).response(_request_id(request), headers)


def _tell_form(request: Request, error: Exception) -> Response:
    """Say which fields are wrong, without what was in them."""
    if not isinstance(error, RequestValidationError):
        raise error
    mistakes = [
        {"where": ".".join(map(str, found["loc"])), "what": found["msg"]}
        for found in error.errors()[:_MOST_MISTAKES]
    ]
    problem = Problem("invalid_request", extra={"errors": mistakes})
    return problem.response(_request_id(request))


def _tell_http(request: Request, error: Exception) -> Response:
    """Answer what the framework refuses: no such address, no such method."""
    if not isinstance(error, HTTPException):
        raise error
    code = _BY_STATUS.get(error.status_code)
    if code is None:
        client = error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
        code = "usage" if client else "internal"
    return Problem(code).response(_request_id(request), error.headers)
