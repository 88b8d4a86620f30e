"""The whole loop: fetch, version, citation, re-anchor, class, alert."""

from __future__ import annotations

import json
from http import HTTPStatus

import pytest

from tests.pipeline.deployment import Deployment, Receiver, html
from watcher.demo.site import Page, maintenance
from watcher.domain.changes import ChangeClass
from watcher.domain.resolution import Reason, ResolutionError
from watcher.domain.statements import Status
from watcher.domain.verdicts import Outcome, Refusal
from watcher.pipeline.citing import EmissionKey, emit, resolve
from watcher.pipeline.ingest import decide
from watcher.pipeline.touched import touched_citations
from watcher.store.rows import AlertKind, AlertState, Standing

FIRST = (
    "Access logs are kept for 30 days and then deleted from every system that we run.",
    "We may charge you a different amount where the law of your country asks us to do so.",
    "Exceptions need the written approval of the data protection officer of the company.",
)
RAISED = (FIRST[0].replace("30", "90"), *FIRST[1:])


def test_a_policy_change_is_told_with_the_exact_passage(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST), 'severity = "page"')
    assert deployment.check(name).verdict.outcome is Outcome.ACCEPTED  # type: ignore[union-attr]
    first = deployment.store.versions.current(name)
    assert first is not None
    cited = deployment.cite(name, "Access logs are kept for 30 days")
    deployment.clock.pass_time(hours=6)

    report = deployment.check(name, html(*RAISED))
    assert report.change_id is not None
    change = deployment.store.changes.get(report.change_id)
    judged = deployment.store.changes.classification(report.change_id)
    assert judged is not None
    assert judged.change_class is ChangeClass.POLICY_BEARING
    (touched,) = touched_citations(deployment.services, change)
    assert touched.statement.status is Status.EDITED
    assert touched.statement.material is True

    assert deployment.deliver() == 0, "the alert waits for a confirming fetch"
    deployment.clock.pass_time(minutes=2)
    assert deployment.check(name).verdict.outcome is Outcome.SAME_BYTES  # type: ignore[union-attr]
    assert deployment.deliver() == 1
    (told,) = deployment.receiver.bodies
    assert told["severity"] == "page"
    assert told["confirmed"] is True
    assert told["from_version"] == first.version
    after = told["excerpts"][0]["after"]
    text = deployment.store.versions.text(name, change.to_version)
    assert text.data[after["start"] : after["end"]].decode() == after["text"]
    assert "90 days" in after["text"]
    assert "30 days" in told["excerpts"][0]["before"]["text"]
    assert told["citations"][0]["citation_id"] == cited.citation.citation_id
    assert told["citations"][0]["answers"][0]["answer_id"] == "answer-1"
    assert "1 answer" in told["summary"]
    assert deployment.deliver() == 0, "told once"

    resolution = resolve(deployment.services, cited.citation.citation_id)
    assert resolution.passages == (b"Access logs are kept for 30 days",)
    assert resolution.standing is Standing.SUPERSEDED


def test_unchanged_documents_are_asked_conditionally_and_kept_as_intervals(
    deployment: Deployment,
) -> None:
    name = deployment.watch("retention", html(*FIRST))
    deployment.check(name)
    outcomes = []
    for _ in range(4):
        deployment.clock.pass_time(hours=6)
        outcomes.append(deployment.check(name).verdict.outcome)  # type: ignore[union-attr]
    assert outcomes == [Outcome.NOT_MODIFIED] * 4
    newest = deployment.store.observations.newest(name)
    assert newest is not None
    assert newest.count == 4
    assert newest.capture_id is not None
    assert len(deployment.store.captures.list(name)) == 1


def test_every_so_often_a_304_is_not_believed(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST))
    outcomes = []
    for _ in range(27):
        outcomes.append(deployment.check(name).verdict.outcome)  # type: ignore[union-attr]
        deployment.clock.pass_time(hours=6)
    assert outcomes[0] is Outcome.ACCEPTED
    assert outcomes[1:25] == [Outcome.NOT_MODIFIED] * 24
    assert outcomes[25] is Outcome.SAME_BYTES


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (Page(b"gone", "text/html", HTTPStatus.NOT_FOUND), Refusal.HTTP_ERROR),
        (Page(b"oops", "text/html", HTTPStatus.INTERNAL_SERVER_ERROR), Refusal.HTTP_ERROR),
        (maintenance(), Refusal.MAINTENANCE),
        (Page(b"", "text/html"), Refusal.EMPTY_TEXT),
        (Page(b"%PDF-1.7\n1 0 obj\n<<", "application/pdf"), None),
    ],
    ids=["404", "500", "maintenance", "empty", "truncated-pdf"],
)
def test_a_refusal_is_no_version_and_harms_no_other_document(
    deployment: Deployment, page: Page, reason: Refusal | None
) -> None:
    name = deployment.watch("retention", html(*FIRST))
    other = deployment.watch("other", html(*FIRST, title="Other"))
    deployment.check(name)
    before = deployment.store.versions.current(name)
    cited = deployment.cite(name, FIRST[2])
    for _ in range(3):
        deployment.clock.pass_time(hours=1)
        verdict = deployment.check(name, page).verdict
        assert verdict is not None
        assert verdict.outcome is Outcome.REFUSED, verdict
        assert reason is None or verdict.reason is reason
        assert verdict.message
    assert deployment.store.versions.current(name) == before
    assert len(deployment.store.captures.list(name)) == 1
    assert deployment.check(other).verdict.outcome is Outcome.ACCEPTED  # type: ignore[union-attr]
    assert resolve(deployment.services, cited.citation.citation_id).passages[0].decode() == FIRST[2]

    assert deployment.deliver() == 1, "told once, when it persists"
    assert deployment.receiver.bodies[0]["schema"] == "watcher.notice/1"
    deployment.clock.pass_time(hours=1)
    deployment.check(name, html(*FIRST))
    assert deployment.deliver() == 1, "and once when it ends"
    kinds = [alert.kind for alert in deployment.store.outbox.list()]
    assert kinds[0] is AlertKind.RECOVERED


