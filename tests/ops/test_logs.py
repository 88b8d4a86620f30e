from __future__ import annotations

import io
import json
import logging
import os
import re
import socket
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from watcher import logs
from watcher.logs import Event, Level, Style


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _restore_logging() -> Iterator[None]:
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    hidden = set(logs._hidden)
    yield
    for handler in [h for h in root.handlers if h not in handlers]:
        root.removeHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(capture=False)
    logs._hidden.clear()
    logs._hidden.update(hidden)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def fail_with(error: Exception) -> None:
    raise error


def test_event_names_are_dotted_words_and_unique() -> None:
    assert all(re.fullmatch(r"[a-z]+\.[a-z_]+", event.value) for event in Event)
    assert len({event.value for event in Event}) == len(Event)


def test_the_published_event_names_are_all_still_there() -> None:
    published = """daemon.started daemon.draining daemon.stopped check.accepted check.not_modified
    check.same_bytes check.refused check.held version.stored change.classified citation.reanchored
    alert.sent alert.failed alert.dead scheduler.stalled scheduler.revived job.failed job.timeout
    config.reloaded config.rejected"""
    assert set(published.split()) <= {event.value for event in Event}


def test_a_line_is_one_json_object_with_bound_ids() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)
    with logs.bound(document_id="retention-policy", check_id="k1"):
        logs.get("watcher.pipeline").info(Event.VERSION_STORED, version="sha256:ab", pages=3)
    logs.get("watcher.pipeline").info(Event.DAEMON_STOPPED)
    first, second = lines(stream)
    assert list(first)[:4] == ["ts", "level", "event", "logger"]
    assert first["event"] == "version.stored"
    assert first["document_id"] == "retention-policy"
    assert (first["check_id"], first["pages"], first["level"]) == ("k1", 3, "info")
    assert first["logger"] == "watcher.pipeline"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", first["ts"])
    assert "document_id" not in second


def test_library_lines_take_the_same_way() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)
    with logs.bound(document_id="d1"):
        logging.getLogger("somebody.elses").warning("pool of %s is full\nof it", "x")
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("old thing", UserWarning, stacklevel=1)
    line, warned = lines(stream)
    assert line["event"] == "library.message"
    assert line["message"] == "pool of x is full\nof it"
    assert line["document_id"] == "d1"
    assert "old thing" in warned["message"]


def test_level_and_chatty_libraries() -> None:
    stream = io.StringIO()
    logs.configure(level=Level.INFO, stream=stream)
    logs.get("watcher.x").debug(Event.JOB_FAILED)
    logging.getLogger("httpx").info("HTTP Request: GET https://example.org/?key=1")
    assert not stream.getvalue()


@pytest.mark.parametrize("style", list(Style))
def test_tracebacks_hold_no_local_variables(style: Style) -> None:
    stream = io.StringIO()
    logs.configure(style=style, stream=stream)

    def fail() -> None:
        innocent_name = "local-" + "value-42"
        raise ValueError(len(innocent_name))

    try:
        fail()
    except ValueError:
        logs.get("watcher.x").exception(Event.JOB_FAILED, job="dispatch")
    assert "fail" in stream.getvalue()
    assert "ValueError" in stream.getvalue()
    assert "local-value-42" not in stream.getvalue()


def test_a_library_traceback_is_data_too() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)
    try:
        fail_with(KeyError("k"))
    except KeyError:
        logging.getLogger("lib").exception("it broke")
    (line,) = lines(stream)
    assert line["exception"][0]["exc_type"] == "KeyError"


def test_secrets_never_reach_a_line() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)
    logs.hide('s3cret"quoted')
    logs.hide("päss")
    logs.hide("ab")
    log = logs.get("watcher.x")
    log.info(Event.ALERT_FAILED, detail='sent s3cret"quoted to päss', authorization="Bearer abc")
    logging.getLogger("lib").warning("GET https://user:pw@host/path?sig=123 failed with %s", "päss")
    try:
        fail_with(ValueError('bad s3cret"quoted'))
    except ValueError:
        log.exception(Event.JOB_FAILED)
    text = stream.getvalue()
    for secret in ("s3cret", "päss", "p\\u00e4ss", "Bearer abc", "user:pw", "sig=123"):
        assert secret not in text
    assert "about" not in text or "ab" in text
    assert lines(stream)[0]["detail"] == f"sent {logs.REDACTED} to {logs.REDACTED}"


def test_repeated_errors_are_limited_and_counted() -> None:
    stream, clock = io.StringIO(), Clock()
    logs.configure(stream=stream, clock=clock)
    log = logs.get("watcher.x")
    for _ in range(logs.BURST + 7):
        log.error(Event.CHECK_FAILED, document_id="a")
    log.error(Event.CHECK_FAILED, document_id="b")
    assert len(lines(stream)) == logs.BURST + 1
    clock.now += logs.WINDOW_SECONDS + 1
    log.error(Event.CHECK_FAILED, document_id="a")
    *_, told, again = lines(stream)
    assert told["event"] == "log.suppressed"
    assert told["suppressed_event"] == "check.failed"
    assert (told["suppressed_count"], told["document_id"], told["level"]) == (7, "a", "error")
    assert again["event"] == "check.failed"


def test_library_repeats_are_limited_by_template_and_told_at_close() -> None:
    stream = io.StringIO()
    output = logs.configure(stream=stream)
    for n in range(logs.BURST + 2):
        logging.getLogger("lib").error("attempt %s failed", n)
    output.close()
    told = lines(stream)[-1]
    assert (told["suppressed_event"], told["suppressed_count"]) == ("attempt %s failed", 2)


def test_information_is_never_limited() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)
    for _ in range(logs.BURST * 3):
        logs.get("watcher.x").info(Event.CHECK_NOT_MODIFIED)
    assert len(lines(stream)) == logs.BURST * 3


def test_the_number_of_remembered_repeats_is_bounded() -> None:
    stream = io.StringIO()
    output = logs.configure(stream=stream, clock=Clock())
    for n in range(logs._MOST_KEYS + 50):
        logs.get("watcher.x").warning(Event.CHECK_REFUSED, document_id=f"d{n}")
    assert isinstance(output, logs._RateLimitedHandler)
    assert len(output._seen) <= logs._MOST_KEYS + 1


def test_configuring_again_replaces_the_output() -> None:
    first, second = io.StringIO(), io.StringIO()
    logs.configure(stream=first)
    logs.configure(stream=second)
    logs.get("watcher.x").info(Event.DAEMON_STARTED)
    assert not first.getvalue()
    assert len(lines(second)) == 1


def test_journal_lines_carry_their_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, ours.makefile("w", encoding="utf-8") as stream:
        status = os.fstat(ours.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        logs.configure(level=Level.DEBUG, stream=stream)
        log = logs.get("watcher.x")
        log.debug(Event.DAEMON_READY)
        log.info(Event.DAEMON_READY)
        log.warning(Event.DAEMON_READY)
        log.error(Event.DAEMON_READY)
        stream.flush()
        received = theirs.recv(65536).decode().splitlines()
    assert [line[:3] for line in received] == ["<7>", "<6>", "<4>", "<3>"]
    assert all(json.loads(line[3:]) for line in received)


def test_another_stream_than_the_journals_has_no_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOURNAL_STREAM", "1:1")
    assert not logs._is_journal(sys.__stderr__ or sys.stderr)
