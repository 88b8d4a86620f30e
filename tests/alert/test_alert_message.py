from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.alert.delivery import (
    LONGEST_DELAY,
    LONGEST_WISH,
    MOST_ATTEMPTS,
    next_attempt,
    parse_retry_after,
)
from watcher.alert.message import (
    AlertMessage,
    Answer,
    Excerpt,
    Passage,
    TouchedCitation,
    delivery_key,
)
from watcher.alert.render import one_line, render_payload, render_text, visible
from watcher.domain.changes import ChangeClass, Severity, Tier
from watcher.domain.ids import CitationId, DocumentId, VersionId
from watcher.domain.statements import Status

OLD, NEW = VersionId("sha256:" + "a" * 64), VersionId("sha256:" + "b" * 64)


def passage(text: str | None, version: VersionId = OLD) -> Passage:
    return Passage(version, page=18, start=12480, end=12566, text=text)


def message() -> AlertMessage:
    return AlertMessage(
        change_id="c" * 64,
        document_id=DocumentId("retention-policy"),
        title="Retention Policy",
        owner="legal@example.org",
        change_class=ChangeClass.POLICY_BEARING,
        tier=Tier.TICKET,
        severity=Severity.TICKET,
        headline="30 days became 90 days",
        reasons=("a number of a duration changed",),
        facets=("duration", "number"),
        from_version=OLD,
        to_version=NEW,
        excerpts=(
            Excerpt(
                passage("kept for 30 days"),
                passage("kept for 90 days", NEW),
                ChangeClass.POLICY_BEARING,
                "30 -> 90",
            ),
        ),
        citations=(
            TouchedCitation(
                CitationId("c1" + "a" * 32),
                Status.EDITED,
                (Answer("helpdesk", "a-1", 0), Answer("helpdesk", "a-1", 1)),
            ),
            TouchedCitation(
                CitationId("c1" + "b" * 32), Status.GONE, (Answer("helpdesk", "a-2", 0),)
            ),
        ),
        observed_at="2026-05-12T02:13:00Z",
        link="http://127.0.0.1:8765/changes/cc",
    )


def test_the_first_line_says_what_to_do_and_how_many_answers_are_affected() -> None:
    assert message().first_line == (
        "Re-check 2 answers that cite Retention Policy: 30 days became 90 days"
    )
    one = replace(message(), citations=message().citations[1:], unconfirmed=True)
    assert one.first_line.startswith("Unconfirmed. Re-check 1 answer that cites Retention Policy")
    none = replace(message(), citations=(), title="")
    assert none.first_line == (
        "Review retention-policy: 30 days became 90 days (no answer is affected)"
    )
    assert replace(none, severity=Severity.INFO).first_line.startswith("Note retention-policy")


def test_the_text_carries_everything_a_reader_needs() -> None:
    text = render_text(message(), "wa1-key")
    assert text.splitlines()[0] == message().first_line
    for needed in (
        "policy-bearing",
        "legal@example.org",
        OLD,
        NEW,
        "page 18, bytes 12480:12566",
        "| kept for 30 days",
        "| kept for 90 days",
        "a number of a duration changed",
        "c1" + "a" * 32,
        "helpdesk/a-2",
        "http://127.0.0.1:8765/changes/cc",
        "wa1-key",
    ):
        assert needed in text
    assert "raised" not in text
    assert "raised because live answers cite it" in render_text(
        replace(message(), severity=Severity.PAGE), "k"
    )


def test_a_severity_that_was_lowered_is_not_called_raised() -> None:
    assert "raised" not in render_text(
        replace(message(), tier=Tier.PAGE, severity=Severity.TICKET), "k"
    )


@pytest.mark.parametrize(("touched", "told"), [(2, None), (10, None), (13, "... and 3 more")])
def test_what_is_left_out_is_counted_only_where_something_is(
    touched: int, told: str | None
) -> None:
    citation = message().citations[0]
    text = render_text(replace(message(), citations=(citation,) * touched, excerpts=()), "k")
    assert (told in text) if told else ("more, see the link" not in text)


def test_an_unconfirmed_alert_says_so_and_an_inserted_passage_has_nothing_before() -> None:
    only_new = Excerpt(None, passage("new", NEW), ChangeClass.POLICY_BEARING)
    text = render_text(replace(message(), unconfirmed=True, excerpts=(only_new,)), "k")
    assert "No second fetch agreed" in text
    assert "before: nothing" in text


def test_a_withheld_alert_holds_no_word_of_the_document() -> None:
    secret = replace(message(), headline="SECRET", reasons=("SECRET",))
    secret = replace(
        secret, excerpts=(Excerpt(passage("SECRET"), None, ChangeClass.EDITORIAL, "SECRET"),)
    )
    text = render_text(secret.withheld(), "k")
    payload = json.dumps(render_payload(secret.withheld(), "k"))
    assert "SECRET" in render_text(secret, "k")
    assert "SECRET" not in text + payload
    assert "page 18, bytes 12480:12566" in text
    assert "policy-bearing change (duration, number)" in text


