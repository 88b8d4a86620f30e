"""What the API says when it does not do what was asked: RFC 9457, a closed list of codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import Response

from watcher.domain.resolution import REASONS, Reason
from watcher.errors import TemporaryError, UsageError, WatcherError

MEDIA_TYPE = "application/problem+json"

TITLES: dict[Reason, str] = {
    Reason.FORBIDDEN: "You have no grant for it, whether it exists or not",
    Reason.UNKNOWN_DOCUMENT: "No document has that id",
    Reason.UNKNOWN_VERSION: "The document never had that version",
    Reason.VERSION_PURGED: "The version was purged",
    Reason.UNIT_INVALID: "The offsets have no known unit",
    Reason.RANGE_INVALID: "No anchor may have that range",
    Reason.PAGE_MISMATCH: "The range is not on that page",
    Reason.ANCHOR_MISMATCH: "The text is intact and the anchor does not fit it",
    Reason.HASH_MISMATCH: "The stored evidence is damaged, so nothing is shown",
    Reason.UNREADABLE: "The store cannot tell now",
}

PROBLEMS: dict[str, tuple[int, str]] = {
    **{reason.value: (REASONS[reason].http_status, TITLES[reason]) for reason in Reason},
    "usage": (400, "The request is wrong in itself"),
    "unauthenticated": (401, "Who asks is not known"),
    "scope_missing": (403, "The caller's token does not allow that"),
    "webhook_refused": (403, "Nobody known signed it, or it is no event"),
    "cross_site": (403, "The request came from another site"),
    "not_found": (404, "There is nothing at that address"),
    "unknown_citation": (404, "No citation was emitted under that id"),
    "unknown_capture": (404, "No capture has that id"),
    "unknown_change": (404, "No change has that id"),
    "unknown_alert": (404, "No alert has that number"),
    "method_not_allowed": (405, "The address does not answer that method"),
    "request_timeout": (408, "The request did not arrive in time"),
    "not_citable": (409, "The version was only ever held"),
    "emission_conflict": (409, "The emission's key was used for something else"),
    "quote_ambiguous": (409, "The quote stands in several places"),
    "review": (409, "The verdict cannot be said of that judgement"),
    "too_large": (413, "The request is larger than what is taken"),
    "range_not_satisfiable": (416, "The text does not have those bytes"),
    "misdirected": (421, "This service does not answer to that host name"),
    "quote_not_found": (422, "The text does not contain the quote"),
    "invalid_request": (422, "The request does not have the described form"),
    "rate_limited": (429, "Too many requests"),
    "internal": (500, "A fault of this service"),
    "temporary": (503, "It failed now and may work later"),
}
"""Every code with its status and title; docs/api.md lists the same."""

_FIXED = {Reason.FORBIDDEN.value, "unauthenticated"}
"""Codes whose answer never varies: nothing of what was asked for is in it."""


class ApiError(WatcherError):
    """A request that only HTTP can get wrong; `problem` is one of PROBLEMS."""

    def __init__(
        self,
        problem: str,
        message: str,
        *,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.problem = problem
        self.headers = dict(headers or {})


def unknown_caller() -> ApiError:
    """Return the refusal of a caller who is not known."""
    return ApiError("unauthenticated", "", headers={"www-authenticate": "Bearer"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, ready to be sent."""

    code: str
    detail: str = ""
    hint: str = ""
    document_id: str | None = None
    extra: Mapping[str, object] | None = None

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return PROBLEMS[self.code][0]

    def members(self, request_id: str) -> dict[str, object]:
        """Return the members of the problem object."""
        status, title = PROBLEMS[self.code]
        members: dict[str, object] = {
            "type": f"urn:watcher:problem:{self.code}",
            "title": title,
            "status": status,
            "code": self.code,
            "request_id": request_id,
        }
        if self.code not in _FIXED:
            fields = {"detail": self.detail, "hint": self.hint, "document_id": self.document_id}
            members |= {name: value for name, value in fields.items() if value}
            members |= self.extra or {}
        return members

    def response(self, request_id: str, headers: Mapping[str, str] | None = None) -> Response:
        """Return the answer."""
        body = json.dumps(self.members(request_id), ensure_ascii=False).encode()
        return Response(body, self.status, headers, media_type=MEDIA_TYPE)


def code_of(error: WatcherError) -> str:
    """Return the code of PROBLEMS that says what `error` is."""
    if isinstance(error, ApiError):
        return error.problem
    if error.code in PROBLEMS:
        return error.code
    if isinstance(error, TemporaryError):
        return "temporary"
    return "usage" if isinstance(error, UsageError) else "internal"


def problem_of(error: WatcherError) -> Problem:
    """Return the problem that tells of `error`."""
    code = code_of(error)
    if PROBLEMS[code][0] == HTTPStatus.INTERNAL_SERVER_ERROR and code == "internal":
        return Problem(code)
    return Problem(code, error.message, error.hint, error.document_id)
