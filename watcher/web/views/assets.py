"""The one style sheet and the one script."""

from __future__ import annotations

import hashlib
from importlib import resources

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from watcher.web.ranged import answer_bytes

router = APIRouter()


def _read(*files: tuple[str, str]) -> tuple[bytes, str]:
    data = b"".join(resources.files(p).joinpath(name).read_bytes() for p, name in files)
    return data, hashlib.sha256(data).hexdigest()


_STYLE = _read(("watcher.pipeline", "redline.css"), ("watcher.web", "static/viewer.css"))
_SCRIPT = _read(("watcher.web", "static/viewer.js"))


@router.get("/")
def home() -> Response:
    """Lead to the documents."""
    return RedirectResponse("/documents", 303)


@router.get("/static/viewer.css")
def style(request: Request) -> Response:
    """Give the style sheet: that of redlines, and the viewer's own."""
    return answer_bytes(request, *_STYLE, "text/css; charset=utf-8", {})


@router.get("/static/viewer.js")
def script(request: Request) -> Response:
    """Give the script."""
    return answer_bytes(request, *_SCRIPT, "text/javascript; charset=utf-8", {})
