"""Documents, leases, changes, the outbox and incidents: work that is resumed, never doubled."""

from __future__ import annotations

import pytest

from tests.store.store_bench import DOCUMENT, START, URL, Bench, day
from watcher.align.model import TextMap
from watcher.domain.changes import (
    Atom,
    ChangeClass,
    Classification,
    Hunk,
    HunkKind,
    ScoreComponent,
    Severity,
    Tier,
)
from watcher.domain.ids import DocumentId
from watcher.domain.ranges import Range
from watcher.domain.resolution import HashMismatchError, UnknownDocumentError
from watcher.store import (
    AlertKind,
    AlertState,
    ChangeState,
    ChangeStateError,
    DeclaredDocument,
    DocumentBusyError,
    DocumentState,
    NewAlert,
    OperatorAct,
    StaleLeaseError,
    UnknownAlertError,
    UnknownCaptureError,
    UnknownChangeError,
)

OLD, NEW = "It is kept for 30 days.\n", "It is kept for 90 days.\n"


def declared(name: str, title: str = "T", digest: str = "d") -> DeclaredDocument:
    return DeclaredDocument(DocumentId(name), title, (URL,), digest)


def test_sync_adds_changes_retires_and_revives(bench: Bench) -> None:
    documents = bench.store.documents
    documents.put(DeclaredDocument(DocumentId("by-hand"), "T", (), ""), START)
    first = documents.sync([declared("a"), declared("b")], day(1))
    assert (first.added, first.retired) == (("a", "b"), (DOCUMENT,))
    assert documents.get(DOCUMENT).state is DocumentState.RETIRED
    assert documents.get(DocumentId("by-hand")).state is DocumentState.ACTIVE
    second = documents.sync([declared("a", "new"), declared(DOCUMENT)], day(2))
    assert (second.added, second.changed, second.revived, second.retired) == (
        (),
        ("a",),
        (DOCUMENT,),
        ("b",),
    )
    assert documents.get(DocumentId("a")).title == "new"
    assert documents.sync([declared("a", "new"), declared(DOCUMENT)], day(3)) == type(second)()


def test_due_documents_are_leased_once_and_in_order(bench: Bench) -> None:
    documents = bench.store.documents
    documents.sync([declared("a"), declared("b"), declared("c"), declared("d")], day(0))
    for number, name in enumerate(["c", "a", "b"]):
        documents.schedule(DocumentId(name), day(number))
    documents.schedule(DocumentId("d"), day(9))
    first = documents.claim_due(day(3), limit=2, lease_seconds=60, owner="w")
    second = documents.claim_due(day(3), limit=5, lease_seconds=60, owner="w")
    assert [leased.document.document_id for leased in first] == ["c", "a"]
    assert [leased.document.document_id for leased in second] == ["b"]
    with pytest.raises(DocumentBusyError):
        documents.claim(DocumentId("a"), day(3), lease_seconds=60, owner="x")
    again = documents.claim_due(day(4), limit=5, lease_seconds=60, owner="w")
    assert len(again) == 3
    with pytest.raises(StaleLeaseError):
        documents.renew(first[0].lease, day(4), 60)
    for leased in again:
        documents.release(leased.lease, next_check=day(8), fails=2)
    assert documents.claim_due(day(5), limit=5, lease_seconds=60, owner="w") == ()
    assert documents.get(DocumentId("a")).fails == 2
    with pytest.raises(StaleLeaseError):
        documents.release(again[0].lease, next_check=None, fails=0)


def test_a_renewed_lease_lasts(bench: Bench) -> None:
    leased = bench.store.documents.claim(DOCUMENT, day(1), lease_seconds=60, owner="w")
    renewed = bench.store.documents.renew(leased.lease, day(2), 60)
    with pytest.raises(DocumentBusyError):
        bench.store.documents.claim(DOCUMENT, day(2), lease_seconds=60, owner="x")
    bench.store.documents.release(renewed, next_check=None, fails=0)


def test_unknown_documents_are_said_so(bench: Bench) -> None:
    for ask in (
        bench.store.documents.get,
        bench.store.versions.current,
        bench.store.versions.list,
        lambda name: bench.store.documents.schedule(name, day(0)),
        lambda name: bench.store.documents.claim(name, day(0), lease_seconds=1, owner="w"),
    ):
        with pytest.raises(UnknownDocumentError):
            ask(DocumentId("nobody"))
    with pytest.raises(UnknownCaptureError):
        bench.store.captures.get("k1-x")
    with pytest.raises(UnknownCaptureError):
        bench.store.captures.reading("g1-x")


