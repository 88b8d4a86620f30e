"""Which of the counted routes a path belongs to."""

from __future__ import annotations

import re

from watcher.metrics import ApiRoute

_API = "/api/v1/"
_RESOLVE = re.compile(r"citations/(resolve|c1[a-z2-7]{32})")
_ROUTES = {
    "citations": ApiRoute.CITATIONS,
    "emissions": ApiRoute.CITATIONS,
    "changes": ApiRoute.CHANGES,
    "alerts": ApiRoute.ALERTS,
    "documents": ApiRoute.DOCUMENTS,
}


def route_of(path: str) -> ApiRoute:
    """Return the route that a request for `path` is counted under."""
    if not path.startswith(_API):
        return ApiRoute.OTHER if path.startswith("/api/") else ApiRoute.VIEWER
    rest = path.removeprefix(_API)
    if _RESOLVE.fullmatch(rest):
        return ApiRoute.RESOLVE
    parts = rest.split("/")
    if parts[0] == "documents" and parts[2:3] in (["versions"], ["captures"]):
        return ApiRoute.VERSIONS
    return _ROUTES.get(parts[0], ApiRoute.OTHER)
