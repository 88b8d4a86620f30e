"""Signing in with a token: it is kept in a cookie that no script reads."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from watcher.web.deps import SESSION_COOKIE, ServicesDep, state_of
from watcher.web.views.pages import FormDep, PageRoute

router = APIRouter(route_class=PageRoute)


@router.post("/signin")
def sign_in(request: Request, services: ServicesDep, form: FormDep) -> Response:
    """Keep the token if it is a caller's, and lead back to where they wanted to go."""
    token = form.get("token", "")
    address = request.client.host if request.client else ""
    state_of(request).access.authenticate(token, address)
    answer = RedirectResponse(_local(form.get("here", "")), 303)
    answer.set_cookie(
        SESSION_COOKIE,
        token,
        httponly=True,
        samesite="lax",  # the link of an alert comes from elsewhere; posts are guarded by origin
        secure=services.settings.links.base.startswith("https:"),
    )
    return answer


@router.post("/signout")
def sign_out() -> Response:
    """Forget the token."""
    answer = RedirectResponse("/documents", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


def _local(path: str) -> str:
    """Return `path` if it stays on this site: a form may not lead anywhere else."""
    inside = path.startswith("/") and not path.startswith("//") and "\\" not in path
    return path if inside and path.isprintable() else "/documents"