def test_hostile_text_cannot_move_the_cursor_reorder_or_forge_lines() -> None:
    hostile = "safe\x1b[2J\x07\u202egnirts\u2066\r\u2028key  forged\u200b"
    found = replace(
        message(),
        headline=hostile,
        owner="a\nopen http://evil",
        excerpts=(Excerpt(passage(hostile), None, ChangeClass.EDITORIAL, hostile),),
    )
    text = render_text(found, "k")
    assert not set(text) & set("\x1b\x07\u202e\u2066\r\u2028\u200b")
    assert "<U+202E>" in text
    assert not any(
        line.startswith(("open http://evil", "key  forged")) for line in text.split("\n")
    )


@settings(deadline=None, max_examples=200)
@given(st.text())
def test_visible_is_stable_and_holds_no_control(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert not any(ord(c) < 0x20 and c not in "\n\t" for c in shown)
    assert "\n" not in one_line(text, 50)
    assert len(one_line(text, 50)) <= 50


def test_the_payload_is_bounded_and_counts_what_it_leaves_out() -> None:
    many = replace(
        message(),
        excerpts=message().excerpts * 60
        + (Excerpt(passage("x" * 9000), None, ChangeClass.EDITORIAL),),
        citations=tuple(
            TouchedCitation(
                CitationId("c1" + "a" * 32),
                Status.GONE,
                tuple(Answer("s", f"{c}-{n}", 0) for n in range(500)),
            )
            for c in range(5)
        ),
    )
    payload = render_payload(many, "k")
    assert payload["answers_affected"] == 2500
    assert payload["answers_left_out"] == 1500
    assert payload["excerpts_left_out"] == 21
    text = render_text(many, "k")
    assert "... and 53 more, see the link" in text
    assert "and 495 more" in text


def test_a_clipped_passage_says_so() -> None:
    long = replace(message(), excerpts=(Excerpt(passage("x" * 9000), None, ChangeClass.EDITORIAL),))
    (excerpt,) = json.loads(json.dumps(render_payload(long, "k")))["excerpts"]
    assert excerpt["before"]["clipped"] is True
    assert len(excerpt["before"]["text"]) == 4000
    assert "characters" in render_text(long, "k")


def test_the_payload_names_schema_range_unit_and_answers() -> None:
    payload = json.loads(json.dumps(render_payload(message(), "k")))
    assert payload["schema"] == "watcher.alert/1"
    assert payload["excerpts"][0]["after"] == {
        "version": NEW,
        "page": 18,
        "start": 12480,
        "end": 12566,
        "unit": "utf-8-bytes",
        "text": "kept for 90 days",
        "clipped": False,
    }
    assert payload["citations"][1]["answers"] == [
        {"caller": "helpdesk", "answer_id": "a-2", "ordinal": 0}
    ]
    assert payload["confirmed"] is True


def test_a_key_is_stable_for_a_change_and_a_channel() -> None:
    assert delivery_key("a" * 64, "ops") == delivery_key("a" * 64, "ops")
    keys = {delivery_key(c * 64, ch) for c in "ab" for ch in ("ops", "legal")}
    assert len(keys) == 4
    assert all(len(key) <= 64 for key in keys)


@given(st.integers(1, MOST_ATTEMPTS - 1), st.none() | st.floats(0, 1e9), st.text(max_size=20))
def test_delays_grow_stay_bounded_and_honour_the_receiver(
    attempts: int, wish: float | None, key: str
) -> None:
    delay = next_attempt(attempts, wish, key)
    assert delay is not None
    assert 5 <= delay <= max(LONGEST_DELAY, LONGEST_WISH) * 1.25
    assert wish is None or delay >= min(wish, LONGEST_WISH)
    assert delay == next_attempt(attempts, wish, key)


def test_delays_outlast_a_weekend_and_end() -> None:
    delays = [next_attempt(n, None, "k") for n in range(1, MOST_ATTEMPTS)]
    assert sum(delay for delay in delays if delay is not None) > 2.5 * 86400
    assert next_attempt(MOST_ATTEMPTS, None, "k") is None


def test_deliveries_that_failed_together_do_not_come_back_together() -> None:
    assert len({next_attempt(8, None, f"k{n}") for n in range(50)}) == 50


NOW = datetime(2026, 5, 12, 2, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Tue, 12 May 2026 02:14:00 GMT", 60.0),
        ("Tue, 12 May 2026 02:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("", None),
        ("Tue, 99 May 2026", None),
    ],
)
def test_retry_after_is_read_in_both_forms(header: str | None, seconds: float | None) -> None:
    assert parse_retry_after(header, NOW) == seconds