def judged() -> Classification:
    atom = Atom(
        Range(15, 17), Range(15, 17), ChangeClass.POLICY_BEARING, "unproven", ("number",), 0.5, "w"
    )
    hunk = Hunk(HunkKind.REPLACED, Range(0, 24), Range(0, 24), ChangeClass.POLICY_BEARING, (atom,))
    return Classification(
        ChangeClass.POLICY_BEARING,
        Tier.PAGE,
        0.7,
        (ScoreComponent("atoms", 0.5), ScoreComponent("sections", 0.2)),
        ("number",),
        "30 became 90",
        ("30 days became 90 days",),
        (hunk, hunk),
        "en/1",
    )


MAP = TextMap.of(24, 24, [(0, 15, 0, 15, 0), (17, 24, 17, 24, 0)], "align/1", complete=False)


def a_change(bench: Bench) -> str:
    bench.commit(OLD, day(0))
    name = bench.commit(NEW, day(1)).change_id
    assert name is not None
    return name


def alert(name: str, channel: str = "ops", **fields: object) -> NewAlert:
    return NewAlert(
        name,
        channel,
        AlertKind.CHANGE,
        DOCUMENT,
        Severity.PAGE,
        day(1),
        day(1),
        **fields,  # type: ignore[arg-type]
    )


def test_a_change_goes_forward_and_each_step_may_be_repeated(bench: Bench) -> None:
    changes, name = bench.store.changes, a_change(bench)
    assert changes.classification(name) is None
    assert changes.text_map(name) is None
    with pytest.raises(ChangeStateError):
        changes.finish(name)
    for _ in range(2):
        changes.save_classification(name, judged(), MAP, at=day(1))
        assert changes.get(name).state is ChangeState.CLASSIFIED
    assert changes.text_map(name) == MAP
    first = changes.finish(name, [alert(name, change_id=name)])
    assert [a.change_id for a in first] == [name]
    assert changes.finish(name, [alert(name), alert(name, "late")]) == ()
    assert changes.get(name).state is ChangeState.ANCHORED
    assert changes.pending() == ()
    assert changes.list(DOCUMENT) == changes.list()
    assert len(bench.store.outbox.list()) == 1
    assert bench.store.counts().changes == {(ChangeClass.POLICY_BEARING, Tier.PAGE): 1}


def test_a_classification_keeps_every_number_and_no_sentence(bench: Bench) -> None:
    name = a_change(bench)
    bench.store.changes.save_classification(name, judged(), at=day(1))
    found = bench.store.changes.classification(name)
    assert found is not None
    assert (found.score, found.components, found.facets, found.pack) == (
        judged().score,
        judged().components,
        judged().facets,
        judged().pack,
    )
    assert [(a.old, a.new, a.rule, a.facets, a.weight) for a in found.atoms] == [
        (a.old, a.new, a.rule, a.facets, a.weight) for a in judged().atoms
    ]
    assert (found.headline, found.explanation, {a.why for a in found.atoms}) == ("", (), {""})


def test_a_damaged_map_is_said_so(bench: Bench) -> None:
    name = a_change(bench)
    broken = TextMap.of(1, 1, [], "align/1")
    bench.store.changes.save_classification(name, judged(), broken, at=day(1))
    with bench.store._database.write() as connection:
        connection.exec_driver_sql("DROP TRIGGER wo_text_map_update")
        connection.exec_driver_sql("UPDATE text_map SET packed = x'00'")
    with pytest.raises(HashMismatchError):
        bench.store.changes.text_map(name)


def test_unknown_changes_are_said_so(bench: Bench) -> None:
    changes = bench.store.changes
    for ask in (changes.get, changes.classification, changes.text_map, changes.finish):
        with pytest.raises(UnknownChangeError):
            ask("0" * 64)


def test_an_event_tells_a_channel_once(bench: Bench) -> None:
    outbox = bench.store.outbox
    assert len(outbox.add([alert("e1"), alert("e1", "mail"), alert("e1")])) == 2
    assert outbox.add([alert("e1")]) == ()


