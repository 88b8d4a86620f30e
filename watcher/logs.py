"""One stream of JSON log lines for this program and for the libraries in it.

Every line is one object: `ts` (UTC), `level`, `event` (a stable dotted word of
`Event`), `logger`, the ids that are bound, and the fields of that event. Lines
of libraries pass through the same pipeline under the event `library.message`.

Three promises hold for every line, whoever wrote it: no local variable of a
traceback is in it, no secret that was handed to `hide` is in it, and a
repeated warning or error is written a few times a minute and then counted.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TextIO, cast

import structlog
from structlog.processors import ExceptionRenderer, JSONRenderer, TimeStamper
from structlog.stdlib import ProcessorFormatter
from structlog.tracebacks import ExceptionDictTransformer
from structlog.types import EventDict, Processor


class Event(StrEnum):
    """What a line is about. These words are an interface: add, never rename."""

    DAEMON_STARTED = "daemon.started"
    DAEMON_READY = "daemon.ready"
    DAEMON_DEGRADED = "daemon.degraded"
    DAEMON_RECOVERED = "daemon.recovered"
    DAEMON_DRAINING = "daemon.draining"
    DAEMON_STOPPED = "daemon.stopped"
    DAEMON_FAILED = "daemon.failed"
    DAEMON_STACKS = "daemon.stacks"
    CONFIG_RELOADED = "config.reloaded"
    CONFIG_REJECTED = "config.rejected"
    SCHEDULER_STALLED = "scheduler.stalled"
    SCHEDULER_REVIVED = "scheduler.revived"
    CLOCK_JUMPED = "clock.jumped"
    LOOP_LAGGED = "loop.lagged"
    JOB_FAILED = "job.failed"
    JOB_TIMEOUT = "job.timeout"
    JOB_STUCK = "job.stuck"
    JOB_OVERLAPPED = "job.overlapped"
    CHECK_ACCEPTED = "check.accepted"
    CHECK_NOT_MODIFIED = "check.not_modified"
    CHECK_SAME_BYTES = "check.same_bytes"
    CHECK_HELD = "check.held"
    CHECK_REFUSED = "check.refused"
    CHECK_FAILED = "check.failed"
    WORKER_KILLED = "worker.killed"
    VERSION_STORED = "version.stored"
    VERSION_DAMAGED = "version.damaged"
    RULE_EXPIRING = "rule.expiring"
    RULE_EXPIRED = "rule.expired"
    CHANGE_CLASSIFIED = "change.classified"
    CITATION_REANCHORED = "citation.reanchored"
    CITATION_UNRESOLVABLE = "citation.unresolvable"
    ALERT_SENT = "alert.sent"
    ALERT_FAILED = "alert.failed"
    ALERT_DEAD = "alert.dead"
    ALERT_SILENCED = "alert.silenced"
    CANARY_FAILED = "canary.failed"
    SLO_FIRING = "slo.firing"
    SLO_RESOLVED = "slo.resolved"
    STORE_UNAVAILABLE = "store.unavailable"
    WEB_STARTED = "web.started"
    REQUEST_FAILED = "request.failed"
    AUTHORIZER_FAILED = "authorizer.failed"
    ISSUER_FAILED = "issuer.failed"
    FOREIGN_MESSAGE = "library.message"
    LOG_SUPPRESSED = "log.suppressed"


class Level(StrEnum):
    """The least severe lines that are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Style(StrEnum):
    """JSON for machines, console for a person at a terminal."""

    JSON = "json"
    CONSOLE = "console"


class EventLog(Protocol):
    """Writes events. Fields are plain values; ids are better bound (`bound`)."""

    def debug(self, event: Event, **fields: object) -> None:
        """Write what only a developer wants."""

    def info(self, event: Event, **fields: object) -> None:
        """Write what happened."""

    def warning(self, event: Event, **fields: object) -> None:
        """Write what a person may have to look at."""

    def error(self, event: Event, **fields: object) -> None:
        """Write what a person has to look at."""

    def exception(self, event: Event, **fields: object) -> None:
        """Write an error with the traceback of the exception being handled."""


