"""Acknowledgements that come back from PagerDuty: only signed ones, in any order, once."""

from __future__ import annotations

import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watcher.alert.delivery import Step
from watcher.alert.pagerduty_webhook import Returned, WebhookRefusedError, is_signed, parse

SECRET = "whsec-of-pagerduty"


def event(kind: str = "incident.acknowledged", key: object = "wa1-0123", **more: object) -> bytes:
    """An event of the webhooks v3, in the form of PagerDuty's documentation."""
    data = {"id": "PGR0VU2", "type": "incident", "status": "acknowledged", "incident_key": key}
    agent = {"id": "PLH1HKV", "summary": "Tenex Engineer", "type": "user_reference"}
    told = {
        "id": "5ac64822-4adc-4fda-ade0-410becf0de4f",
        "event_type": kind,
        "resource_type": "incident",
        "occurred_at": "2026-10-02T18:45:22.169Z",
        "agent": agent,
        "client": None,
        "data": data,
        **more,
    }
    return json.dumps({"event": told}).encode()


def signature(body: bytes, secret: str = SECRET) -> str:
    return "v1=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_what_pagerduty_tells_is_read() -> None:
    by = "pagerduty:Tenex Engineer"
    assert parse(event()) == Returned(Step.ACKNOWLEDGED, "wa1-0123", by)
    assert parse(event("incident.resolved")) == Returned(Step.RESOLVED, "wa1-0123", by)
    assert parse(event(agent=None)) == Returned(Step.ACKNOWLEDGED, "wa1-0123", "pagerduty:somebody")


@pytest.mark.parametrize(
    "body", [event("incident.triggered"), event("pagey.ping"), event(key=None), event(key="")]
)
def test_what_concerns_no_alert_is_let_pass(body: bytes) -> None:
    assert parse(body) is None


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"event": 1}', b"\xff", b"[" * 100_000, event(key=["x"])]
)
def test_what_is_no_event_is_refused(body: bytes) -> None:
    with pytest.raises(WebhookRefusedError):
        parse(body)


def test_one_of_several_signatures_is_enough_while_a_secret_is_changed() -> None:
    body = event()
    assert is_signed(SECRET, body, signature(body))
    assert is_signed(SECRET, body, f"{signature(body, 'old')}, {signature(body)}")
    many = ",".join([signature(body, "old")] * 50)
    assert not is_signed(SECRET, body, f"{many},{signature(body)}")


@given(st.text(max_size=200))
def test_no_other_header_passes(header: str) -> None:
    body = event()
    assert not is_signed(SECRET, body, header)
    assert not is_signed(SECRET, body + b" ", signature(body))
    assert not is_signed("another", body, signature(body))
    assert not is_signed(SECRET, body, signature(body).removeprefix("v1="))