def test_a_page_that_flaps_is_news_for_nobody(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST), 'severity = "page"')
    deployment.check(name)
    for _ in range(2):
        deployment.clock.pass_time(minutes=5)
        deployment.check(name, html(*RAISED))
        deployment.clock.pass_time(minutes=2)
        deployment.check(name, html(*FIRST))
    deployment.clock.pass_time(days=1)
    assert deployment.deliver() == 0
    assert {alert.state for alert in deployment.store.outbox.list()} == {AlertState.DIGEST}
    assert len(deployment.store.versions.list(name)) == 2
    assert len(deployment.store.captures.list(name)) == 5

    deployment.check(name, html(*RAISED))
    deployment.clock.pass_time(minutes=2)
    deployment.check(name)
    assert deployment.deliver() == 1, "a true change after flapping is told"


def test_an_alert_that_nobody_could_confirm_is_sent_and_says_so(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST))
    deployment.check(name)
    deployment.clock.pass_time(hours=1)
    deployment.check(name, html(*RAISED))
    deployment.clock.pass_time(minutes=31)
    assert deployment.deliver() == 1
    assert deployment.receiver.bodies[0]["confirmed"] is False
    assert deployment.receiver.bodies[0]["summary"].startswith("Unconfirmed")


def test_a_failing_receiver_loses_and_doubles_nothing(
    deployment: Deployment, receiver: Receiver
) -> None:
    name = deployment.watch("retention", html(*FIRST), "confirm = false")
    deployment.check(name)
    deployment.check(name, html(*RAISED))
    receiver.answers += [500, 429, 503]
    attempts = 0
    while not receiver.bodies:
        attempts += deployment.deliver()
        deployment.clock.pass_time(hours=2)
        assert attempts < 10
    assert attempts == 4
    assert len(receiver.bodies) == len(set(receiver.keys)) == 1
    assert deployment.deliver() == 0


def test_a_cosmetic_change_makes_a_version_and_tells_nobody(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST), "confirm = false")
    deployment.check(name)
    cited = deployment.cite(name, FIRST[0])
    quoted = (
        FIRST[0].replace("every system", "every  system"),
        FIRST[1].replace("  ", " "),
        FIRST[2] + "\u200b",
    )
    report = deployment.check(name, html(*quoted))
    assert report.change_id is not None
    judged = deployment.store.changes.classification(report.change_id)
    assert judged is not None
    assert judged.change_class is ChangeClass.COSMETIC
    assert deployment.store.outbox.list() == ()
    (found,) = deployment.store.citations.statements(cited.citation.citation_id)
    assert found.statement.carries


def test_a_return_to_an_earlier_text_is_the_same_version(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST), "confirm = false")
    deployment.check(name)
    first = deployment.store.versions.current(name)
    cited = deployment.cite(name, FIRST[0])
    deployment.check(name, html(*RAISED))
    deployment.check(name, html(*FIRST))
    again = deployment.store.versions.current(name)
    assert first is not None
    assert again is not None
    assert again.version == first.version
    assert resolve(deployment.services, cited.citation.citation_id).standing is Standing.CURRENT


def test_a_moved_and_a_deleted_clause_are_told_apart(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST), "confirm = false")
    deployment.check(name)
    moved = deployment.cite(name, FIRST[0], "moved")
    gone = deployment.cite(name, FIRST[1], "gone")
    report = deployment.check(
        name, html(FIRST[2], "A new clause stands here, about nothing.", FIRST[0])
    )
    assert report.change_id is not None
    statements = {
        emitted.emission.answer_id: deployment.store.citations.statements(
            emitted.citation.citation_id
        )[-1].statement
        for emitted in (moved, gone)
    }
    assert statements["moved"].status is Status.MOVED
    assert statements["gone"].status is Status.GONE
    assert statements["gone"].ranges == ()


