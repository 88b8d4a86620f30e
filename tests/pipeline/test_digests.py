"""Storms and what can wait: many alerts in one message."""

from __future__ import annotations

import asyncio

from tests.pipeline.deployment import Deployment, html
from watcher.pipeline.deliver import STORM, build_senders, deliver_digests
from watcher.store.rows import AlertState

POLICY = (
    "Access logs are kept for 30 days and then deleted from every system that we run.",
    "We may charge you a different amount where the law of your country asks us to do so.",
    "Exceptions need the written approval of the data protection officer of the company.",
)
RAISED = (POLICY[0].replace("30", "90"), *POLICY[1:])
MANY = STORM + 3


def storm(deployment: Deployment) -> None:
    """Let the same thing happen to many documents at once."""
    names = [deployment.watch(f"policy-{n}", html(*POLICY), "confirm = false") for n in range(MANY)]
    for name in names:
        deployment.check(name)
    deployment.cite(names[0], "Access logs are kept for 30 days")
    deployment.clock.pass_time(hours=6)
    for name in names:
        deployment.check(name, html(*RAISED))


def send_digests(deployment: Deployment) -> None:
    services = deployment.services
    asyncio.run(deliver_digests(services, build_senders(services.settings)))


def test_a_storm_is_one_message_and_every_alert_in_it_is_delivered(
    deployment: Deployment,
) -> None:
    storm(deployment)
    assert deployment.deliver() == MANY
    (told,) = deployment.receiver.bodies
    assert told["schema"] == "watcher.digest/1"
    assert told["reason"] == "storm"
    assert len({entry["key"] for entry in told["entries"]}) == MANY
    assert "policy-bearing change" in told["entries"][0]["summary"]
    assert told["answers_affected"] == 1
    assert "1 answer affected" in told["summary"]
    alerts = deployment.store.outbox.list()
    assert [alert.state for alert in alerts] == [AlertState.DELIVERED] * MANY
    assert deployment.deliver() == 0


def test_a_storm_that_fails_comes_back_as_one_message(deployment: Deployment) -> None:
    storm(deployment)
    deployment.receiver.answers = [503]
    assert deployment.deliver() == MANY
    assert not deployment.receiver.bodies
    due = {alert.not_before for alert in deployment.store.outbox.list()}
    assert len(due) == 1, "what was sent together comes back together"
    deployment.clock.pass_time(seconds=10)
    assert deployment.deliver() == MANY
    assert len(deployment.receiver.bodies) == 1


def test_few_alerts_keep_their_own_messages(deployment: Deployment) -> None:
    names = [deployment.watch(f"p-{n}", html(*POLICY), "confirm = false") for n in range(2)]
    for name in names:
        deployment.check(name)
    deployment.clock.pass_time(hours=6)
    for name in names:
        deployment.check(name, html(*RAISED))
    assert deployment.deliver() == 2
    assert {body["schema"] for body in deployment.receiver.bodies} == {"watcher.alert/1"}


def test_a_change_that_was_taken_back_is_told_within_a_day(deployment: Deployment) -> None:
    name = deployment.watch("flapping", html(*POLICY))
    deployment.check(name)
    deployment.clock.pass_time(hours=6)
    deployment.check(name, html(*RAISED))
    deployment.clock.pass_time(minutes=2)
    deployment.check(name, html(*POLICY))
    assert {alert.state for alert in deployment.store.outbox.list()} == {AlertState.DIGEST}

    send_digests(deployment)
    assert not deployment.receiver.bodies, "it waits for company"
    deployment.clock.pass_time(days=1, minutes=1)
    deployment.receiver.answers = [503]
    send_digests(deployment)
    assert not deployment.receiver.bodies
    send_digests(deployment)
    send_digests(deployment)
    (told,) = deployment.receiver.bodies
    assert told["reason"] == "routine"
    assert {entry["document_id"] for entry in told["entries"]} == {"flapping"}
    (entry,) = told["entries"]
    assert "reverted" in entry["summary"]
    assert {alert.state for alert in deployment.store.outbox.list()} == {AlertState.DELIVERED}


def test_a_ticket_waits_for_the_morning_and_is_not_late(deployment: Deployment) -> None:
    with deployment.config.open("a", encoding="utf-8") as config:
        config.write('[channels.quiet]\nstart = "00:00"\nend = "07:00"\n')
    ticket = deployment.watch("ticket", html(*POLICY), "confirm = false")
    page = deployment.watch("page", html(*POLICY), "confirm = false", 'severity = "page"')
    for name in (ticket, page):
        deployment.check(name)
    deployment.clock.pass_time(minutes=5)
    for name in (ticket, page):
        deployment.check(name, html(*RAISED))
    assert deployment.deliver() == 2
    assert [body["document_id"] for body in deployment.receiver.bodies] == ["page"]
    morning = deployment.clock.now().replace(hour=7, minute=0)
    assert deployment.store.counts().oldest_pending == morning
    deployment.clock.time = morning
    assert deployment.deliver() == 1
    assert deployment.receiver.bodies[1]["document_id"] == "ticket"
    assert {alert.state for alert in deployment.store.outbox.list()} == {AlertState.DELIVERED}


def test_a_flap_is_one_entry_that_names_its_alternatives(deployment: Deployment) -> None:
    name = deployment.watch("flapping", html(*POLICY))
    deployment.check(name)
    for texts in (RAISED, POLICY, RAISED, POLICY):
        deployment.clock.pass_time(minutes=2)
        deployment.check(name, html(*texts))
    versions = [version.version for version in deployment.store.versions.list(name)]
    assert len(deployment.store.outbox.list()) == 4
    deployment.clock.pass_time(days=1)
    send_digests(deployment)
    (told,) = deployment.receiver.bodies
    (entry,) = told["entries"]
    assert "goes to and fro between" in entry["summary"]
    assert "taken back 2 times" in entry["summary"]
    assert all(version[:19] in entry["summary"] for version in versions)
    assert {alert.state for alert in deployment.store.outbox.list()} == {AlertState.DELIVERED}


def test_a_digest_goes_out_once_a_day_at_its_time(deployment: Deployment) -> None:
    with deployment.config.open("a", encoding="utf-8") as config:
        config.write('[channels.digest]\nat = "09:00"\ntimezone = "Europe/Berlin"\n')
    name = deployment.watch("flapping", html(*POLICY))
    deployment.check(name)
    for hour, sent in ((5, 0), (7, 1), (8, 1), (30, 1), (31, 2)):
        deployment.clock.time = deployment.clock.time.replace(
            day=12 + hour // 24, hour=hour % 24, minute=0
        )
        send_digests(deployment)
        assert len(deployment.receiver.bodies) == sent, hour
        if hour in {5, 8}:
            for texts in (RAISED, POLICY):
                deployment.clock.pass_time(minutes=2)
                deployment.check(name, html(*texts))
