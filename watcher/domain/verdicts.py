"""What a check concluded: accepted, held, refused, or nothing new.

The lists are closed. A reason that is not here cannot be recorded, and every
one is born as a metric label at zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What a check did to its document."""

    ACCEPTED = "accepted"
    NOT_MODIFIED = "not_modified"
    SAME_BYTES = "same_bytes"
    HELD = "held"
    REFUSED = "refused"


class Refusal(StrEnum):
    """Why an answer is not the document."""

    SOFT_404 = "soft_404"
    LOGIN_WALL = "login_wall"
    CONSENT_WALL = "consent_wall"
    BOT_WALL = "bot_wall"
    WAITING_ROOM = "waiting_room"
    MAINTENANCE = "maintenance"
    SCRIPT_SHELL = "script_shell"
    EMPTY_TEXT = "empty_text"
    TRUNCATED = "truncated"
    MEDIA_TYPE_CHANGED = "media_type_changed"
    NO_TEXT_LAYER = "no_text_layer"
    TOO_LARGE = "too_large"
    REDIRECT_HOME = "redirect_home"
    REDIRECTED_AWAY = "redirected_away"
    BLOCKED_ADDRESS = "blocked_address"
    HTTP_ERROR = "http_error"
    NETWORK_ERROR = "network_error"
    TIMEOUT = "timeout"
    DECODE_ERROR = "decode_error"
    ROBOTS_DENIED = "robots_denied"


class Hold(StrEnum):
    """Why an answer may be the document but waits for agreement or a person."""

    COLLAPSED = "collapsed"
    EXPLODED = "exploded"
    LANGUAGE_CHANGED = "language_changed"
    MANY_CITATIONS_GONE = "many_citations_gone"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observed fact that spoke for a verdict, readable by a person."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was concluded from one answer, with the facts that decided it.

    `reason` is a `Refusal` where refused, a `Hold` where held, else None.
    `message` is one sentence for a person; `hint` says what to do.
    """

    outcome: Outcome
    reason: Refusal | Hold | None = None
    message: str = ""
    hint: str = ""
    evidence: tuple[Evidence, ...] = ()
    flags: tuple[str, ...] = ()