def get(name: str) -> EventLog:
    """Return the log of the module `name`; works before `configure` as well."""
    return cast("EventLog", structlog.stdlib.get_logger(name))


def bound(
    *,
    document_id: str | None = None,
    version: str | None = None,
    check_id: str | None = None,
    change_id: str | None = None,
    citation_id: str | None = None,
    job: str | None = None,
) -> AbstractContextManager[None]:
    """Put these ids on every line that is written inside the `with` block.

    They follow the task and its children, lines of libraries included.
    """
    ids = {
        "document_id": document_id,
        "version": version,
        "check_id": check_id,
        "change_id": change_id,
        "citation_id": citation_id,
        "job": job,
    }
    given = {name: value for name, value in ids.items() if value is not None}
    return cast("AbstractContextManager[None]", structlog.contextvars.bound_contextvars(**given))


# --- secrets -----------------------------------------------------------------

REDACTED = "[redacted]"
_SHORTEST_SECRET = 4
_SENSITIVE_KEY = re.compile(
    r"authorization|cookie|passw|secret|token|api_?key|routing_key|credential|signature",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"(?<=://)[^/\s\"'@]+(?=@)")
_QUERY = re.compile(r"(https?://[^\s\"'?#\\]*)\?[^\s\"'#\\]+")
_hidden: set[str] = set()


