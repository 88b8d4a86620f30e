"""A route that is described by the framework and not solved by it.

Solving arguments costs more than resolving a citation. Such a route's endpoint
describes it, and another function answers from the request.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute


def plain_route(answer: Callable[[Request], Coroutine[Any, Any, Response]]) -> type[APIRoute]:
    """Return the class of a route that `answer` answers."""

    class PlainRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            return answer

    return PlainRoute