def test_a_sender_that_dies_loses_nothing(bench: Bench) -> None:
    outbox = bench.store.outbox
    outbox.add([alert("e1"), alert("e2")])
    assert outbox.claim_due(day(0), limit=9, lease_seconds=60) == ()
    taken = outbox.claim_due(day(1), limit=9, lease_seconds=60)
    assert [a.attempts for a in taken] == [1, 1]
    assert outbox.claim_due(day(1), limit=9, lease_seconds=60) == ()
    outbox.delivered(taken[0].number, at=day(1), receipt="202")
    again = outbox.claim_due(day(2), limit=9, lease_seconds=60)
    assert [(a.event_id, a.attempts, a.due_at) for a in again] == [("e2", 2, day(1))]
    outbox.retry(again[0].number, not_before=day(5), error="503")
    assert outbox.claim_due(day(4), limit=9, lease_seconds=60) == ()
    assert bench.store.counts().oldest_pending == day(1)
    outbox.dead(again[0].number, at=day(6), error="gave up")
    assert bench.store.counts().deliveries == {
        ("ops", AlertState.DELIVERED): 1,
        ("ops", AlertState.DEAD): 1,
    }
    outbox.revive(again[0].number, at=day(7))
    assert [a.event_id for a in outbox.claim_due(day(7), limit=9, lease_seconds=60)] == ["e2"]


def test_late_news_does_not_undo_a_delivery(bench: Bench) -> None:
    outbox = bench.store.outbox
    number = outbox.add([alert("e1")])[0].number
    outbox.claim_due(day(1), limit=1, lease_seconds=60)
    outbox.dead(number, at=day(2), error="gave up")
    outbox.delivered(number, at=day(3), receipt="202")
    done = outbox.get(number)
    outbox.retry(number, not_before=day(4), error="503")
    outbox.dead(number, at=day(5), error="gave up")
    outbox.revive(number, at=day(6))
    outbox.delivered(number, at=day(7), receipt="again")
    assert outbox.get(number) == done
    assert (done.state, done.finished_at, done.receipt) == (AlertState.DELIVERED, day(3), "202")


def test_held_goes_out_confirmed_cancelled_or_marked(bench: Bench) -> None:
    outbox = bench.store.outbox
    names = ["confirmed", "reverted", "late"]
    outbox.add([alert(name, state=AlertState.HELD) for name in names])
    assert outbox.confirm("confirmed", at=day(0.5)) == 1
    assert outbox.cancel("reverted") == 1
    early = outbox.claim_due(day(0.5), limit=9, lease_seconds=3600 * 24)
    assert [(a.event_id, a.unconfirmed) for a in early] == [("confirmed", False)]
    late = outbox.claim_due(day(1), limit=9, lease_seconds=60)
    assert [(a.event_id, a.unconfirmed) for a in late] == [("late", True)]
    digest = outbox.digest("ops")
    assert [(a.event_id, a.reverted) for a in digest] == [("reverted", True)]
    outbox.digested([a.number for a in digest], at=day(2))
    assert outbox.digest("ops") == ()
    assert [a.event_id for a in outbox.list(AlertState.DELIVERED)] == ["reverted"]
    assert outbox.confirm("late", at=day(3)) == 0


def test_an_alert_is_acknowledged_once(bench: Bench) -> None:
    number = bench.store.outbox.add([alert("e1")])[0].number
    for actor in ("mara", "jon"):
        bench.store.outbox.ack(number, at=day(2), actor=actor)
    found = bench.store.outbox.get(number)
    assert (found.acked_at, found.acked_by) == (day(2), "mara")
    assert bench.store.acts.list() == (OperatorAct(day(2), "mara", "ack", str(number), DOCUMENT),)
    for ask in (
        lambda: bench.store.outbox.get(9),
        lambda: bench.store.outbox.ack(9, at=day(2), actor="a"),
        lambda: bench.store.outbox.delivered(9, at=day(2)),
    ):
        with pytest.raises(UnknownAlertError):
            ask()


def test_an_incident_is_one_until_it_ends(bench: Bench) -> None:
    incidents = bench.store.incidents
    for number in (1, 2, 2, 3):
        incident = incidents.refused(DOCUMENT, "timeout", day(number))
    incidents.refused(DOCUMENT, "soft_404", day(3))
    assert (incident.count, incident.opened_at, incident.last_at) == (3, day(1), day(3))
    incidents.told(incident.number, day(3))
    incidents.told(incident.number, day(4))
    assert [i.told_at for i in incidents.open(DOCUMENT)] == [day(3), None]
    assert bench.store.counts().documents_failing == 1
    assert len(incidents.close(DOCUMENT, day(5))) == 2
    assert incidents.open() == ()
    assert incidents.close(DOCUMENT, day(5)) == ()
    assert incidents.refused(DOCUMENT, "timeout", day(6)).count == 1