def hide(secret: str) -> None:
    """Keep `secret` out of every line from now on, in whatever field or message.

    Shorter than four characters it would blank ordinary words and is ignored.
    """
    if len(secret) >= _SHORTEST_SECRET:
        _hidden.update(
            {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        )


def scrub(line: str) -> str:
    """Return `line` without hidden secrets, URL credentials and URL queries."""
    for secret in sorted(_hidden, key=len, reverse=True):
        line = line.replace(secret, REDACTED)
    return _QUERY.sub(rf"\1?{REDACTED}", _USERINFO.sub(REDACTED, line))


def _redact_keys(_logger: object, _method: str, event: EventDict) -> EventDict:
    for key, value in event.items():
        if _SENSITIVE_KEY.search(key) and value is not None:
            event[key] = REDACTED
    return event


_FIRST = ("ts", "level", "event", "logger")


def _in_order(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Put what every line has in front, for the eye."""
    first = {name: event.pop(name) for name in _FIRST if name in event}
    return {**first, **event}


# --- repeated lines ----------------------------------------------------------

BURST = 5
WINDOW_SECONDS = 60.0
_MOST_KEYS = 1000

_Key = tuple[str, int, str, str]


@dataclass(slots=True)
class _Repeats:
    since: float
    written: int = 0
    suppressed: int = 0


class _RateLimitedHandler(logging.StreamHandler[TextIO]):
    """Writes at most `BURST` equal warnings or errors a window, then counts.

    Equal means the same logger, level, event and document. The count is
    written as `log.suppressed` when the window is over or the log closes, so
    that no repeat vanishes untold.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(stream)
        self._clock = clock
        self._seen: OrderedDict[_Key, _Repeats] = OrderedDict()

    def emit(self, record: logging.LogRecord) -> None:
        now = self._clock()
        self._tell(now - WINDOW_SECONDS, _MOST_KEYS)
        if record.levelno >= logging.WARNING:
            repeats = self._seen.setdefault(_key(record), _Repeats(since=now))
            if repeats.written >= BURST:
                repeats.suppressed += 1
                return
            repeats.written += 1
        super().emit(record)

    def close(self) -> None:
        """Tell the counts that are still open, then close."""
        if not getattr(self.stream, "closed", False):
            self._tell(float("inf"), 0)
        super().close()

    def _tell(self, older_than: float, at_most: int) -> None:
        """Close windows begun by `older_than`, and the oldest beyond `at_most`."""
        while self._seen:
            key, repeats = next(iter(self._seen.items()))
            if repeats.since > older_than and len(self._seen) <= at_most:
                return
            del self._seen[key]
            if repeats.suppressed:
                super().emit(_suppression(key, repeats.suppressed))


def _key(record: logging.LogRecord) -> _Key:
    if isinstance(record.msg, dict):
        fields: EventDict = record.msg
        return record.name, record.levelno, str(fields.get("event")), str(fields.get("document_id"))
    return record.name, record.levelno, str(record.msg), ""


def _suppression(key: _Key, count: int) -> logging.LogRecord:
    name, level, event, document_id = key
    fields = {"suppressed_event": event, "suppressed_count": count}
    if document_id not in {"", "None"}:
        fields["document_id"] = document_id
    record = logging.LogRecord(name, level, __file__, 0, Event.LOG_SUPPRESSED.value, None, None)
    record.__dict__["watcher_fields"] = fields
    return record


# --- the pipeline ------------------------------------------------------------


class Output(Protocol):
    """What `configure` returns: the means to end the log in order."""

    def close(self) -> None:
        """Write what is still counted and release the stream."""


def configure(
    level: Level = Level.INFO,
    style: Style = Style.JSON,
    stream: TextIO | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Output:
    """Send every log line, ours and the libraries', to `stream` (default stderr).

    Where the stream is the journal's own (`JOURNAL_STREAM`), each line begins
    with its syslog priority, so that `journalctl -p warning` works. Calling it
    again replaces the earlier output.
    """
    output = stream if stream is not None else sys.stderr
    handler = _RateLimitedHandler(output, clock)
    handler.setFormatter(_formatter(style, journal=_is_journal(output)))
    root = logging.getLogger()
    for old in [h for h in root.handlers if isinstance(h, _RateLimitedHandler)]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(level.value.upper())
    logging.captureWarnings(capture=True)
    for chatty in ("httpx", "httpcore", "apscheduler", "asyncio", "alembic", "pypdf"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    return handler


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        TimeStamper(fmt="iso", utc=True, key="ts"),
    ]


def _formatter(style: Style, *, journal: bool) -> logging.Formatter:
    tail: Sequence[Processor]
    if style is Style.JSON:
        frames = ExceptionDictTransformer(show_locals=False, max_frames=20, use_rich=False)
        tail = [ExceptionRenderer(frames), JSONRenderer(sort_keys=False, default=str)]
    else:
        tail = [
            structlog.dev.ConsoleRenderer(
                timestamp_key="ts",
                colors=False,
                exception_formatter=structlog.dev.plain_traceback,
            )
        ]
    return _ScrubbingFormatter(
        journal=journal,
        foreign_pre_chain=[*_shared(), _as_library_message],
        processors=[ProcessorFormatter.remove_processors_meta, _redact_keys, _in_order, *tail],
    )


class _ScrubbingFormatter(ProcessorFormatter):
    """The last hand on a line: secrets out, the journal's priority in front."""

    def __init__(self, *, journal: bool, **arguments: Any) -> None:  # noqa: ANN401
        super().__init__(**arguments)
        self._journal = journal

    def format(self, record: logging.LogRecord) -> str:
        line = scrub(super().format(record))
        return f"<{_priority(record.levelno)}>{line}" if self._journal else line


def _as_library_message(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Give a library's free sentence a stable event, and keep it as `message`."""
    own = event["_record"].__dict__.get("watcher_fields")
    if own is not None:
        event.update(own)
        return event
    event["message"] = event["event"]
    event["event"] = Event.FOREIGN_MESSAGE.value
    return event


def _priority(level: int) -> int:
    """Return the syslog priority of a level (sd-daemon(3)): 3 error ... 7 debug."""
    steps: Iterator[tuple[int, int]] = iter(
        ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
    )
    return next((priority for least, priority in steps if level >= least), 7)


def _is_journal(stream: TextIO) -> bool:
    """Tell whether `stream` is the one that `JOURNAL_STREAM` names (dev:inode)."""
    named = os.environ.get("JOURNAL_STREAM", "")
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return named == f"{status.st_dev}:{status.st_ino}"
