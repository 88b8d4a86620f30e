from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from watcher.alert.alertmanager import alertmanager_alert
from watcher.alert.digest import Digest, DigestEntry, DigestReason, digest_key
from watcher.alert.message import AlertMessage, Answer, TouchedCitation
from watcher.alert.notice import Notice, NoticeKind
from watcher.alert.pagerduty import pagerduty_event
from watcher.alert.render import render_payload, render_text
from watcher.alert.slack import slack_message
from watcher.domain.changes import ChangeClass, Severity, Tier
from watcher.domain.ids import CitationId, DocumentId, VersionId
from watcher.domain.statements import Status

CHANGE = AlertMessage(
    change_id="c" * 64,
    document_id=DocumentId("retention-policy"),
    title="",
    owner="legal",
    change_class=ChangeClass.POLICY_BEARING,
    tier=Tier.PAGE,
    severity=Severity.PAGE,
    headline="SECRET became SECRET",
    reasons=(),
    facets=("duration",),
    from_version=VersionId("sha256:" + "a" * 64),
    to_version=VersionId("sha256:" + "b" * 64),
    excerpts=(),
    citations=(
        TouchedCitation(CitationId("c1" + "a" * 32), Status.GONE, (Answer("helpdesk", "a-1", 0),)),
    ),
    observed_at="2026-05-12T02:13:00+00:00",
    link="watcher diff retention-policy",
)
NOTICE = Notice(
    event_id="e" * 64,
    kind=NoticeKind.REFUSED,
    document_id=DocumentId("dpa"),
    title="",
    owner="security",
    severity=Severity.TICKET,
    reason="soft_404",
    message="it answers that there is no such page",
    hint="",
    observed_at="2026-05-12T02:15:00+00:00",
    link="watcher show dpa",
)


def digest(*messages: AlertMessage | Notice, reason: DigestReason = DigestReason.STORM) -> Digest:
    entries = tuple(DigestEntry(f"wa1-{n}", message) for n, message in enumerate(messages))
    return Digest(reason, entries, "watcher alerts list")


def test_the_first_line_says_what_to_do_and_how_many_answers_are_affected() -> None:
    storm = digest(NOTICE, CHANGE, replace(CHANGE, severity=Severity.TICKET))
    assert storm.first_line == (
        "Look through 3 alerts about 2 documents: 1 page, 2 ticket; 1 answer affected"
    )
    routine = digest(CHANGE, reason=DigestReason.ROUTINE)
    assert routine.first_line == (
        "Note 1 alert about retention-policy: none needed anybody at once"
    )


def test_a_digest_is_as_urgent_as_its_most_urgent_entry() -> None:
    mixed = digest(NOTICE, CHANGE)
    assert mixed.severity is Severity.PAGE
    assert mixed.observed_at == NOTICE.observed_at
    assert mixed.owner == ""
    assert digest(NOTICE).owner == "security"
    text = render_text(mixed, "k").splitlines()
    assert text[1].startswith("- page: ")
    assert "watcher diff retention-policy" in text[2]


def test_every_entry_keeps_its_own_key_in_the_payload() -> None:
    payload = json.loads(json.dumps(render_payload(digest(NOTICE, CHANGE), "k")))
    assert payload["schema"] == "watcher.digest/1"
    assert [entry["key"] for entry in payload["entries"]] == ["wa1-1", "wa1-0"]
    assert payload["answers_affected"] == 1


def test_a_withheld_digest_holds_no_word_of_a_document() -> None:
    held = digest(CHANGE, NOTICE).withheld()
    assert "SECRET" in render_text(digest(CHANGE), "k")
    assert "SECRET" not in render_text(held, "k") + json.dumps(render_payload(held, "k"))


def test_a_storm_is_bounded_everywhere() -> None:
    storm = digest(*[replace(CHANGE, headline="x" * 5000)] * 1000)
    text = render_text(storm, "k")
    assert "... and 950 more" in text
    payload = render_payload(storm, "k")
    assert payload["entries_left_out"] == 500
    event = pagerduty_event(storm, "k")
    assert len(json.dumps(event)) < 512 * 1024
    assert len(json.dumps(slack_message(storm, "k"))) < 20_000


@pytest.mark.parametrize("message", [digest(CHANGE, NOTICE), digest(NOTICE)])
def test_services_take_a_digest(message: Digest) -> None:
    alert = json.loads(json.dumps(alertmanager_alert(message, "k", datetime.now(UTC))))
    assert alert["labels"]["alertname"] == "DocumentDigest"
    assert alert["labels"]["document_id"] == message.subject
    assert json.loads(json.dumps(pagerduty_event(message, "k")))["payload"]["class"] == "digest"


def test_a_digest_of_the_same_entries_has_the_same_key() -> None:
    assert digest_key(["a", "b"]) == digest_key(["b", "a"]) != digest_key(["a"])
