"""What the alert commands do."""

from __future__ import annotations

from pathlib import Path

from watcher.alert.message import delivery_key
from watcher.alert.render import render_payload, render_text
from watcher.cli.opening import actor, opened
from watcher.cli.output import Row, show_json, show_lines, show_rows, when
from watcher.errors import UsageError
from watcher.pipeline.answering import acknowledge
from watcher.pipeline.messages import build_message
from watcher.store.rows import Alert, AlertState


def list_alerts(config: Path, state: str | None, limit: int, *, as_json: bool) -> None:
    """Print alerts, newest first."""
    try:
        wanted = AlertState(state) if state else None
    except ValueError:
        known = ", ".join(AlertState)
        raise UsageError(f"{state!r} is not a state", hint=f"one of {known}") from None
    with opened(config) as services:
        rows = [_alert_row(a) for a in services.store.outbox.list(state=wanted, limit=limit)]
        show_rows(
            rows,
            as_json=as_json,
            columns=["number", "severity", "kind", "document_id", "channel", "state", "at"],
        )


def _alert_row(alert: Alert) -> Row:
    return {
        "number": alert.number,
        "severity": alert.severity.value,
        "kind": alert.kind.value,
        "document_id": alert.document_id,
        "change_id": alert.change_id,
        "channel": alert.channel,
        "state": "silenced" if _is_silenced(alert) else alert.state.value,
        "at": when(alert.created_at),
        "attempts": alert.attempts,
        "last_error": alert.last_error,
        "unconfirmed": alert.unconfirmed,
        "acked_by": alert.acked_by,
        "resolved_by": alert.resolved_by,
        "silence": alert.silence,
        "key": delivery_key(alert.event_id, alert.channel),
    }


def _is_silenced(alert: Alert) -> bool:
    return alert.silence is not None and alert.state is AlertState.DIGEST


def show(config: Path, number: int, *, as_json: bool) -> None:
    """Print one alert as its channel gets it."""
    with opened(config) as services:
        alert = services.store.outbox.get(number)
        if alert.kind.follows_up:
            told = f"tells {alert.channel} that alert {alert.reason[:12]} was {alert.kind.value}"
            show_lines([f"{told}: {alert.state.value}"])
            return
        message = build_message(services, alert)
        key = delivery_key(alert.event_id, alert.channel)
        if as_json:
            show_json(render_payload(message, key))
        else:
            show_lines([f"{alert.state.value}, {alert.attempts} attempts, {alert.channel}"])
            show_lines(render_text(message, key).splitlines())


def ack(config: Path, number: int) -> None:
    """Record who took an alert on."""
    with opened(config, write=True) as services:
        acknowledge(services, number, actor())
        show_lines([f"acknowledged {number}"])
