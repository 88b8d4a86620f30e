"""Silences: what they need, what they match, and that they are never silent themselves."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from tests.store.store_bench import DOCUMENT, Bench, day
from watcher.domain.changes import Severity
from watcher.store import AlertKind, AlertState, NewAlert
from watcher.store.errors import SilenceError, UnknownSilenceError
from watcher.store.rows.operating import NewSilence

SAID = NewSilence(day(1), day(3), "mara", "site moves", document_id=DOCUMENT)


@pytest.mark.parametrize(
    "missing",
    [{"actor": " "}, {"reason": ""}, {"ends_at": day(1)}, {"document_id": None}],
    ids=lambda change: next(iter(change)),
)
def test_a_silence_says_who_why_how_long_and_what(
    bench: Bench, missing: dict[str, str | datetime | None]
) -> None:
    with pytest.raises(SilenceError):
        bench.store.silences.add(replace(SAID, **missing))  # type: ignore[arg-type]
    assert bench.store.silences.list() == ()
    assert bench.store.acts.list() == ()


def test_a_silence_ends_by_itself_or_by_a_person_and_both_are_on_record(bench: Bench) -> None:
    silences = bench.store.silences
    first, second = silences.add(SAID), silences.add(replace(SAID, reason="again"))
    assert silences.active(day(2)) == (first, second)
    assert silences.active(day(0)) == silences.active(day(3)) == ()
    ended = silences.end(first.number, at=day(2), actor="noor", reason="done")
    assert (ended.ended_at, ended.ended_by) == (day(2), "noor")
    assert silences.end(first.number, at=day(2.5), actor="else", reason="") == ended
    assert silences.end(second.number, at=day(4), actor="else", reason="").ended_at is None
    assert silences.active(day(2)) == (second,)
    acts = [(a.act, a.actor, a.reason, a.document_id) for a in bench.store.acts.since(0)]
    assert acts == [
        ("silence", "mara", "site moves", DOCUMENT),
        ("silence", "mara", "again", DOCUMENT),
        ("unsilence", "noor", "done", DOCUMENT),
    ]
    with pytest.raises(UnknownSilenceError):
        silences.get(99)


def test_a_silenced_alert_waits_for_the_digest_and_says_why(bench: Bench) -> None:
    outbox, silence = bench.store.outbox, bench.store.silences.add(SAID)
    for name in ("a", "b"):
        outbox.add([NewAlert(name, "ops", AlertKind.HELD, DOCUMENT, Severity.PAGE, day(1), day(1))])
    first, second = outbox.claim_due(day(2), limit=9, lease_seconds=60)
    assert silence.said.matches(first)
    assert not replace(SAID, kind=AlertKind.REFUSED).matches(first)
    assert replace(SAID, key="a").matches(first)
    assert not replace(SAID, key="a").matches(second)
    outbox.silence(first.number, silence.number, at=day(2))
    outbox.silence(first.number, silence.number, at=day(2))
    found = outbox.get(first.number)
    assert (found.state, found.silence) == (AlertState.DIGEST, silence.number)
    assert outbox.digest("ops") == (found,)
    assert outbox.claim_due(day(9), limit=9, lease_seconds=60) == (outbox.get(second.number),)


def test_an_event_is_resolved_once(bench: Bench) -> None:
    outbox = bench.store.outbox
    for channel in ("ops", "mail"):
        outbox.add(
            [NewAlert("e", channel, AlertKind.HELD, DOCUMENT, Severity.PAGE, day(1), day(1))]
        )
    assert {a.channel for a in outbox.resolve("e", at=day(2), by="mara")} == {"ops", "mail"}
    assert outbox.resolve("e", at=day(3), by="else") == ()
    assert {(a.resolved_at, a.resolved_by) for a in outbox.list()} == {(day(2), "mara")}
