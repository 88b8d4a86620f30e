"""Rendering: the templates, the errors as pages, and forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from watcher.alert.render import visible
from watcher.errors import UsageError, WatcherError
from watcher.web.deps import SESSION_COOKIE
from watcher.web.problems import PROBLEMS, ApiError, Problem, problem_of

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}")
_MOST_FIELDS = 20
_HEADERS = {"referrer-policy": "same-origin"}
"""Without any referrer a browser names the origin of our own forms `null`, which is refused."""


def language(declared: str) -> str:
    """Return the language that a source declares, if it is the form of one; else nothing."""
    return declared if _LANGUAGE.fullmatch(declared) else ""


def _moment(at: datetime | None) -> Markup:
    if at is None:
        return Markup("never")
    said = at.strftime("%Y-%m-%d %H:%M UTC")
    return Markup('<time datetime="{}">{}</time>').format(at.strftime("%Y-%m-%dT%H:%M:%SZ"), said)


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("watcher.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["seen"] = visible
    made.filters["moment"] = _moment
    made.filters["short"] = lambda version: version.removeprefix("sha256:")[:12]
    made.filters["segment"] = lambda text: quote(text, safe="")
    return made


_templates = _environment()


def render(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **shown: object,
) -> Response:
    """Return the page that a template makes of `shown`."""
    signed_in = SESSION_COOKIE in request.cookies
    body = _templates.get_template(template).render(signed_in=signed_in, **shown)
    return HTMLResponse(body, status, {**_HEADERS, **(headers or {})})


def _problem_page(
    request: Request, problem: Problem, headers: dict[str, str] | None = None
) -> Response:
    """Return the page that tells of a problem: the same words as the API's."""
    members = problem.members("")
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return render(
        request,
        "problem.html",
        status=problem.status,
        headers=headers,
        code=problem.code,
        title=PROBLEMS[problem.code][1],
        detail=members.get("detail", ""),
        hint=members.get("hint", ""),
        here=here if request.method == "GET" else "/documents",
    )


class PageRoute(APIRoute):
    """A route whose errors are pages, not problem objects."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of the framework within one that answers its errors."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except WatcherError as error:
                headers = error.headers if isinstance(error, ApiError) else None
                return _problem_page(request, problem_of(error), headers)
            except RequestValidationError:
                return _problem_page(request, Problem("invalid_request"))

        return answer


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form as a browser sends it; each name once.

    Raises:
        UsageError: it is no such form.
    """
    try:
        pairs = parse_qsl(
            (await request.body()).decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise UsageError("that is no form of this page", hint="go back and send it again") from None
    return {name: value.replace("\r\n", "\n").strip() for name, value in pairs}


FormDep = Annotated[dict[str, str], Depends(_form)]
