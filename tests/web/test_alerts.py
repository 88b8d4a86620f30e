"""Alerts over HTTP: listed whole, opened by their links, answered by PagerDuty."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pipeline.deployment import html
from tests.web.conftest import Served, configured, served_deployment
from watcher.alert.message import delivery_key
from watcher.alert.pagerduty_webhook import SIGNATURE_HEADER
from watcher.pipeline.deliver import build_senders, deliver_due
from watcher.web.paging import newest

SECRET = "of-the-webhook"
HOOK = "/api/v1/webhooks/pagerduty"


@dataclass(frozen=True)
class Row:
    number: int


@given(st.integers(0, 3500), st.integers(1, 5), st.integers(200, 1000))
def test_pages_together_give_every_row_that_may_be_seen(rows: int, every: int, limit: int) -> None:
    def read(before: int | None, most: int) -> Sequence[Row]:
        top = rows if before is None else before - 1
        return [Row(number) for number in range(top, max(0, top - most), -1)]

    def seen(found: Sequence[Row]) -> Sequence[Row]:
        return [row for row in found if row.number % every == 0]

    numbers, after = [], ""
    while True:
        page, more = newest(read, seen, after, limit)
        numbers += [row.number for row in page]
        if more is None:
            break
        after = more
    assert numbers == [number for number in range(rows, 0, -1) if number % every == 0]


@pytest.fixture(scope="module")
def alerted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROUTING", "routing-key")
        patch.setenv("BACK", SECRET)
        with served_deployment(tmp_path_factory.mktemp("alerts")) as made:
            deployment = made.deployment
            channel = (
                '[[channels]]\nname = "duty"\nkind = "pagerduty"\nrouting_key = "env:ROUTING"\n'
                f'webhook_secret = "env:BACK"\nurl = "{deployment.receiver.url}"\n'
                '[links]\nbase = "http://watcher.example"\n'
            )
            with configured(made, channel):
                name = deployment.watch(
                    "retention", html("Logs must be kept for 365 days."), 'severity = "page"'
                )
                deployment.check(name)
                deployment.cite(name, "365 days", "a-1")
                deployment.check(name, html("Logs must be kept for 30 days."))
                yield made


def signed(key: str, kind: str) -> tuple[bytes, dict[str, str]]:
    event = {"event_type": kind, "agent": {"summary": "Noor"}, "data": {"incident_key": key}}
    body = json.dumps({"event": event}).encode()
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return body, {SIGNATURE_HEADER: f"v1={digest}"}


def test_the_links_of_an_alert_open_and_hold_no_text(alerted: Served) -> None:
    services = alerted.deployment.services
    alerted.deployment.clock.pass_time(hours=6)
    asyncio.run(deliver_due(services, build_senders(services.settings)))
    (change,) = alerted.http.get("/api/v1/changes").json()["items"]
    place = f"/changes/{change['change_id']}"
    told = json.dumps(alerted.deployment.receiver.bodies)
    assert f"http://watcher.example{place}" in told
    (cited,) = alerted.http.get("/api/v1/documents/retention/citations").json()["items"]
    for opened in (place, f"/citations/{cited['citation_id']}"):
        assert alerted.http.get(opened).status_code == 200
        assert alerted.http.get(f"/api/v1{opened}").status_code == 200


def test_pagerduty_acknowledges_an_alert_by_a_signed_request(alerted: Served) -> None:
    alerts = alerted.http.get("/api/v1/alerts").json()["items"]
    (row,) = [alert for alert in alerts if alert["channel"] == "duty"]
    alert = alerted.deployment.store.outbox.get(row["number"])
    body, headers = signed(delivery_key(alert.event_id, "duty"), "incident.acknowledged")
    forged = alerted.http.post(HOOK, content=body + b" ", headers=headers)
    assert (forged.status_code, forged.json()["code"]) == (403, "webhook_refused")
    assert alerted.deployment.store.outbox.get(alert.number).acked_at is None
    for _ in range(2):
        taken = alerted.http.post(HOOK, content=body, headers=headers)
        assert taken.json() == {"outcome": f"acknowledged alert {alert.number}"}
    assert alerted.http.get(f"/api/v1/alerts/{alert.number}").json()["acked_by"] == "pagerduty:Noor"
    no_event, headers = b"{}", {SIGNATURE_HEADER: ""}
    assert alerted.http.post(HOOK, content=no_event, headers=headers).status_code == 403


def test_forged_requests_from_one_address_are_limited(alerted: Served) -> None:
    codes = {alerted.http.post(HOOK, content=b"{}").json()["code"] for _ in range(40)}
    assert codes == {"webhook_refused", "rate_limited"}
