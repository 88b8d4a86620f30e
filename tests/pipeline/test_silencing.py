"""Silences, acknowledgements and resolutions, from the command's side to the receiver's."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest

from tests.pipeline.deployment import Deployment, html
from watcher.alert.message import delivery_key
from watcher.alert.pagerduty_webhook import WebhookRefusedError
from watcher.domain.changes import Severity
from watcher.domain.ids import DocumentId
from watcher.pipeline.answering import acknowledge, resolve, take_pagerduty
from watcher.pipeline.deliver import build_senders, deliver_digests, deliver_due
from watcher.pipeline.incidents import event_of
from watcher.pipeline.services import Services
from watcher.pipeline.silencing import silence, unsilence
from watcher.settings import load
from watcher.store.rows import Alert, AlertKind, AlertState, NewAlert
from watcher.store.rows.operating import NewSilence

SECRET = "of-the-webhook"


@pytest.fixture
def called(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> Deployment:
    """A deployment that calls PagerDuty and an Alertmanager, both of them the receiver."""
    monkeypatch.setenv("ROUTING", "routing-key")
    monkeypatch.setenv("BACK", SECRET)
    deployment.watch("policy", html("Access logs are kept for 30 days in every system."))
    base = deployment.receiver.url
    with deployment.config.open("a", encoding="utf-8") as config:
        config.write(
            '[[channels]]\nname = "duty"\nkind = "pagerduty"\nrouting_key = "env:ROUTING"\n'
            f'webhook_secret = "env:BACK"\nurl = "{base}"\n'
            f'[[channels]]\nname = "am"\nkind = "alertmanager"\nurl = "{base}"\n'
        )
    old = deployment.services
    deployment.services = Services(load(deployment.config), old.store, old.clock, old.metrics)
    return deployment


def tell(deployment: Deployment, channel: str, event: str = "incident-1") -> Alert:
    """Queue a page about the document."""
    now, name = deployment.clock.now(), DocumentId("policy")
    (alert,) = deployment.store.outbox.add(
        [
            NewAlert(
                event_of(name, event),
                channel,
                AlertKind.REFUSED,
                name,
                Severity.PAGE,
                now,
                now,
                reason="timeout",
            )
        ]
    )
    return alert


def deliver(deployment: Deployment) -> int:
    services = deployment.services
    return asyncio.run(deliver_due(services, build_senders(services.settings)))


def read_env(reference: str) -> str:
    return {"env:BACK": SECRET, "env:ROUTING": "routing-key"}[reference]


def said(deployment: Deployment, **changed: object) -> NewSilence:
    now = deployment.clock.now()
    wanted = NewSilence(
        now, now + timedelta(hours=2), "mara", "moves", document_id=DocumentId("policy")
    )
    return replace(wanted, **changed)  # type: ignore[arg-type]


def test_a_silenced_page_calls_nobody_is_shown_and_comes_with_the_digest(
    called: Deployment,
) -> None:
    made, _ = asyncio.run(silence(called.services, said(called), read_env))
    called.receiver.bodies.clear()
    alert = tell(called, "hook")
    assert deliver(called) == 1
    assert called.receiver.bodies == []
    found = called.store.outbox.get(alert.number)
    assert (found.state, found.silence) == (AlertState.DIGEST, made.number)
    called.clock.pass_time(days=1)
    services = called.services
    asyncio.run(deliver_digests(services, build_senders(services.settings)))
    (digest,) = called.receiver.bodies
    assert digest["severity"] == "info"
    assert "silenced by mara until" in digest["entries"][0]["summary"]
    assert "'moves'" in digest["entries"][0]["summary"]


@pytest.mark.parametrize(
    "changed", [{"kind": AlertKind.HELD}, {"key": "another"}, {"document_id": None, "key": "x"}]
)
def test_a_silence_for_something_else_silences_nothing(
    called: Deployment, changed: dict[str, object]
) -> None:
    called.store.silences.add(said(called, **changed))
    alert = tell(called, "hook")
    deliver(called)
    assert called.store.outbox.get(alert.number).state is AlertState.DELIVERED


def test_a_silence_that_is_over_or_ended_silences_nothing(called: Deployment) -> None:
    made = called.store.silences.add(said(called))
    called.clock.pass_time(hours=2)
    first = tell(called, "hook")
    deliver(called)
    called.clock.pass_time(hours=-1)
    asyncio.run(unsilence(called.services, made.number, "noor", "done", read_env))
    second = tell(called, "hook", "incident-2")
    deliver(called)
    states = {called.store.outbox.get(a.number).state for a in (first, second)}
    assert states == {AlertState.DELIVERED}


def test_an_alertmanager_that_does_not_answer_stops_no_silence(called: Deployment) -> None:
    called.receiver.answers = [503]
    made, lines = asyncio.run(silence(called.services, said(called), read_env))
    assert made in called.store.silences.active(called.clock.now())
    assert len(lines) == 1
    assert lines[0].startswith("am: ")
    assert "503" in lines[0]


def events(deployment: Deployment) -> list[str]:
    sent: list[Any] = list(deployment.receiver.bodies)
    return [b["event_action"] for b in sent if isinstance(b, dict) and "event_action" in b]


def test_what_became_of_an_incident_reaches_pagerduty_once(called: Deployment) -> None:
    alert = tell(called, "duty")
    deliver(called)
    acknowledge(called.services, alert.number, "mara")
    acknowledge(called.services, alert.number, "noor")
    resolve(called.services, alert.event_id, "mara")
    assert resolve(called.services, alert.event_id, "noor") == 0
    assert deliver(called) == 2
    assert deliver(called) == 0
    assert sorted(events(called)) == ["acknowledge", "resolve", "trigger"]
    key = delivery_key(alert.event_id, "duty")
    assert {body["dedup_key"] for body in called.receiver.bodies} == {key}
    acts = [(a.act, a.actor) for a in called.store.acts.since(0)]
    assert acts == [("ack", "mara"), ("resolve", "mara")]


def test_what_was_not_sent_yet_is_cancelled(called: Deployment) -> None:
    taken, over = tell(called, "duty"), tell(called, "duty", "incident-2")
    acknowledge(called.services, taken.number, "mara")
    resolve(called.services, over.event_id, "mara")
    assert deliver(called) == 0
    states = {called.store.outbox.get(a.number).state for a in (taken, over)}
    assert states == {AlertState.CANCELLED}
    assert called.receiver.bodies == []


def returned(kind: str, alert: Alert) -> tuple[bytes, str]:
    key = delivery_key(alert.event_id, alert.channel)
    told = {"event_type": kind, "agent": {"summary": "Noor"}, "data": {"incident_key": key}}
    body = json.dumps({"event": told}).encode()
    return body, "v1=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def test_an_acknowledgement_comes_back_and_is_not_sent_out_again(called: Deployment) -> None:
    alert = tell(called, "duty")
    deliver(called)
    for kind in ("incident.acknowledged", "incident.resolved") * 2:
        line = take_pagerduty(called.services, *returned(kind, alert), read_env)
        assert line.endswith(f"alert {alert.number}")
    found = called.store.outbox.get(alert.number)
    assert (found.acked_by, found.resolved_by) == ("pagerduty:Noor", "pagerduty:Noor")
    assert deliver(called) == 0
    assert events(called) == ["trigger"]


def test_a_request_that_nobody_signed_changes_nothing(called: Deployment) -> None:
    alert = tell(called, "duty")
    body, signature = returned("incident.acknowledged", alert)
    for forged in ("", "v1=", signature[:-1], signature + "0"):
        with pytest.raises(WebhookRefusedError):
            take_pagerduty(called.services, body, forged, read_env)
    with pytest.raises(WebhookRefusedError):
        take_pagerduty(called.services, body + b" " * 600_000, signature, read_env)
    assert called.store.outbox.get(alert.number).acked_at is None
    stranger = replace(alert, event_id="0" * 64)
    line = take_pagerduty(called.services, *returned("incident.resolved", stranger), read_env)
    assert line == "no alert has that key"


def test_a_document_that_is_seen_again_ends_its_incident(called: Deployment) -> None:
    name = DocumentId("policy")
    called.check(name)
    page = html("Access logs are kept for 30 days in every system.")
    for _ in range(3):
        called.clock.pass_time(hours=6)
        called.check(name, replace(html("Down"), status=HTTPStatus.SERVICE_UNAVAILABLE))
    assert deliver(called) == 3
    called.receiver.bodies.clear()
    called.clock.pass_time(hours=6)
    called.check(name, page)
    deliver(called)
    assert "resolve" in events(called)