def test_a_damaged_text_fails_closed(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST))
    deployment.check(name)
    cited = deployment.cite(name, FIRST[0])
    version = cited.citation.version.removeprefix("sha256:")
    (blob,) = [p for p in (deployment.folder / "var").rglob("*") if p.name.startswith(version)]
    blob.chmod(0o600)
    damaged = bytearray(blob.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    blob.write_bytes(damaged)
    with pytest.raises(ResolutionError) as caught:
        resolve(deployment.services, cited.citation.citation_id)
    assert caught.value.reason.value in {"hash_mismatch", "unreadable"}


def test_a_collapsed_text_is_held_told_and_ends_by_a_person(deployment: Deployment) -> None:
    long = [f"Clause {n} says what happens to data of kind {n} in our systems." for n in range(60)]
    name = deployment.watch("retention", html(*FIRST, *long), "confirm = false")
    deployment.check(name)
    before = deployment.store.versions.current(name)
    for _ in range(2):
        deployment.clock.pass_time(minutes=5)
        report = deployment.check(name, html(*FIRST, *long[:6]))
        assert report.verdict is not None
        assert report.verdict.outcome is Outcome.HELD, report.verdict
    assert deployment.store.versions.current(name) == before, "held is not current"
    assert deployment.deliver() == 1, "told once"
    assert deployment.receiver.bodies[0]["kind"] == "held"
    (held,) = deployment.store.captures.held(name)
    decide(deployment.services, held.capture_id, accepted=True, actor="ann", reason="they cut it")
    now = deployment.store.versions.current(name)
    assert now is not None
    assert before is not None
    assert now.version != before.version
    assert deployment.deliver() == 1, "and the change is told"


def test_agreeing_fetches_end_a_hold(deployment: Deployment) -> None:
    long = [f"Clause {n} says what happens to data of kind {n} in our systems." for n in range(60)]
    name = deployment.watch("retention", html(*FIRST, *long))
    deployment.check(name)
    short = html(*FIRST, *long[:6])
    for hours in (0, 3, 4):
        deployment.clock.pass_time(hours=hours)
        deployment.check(name, short)
    assert not deployment.store.captures.held(name)
    current = deployment.store.versions.current(name)
    assert current is not None
    assert b"Clause 59" not in deployment.store.versions.text(name, current.version).data


def test_a_held_capture_that_does_not_stay_is_rejected(deployment: Deployment) -> None:
    long = [f"Clause {n} says what happens to data of kind {n} in our systems." for n in range(60)]
    name = deployment.watch("retention", html(*FIRST, *long))
    deployment.check(name)
    deployment.check(name, html(*FIRST, *long[:6]))
    assert deployment.store.captures.held(name)
    deployment.check(name, html(*FIRST, *long))
    assert not deployment.store.captures.held(name)


def test_a_suspicious_first_capture_waits_for_a_person(deployment: Deployment) -> None:
    page = Page(
        b"<html><head><title>Welcome</title><meta name=robots content=noindex></head><body>"
        b"<p>Just a moment while we look at your request.</p><form><input name=q>"
        b"<button>Go on</button></form></body></html>",
        "text/html; charset=utf-8",
    )
    name = deployment.watch("retention", page)
    for _ in range(6):
        verdict = deployment.check(name).verdict
        assert verdict is not None
        assert verdict.outcome in {Outcome.HELD, Outcome.REFUSED}, verdict
        deployment.clock.pass_time(hours=7)
    assert deployment.store.versions.current(name) is None


def test_an_anchor_that_names_another_citation_fails_closed(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST))
    deployment.check(name)
    cited = deployment.cite(name, FIRST[0], "a").citation
    other = deployment.cite(name, FIRST[1], "b").citation
    (anchor,) = cited.anchors()
    assert resolve(deployment.services, json.dumps(anchor)).passages == (FIRST[0].encode(),)
    without = {key: value for key, value in anchor.items() if key != "citation_id"}
    assert resolve(deployment.services, json.dumps(without)).passages == (FIRST[0].encode(),)
    for wrong in (other.citation_id, "c1" + "a" * 32, 7, ""):
        with pytest.raises(ResolutionError) as caught:
            resolve(deployment.services, json.dumps(anchor | {"citation_id": wrong}))
        assert caught.value.reason is Reason.ANCHOR_MISMATCH


def test_an_anchor_of_one_segment_names_the_citation_of_all(deployment: Deployment) -> None:
    name = deployment.watch("retention", html(*FIRST))
    deployment.check(name)
    text = deployment.store.versions.current(name)
    assert text is not None
    data = deployment.store.versions.text(name, text.version).data
    ranges = [(data.index(p.encode()), data.index(p.encode()) + 20) for p in FIRST[:2]]
    emitted = emit(deployment.services, name, EmissionKey("assistant", "two"), ranges=ranges)
    for anchor, (start, end) in zip(emitted.citation.anchors(), ranges, strict=True):
        assert resolve(deployment.services, json.dumps(anchor)).passages == (data[start:end],)


def test_nobody_else_may_read_the_database(deployment: Deployment) -> None:
    for path in (deployment.folder / "var").glob("watcher.sqlite3*"):
        assert path.stat().st_mode & 0o007 == 0, path
