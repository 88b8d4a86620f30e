"""What the commands that change what alerts do: silence, resolve, try a channel."""

from __future__ import annotations

import asyncio
import sys
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from pathlib import Path

import typer

from watcher.alert.delivery import Delivery, DeliveryResult
from watcher.alert.senders import build_sender
from watcher.cli.opening import actor, opened
from watcher.cli.output import Row, show_lines, show_rows, when
from watcher.clock import SystemClock
from watcher.domain.ids import DocumentId, document_id
from watcher.errors import TemporaryError, UsageError
from watcher.pipeline.answering import resolve as resolve_event
from watcher.pipeline.silencing import silence as silence_alerts
from watcher.pipeline.silencing import unsilence as unsilence_alerts
from watcher.pipeline.testing import send_test
from watcher.settings import load
from watcher.settings.durations import parse_duration
from watcher.settings.secrets import read_secret
from watcher.store.rows import AlertKind
from watcher.store.rows.operating import NewSilence, Silence


def silence(
    config: Path,
    *,
    duration: str,
    reason: str,
    by: str | None,
    document: str | None,
    kind: str | None,
    alert: int | None,
) -> None:
    """Begin a silence and print it."""
    try:
        length = parse_duration(duration)
    except ValueError as error:
        raise UsageError(f"--for {duration[:40]!r}: {error}", hint="such as --for 4h") from None
    assert isinstance(length, timedelta)
    name = document_id(document) if document else None
    with opened(config, write=True) as services:
        if name is not None:
            services.store.documents.get(name)
        now = services.clock.now()
        said = NewSilence(
            at=now,
            ends_at=now + length,
            actor=by or actor(),
            reason=reason,
            document_id=name,
            kind=_kind(kind),
            key=services.store.outbox.get(alert).event_id if alert is not None else "",
        )
        made, lines = asyncio.run(silence_alerts(services, said, _reveal))
        show_lines([_sentence(made), *lines])


def list_silences(config: Path, *, everything: bool, limit: int, as_json: bool) -> None:
    """Print the silences that hold, or all there were."""
    with opened(config) as services:
        now, store = services.clock.now(), services.store
        found = store.silences.list(limit=limit) if everything else store.silences.active(now)
        show_rows(
            [_row(silence, now) for silence in found],
            as_json=as_json,
            columns=["number", "state", "until", "document_id", "kind", "key", "by", "reason"],
        )


def unsilence(config: Path, number: int, reason: str) -> None:
    """End a silence and print what became of it."""
    with opened(config, write=True) as services:
        ended, lines = asyncio.run(unsilence_alerts(services, number, actor(), reason, _reveal))
        if ended.ended_at is None:
            show_lines([f"silence {number} was over at {when(ended.said.ends_at)} by itself"])
        else:
            show_lines([f"silence {number} ended by {ended.ended_by}", *lines])


def resolve(config: Path, number: int) -> None:
    """Record that what an alert tells is over."""
    with opened(config, write=True) as services:
        alert = services.store.outbox.get(number)
        if resolve_event(services, alert.event_id, actor()):
            show_lines([f"resolved {number}"])
        else:
            show_lines([f"{number} was resolved by {alert.resolved_by} before"])


def try_channel(config: Path, name: str) -> None:
    """Send a test message by a channel and print what its receiver answered."""
    settings = load(config)
    channel = next((c for c in settings.channels if c.name == name), None)
    if channel is None:
        known = ", ".join(c.name for c in settings.channels) or "none is configured"
        raise UsageError(f"there is no channel {name[:40]!r}", hint=f"channels: {known}")
    with redirect_stdout(sys.stderr):
        sender = build_sender(channel, _reveal)
    delivery, end = asyncio.run(send_test(sender, name, actor(), SystemClock().now()))
    show_lines(_answer_lines(delivery))
    if end is not None:
        show_lines([f"and its end: {end.detail}"])
    if delivery.result is DeliveryResult.RETRY:
        raise typer.Exit(TemporaryError.exit_code)
    if delivery.result is DeliveryResult.DEAD:
        raise typer.Exit(1)


def _answer_lines(delivery: Delivery) -> list[str]:
    lines = [f"{delivery.result.value}: {delivery.detail}"]
    if delivery.answer:
        lines.append(f"it said: {delivery.answer}")
    if delivery.retry_after is not None:
        lines.append(f"it asks to wait {delivery.retry_after:g} s")
    return lines


def _reveal(reference: str) -> str:
    return read_secret(reference).reveal()


def _kind(kind: str | None) -> AlertKind | None:
    known = {k.value: k for k in AlertKind if not k.follows_up}
    if kind is None:
        return None
    if kind not in known:
        raise UsageError(f"{kind[:40]!r} is no kind of alert", hint=f"one of {', '.join(known)}")
    return known[kind]


def _sentence(made: Silence) -> str:
    return (
        f"silence {made.number} holds until {when(made.said.ends_at)}: what it is meant for"
        " goes to the digest, and `watcher alerts list` shows it"
    )


def _row(silence: Silence, now: datetime) -> Row:
    said = silence.said
    state = "holds" if silence.holds(now) else "ended" if silence.ended_at else "over"
    document: DocumentId | None = said.document_id
    return {
        "number": silence.number,
        "state": state,
        "from": when(said.at),
        "until": when(silence.ended_at or said.ends_at),
        "document_id": document,
        "kind": said.kind.value if said.kind else None,
        "key": said.key or None,
        "by": said.actor,
        "reason": said.reason,
        "ended_by": silence.ended_by or None,
        "elsewhere": dict(silence.remote),
    }
