"""What a commit makes true: once, and only what was seen."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.store.store_bench import DOCUMENT, RENDITION, URL, Bench, day, reading_of
from watcher.domain.changes import Cause, ChangeKind
from watcher.domain.ids import DocumentId
from watcher.domain.ranges import Range
from watcher.domain.reading import ExtractVerdict, Heading, Link, Problem, Reading, Rendition
from watcher.domain.text import CanonicalText
from watcher.domain.verdicts import Outcome
from watcher.errors import UsageError
from watcher.store import (
    CaptureState,
    DecisionError,
    Lease,
    NewCapture,
    Origin,
    RenditionMismatchError,
    StaleLeaseError,
    Standing,
)

OLD = "Data is kept for 30 days.\nIt is not shared.\n"
NEW = "Data is kept for 90 days.\nIt is not shared.\n"
OTHER = Rendition("plain", (("plain", "2"),))


def test_the_first_capture_is_no_change(bench: Bench) -> None:
    commit = bench.commit(OLD, day(0))
    assert commit.new_capture
    assert commit.new_version
    assert commit.change_id is None
    assert bench.store.changes.pending() == ()
    current = bench.store.versions.current(DOCUMENT)
    assert current is not None
    assert (current.version, current.capture_id, current.since) == (
        commit.version,
        commit.capture_id,
        day(0),
    )
    assert bench.store.captures.body(commit.capture_id) == OLD.encode()
    assert bench.store.versions.text(DOCUMENT, current.version).data == OLD.encode()


def test_a_new_text_is_a_change_between_the_two_readings(bench: Bench) -> None:
    first, second = bench.commit(OLD, day(0)), bench.commit(NEW, day(1))
    assert second.change_id is not None
    change = bench.store.changes.get(second.change_id)
    assert (change.from_reading, change.to_reading) == (first.reading_id, second.reading_id)
    assert (change.kind, change.cause) == (ChangeKind.TEXT, Cause.PUBLISHER)
    assert bench.store.changes.pending() == (change,)


def test_there_and_back_is_two_versions_and_three_captures(bench: Bench) -> None:
    commits = [bench.commit(text, day(n)) for n, text in enumerate([OLD, NEW, OLD])]
    versions = bench.store.versions.list(DOCUMENT)
    assert [v.version for v in versions] == [commits[0].version, commits[1].version]
    assert len(bench.store.captures.list(DOCUMENT)) == 3
    assert len({c.change_id for c in commits[1:]}) == 2
    assert [(v.standing, v.since) for v in versions] == [
        (Standing.CURRENT, day(2)),
        (Standing.SUPERSEDED, day(2)),
    ]


def test_repeating_a_change_gives_a_new_key(bench: Bench) -> None:
    commits = [bench.commit(text, day(n)) for n, text in enumerate([OLD, NEW, OLD, NEW])]
    assert len({c.change_id for c in commits[1:]}) == 3


def test_the_same_bytes_are_an_observation_and_nothing_else(bench: Bench) -> None:
    first = bench.commit(OLD, day(0))
    again = bench.commit(OLD, day(1))
    assert not again.new_capture
    assert again.capture_id == first.capture_id
    newest = bench.store.observations.newest(DOCUMENT)
    assert newest is not None
    assert (newest.verdict.outcome, newest.capture_id) == (Outcome.SAME_BYTES, first.capture_id)
    assert bench.store.counts().captures == 1


def test_a_replayed_commit_doubles_nothing(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    done = bench.commit(NEW, day(1))
    before = bench.store.counts()
    again = bench.commit(NEW, day(1))
    assert (again.capture_id, again.reading_id) == (done.capture_id, done.reading_id)
    assert bench.store.counts() == dataclasses.replace(
        before, wal_bytes=bench.store.counts().wal_bytes
    )


def test_new_bytes_with_the_same_text_are_a_capture_without_a_change(bench: Bench) -> None:
    bench.commit(OLD, day(0), body=b"<p>1")
    commit = bench.commit(OLD, day(1), body=b"<p>2")
    assert commit.new_capture
    assert not commit.new_version
    assert commit.change_id is None
    current = bench.store.versions.current(DOCUMENT)
    assert current is not None
    assert (current.capture_id, current.since) == (commit.capture_id, day(0))


@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        ("/dpa-2025.pdf", "/dpa-2026.pdf", True),
        ("/list?utm_source=a", "/list?utm_source=b", False),
        ("HTTPS://Example.org:443/list", "https://example.org/list", False),
        ("/cdn-cgi/l/email-protection#a1", "/cdn-cgi/l/email-protection#b2", False),
        ("/a;jsessionid=1F", "/a;jsessionid=2E", False),
        ("/list?page=1", "/list?page=2", True),
        ("https://[bad", "https://[worse", True),
    ],
)
def test_a_link_target_that_changes_is_an_annotation_change(
    bench: Bench, before: str, after: str, differs: bool
) -> None:
    for number, target in enumerate([before, after]):
        commit = bench.commit(
            OLD,
            day(number),
            body=target.encode(),
            reading=reading_of(OLD, links=(Link(Range(0, 4), target),)),
        )
    assert (commit.change_id is not None) is differs
    if commit.change_id:
        change = bench.store.changes.get(commit.change_id)
        assert change.kind is ChangeKind.ANNOTATION
        assert change.from_version == change.to_version


def test_held_is_stored_and_not_current(bench: Bench) -> None:
    bench.commit(OLD, day(0), etag='"1"')
    held = bench.commit(NEW, day(1), outcome=Outcome.HELD, etag='"2"')
    assert held.state is CaptureState.HELD
    assert held.change_id is None
    current = bench.store.versions.current(DOCUMENT)
    assert current is not None
    assert current.version != held.version
    validators = bench.store.documents.get(DOCUMENT).validators
    assert validators is not None
    assert validators.etag == '"1"'
    assert [c.capture_id for c in bench.store.captures.held()] == [held.capture_id]
    version = next(v for v in bench.store.versions.list(DOCUMENT) if v.version == held.version)
    assert version.standing is None


def test_agreement_counts_every_fetch_of_the_held_bytes(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    for number in range(1, 4):
        held = bench.commit(NEW, day(number), outcome=Outcome.HELD)
    seen = bench.store.captures.agreement(held.capture_id)
    assert seen is not None
    assert (seen.count, seen.first, seen.last) == (3, day(1), day(3))


def test_accepting_what_was_held_makes_it_current_and_a_change(bench: Bench) -> None:
    first = bench.commit(OLD, day(0))
    held = bench.commit(NEW, day(1), outcome=Outcome.HELD, etag='"2"')
    commit = bench.store.commits.accept(
        bench.lease, held.capture_id, at=day(2), actor="mara", reason="compared"
    )
    assert commit.change_id is not None
    change = bench.store.changes.get(commit.change_id)
    assert (change.from_reading, change.to_reading) == (first.reading_id, held.reading_id)
    decisions = bench.store.captures.decisions(held.capture_id)
    assert [d.state for d in decisions] == [CaptureState.HELD, CaptureState.ACCEPTED]
    validators = bench.store.documents.get(DOCUMENT).validators
    assert validators is not None
    assert (validators.etag, validators.capture_id) == ('"2"', held.capture_id)
    assert [(act.act, act.actor) for act in bench.store.acts.list()] == [("accept", "mara")]


def test_what_is_decided_stays_decided(bench: Bench) -> None:
    held = bench.commit(NEW, day(1), outcome=Outcome.HELD)
    bench.store.commits.reject(bench.lease, held.capture_id, at=day(2), reason="an error page")
    for decide in (bench.store.commits.accept, bench.store.commits.reject):
        with pytest.raises(DecisionError, match="rejected, not held"):
            decide(bench.lease, held.capture_id, at=day(3), reason="changed my mind")
    assert bench.store.versions.current(DOCUMENT) is None


def test_an_overtaken_hold_cannot_become_current(bench: Bench) -> None:
    held = bench.commit(NEW, day(0), outcome=Outcome.HELD)
    bench.commit(OLD, day(1))
    with pytest.raises(DecisionError, match="accepted since"):
        bench.store.commits.accept(bench.lease, held.capture_id, at=day(2), reason="late")


def test_a_held_capture_without_text_cannot_be_accepted(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    scanned = dataclasses.replace(reading_of(""), verdict=ExtractVerdict.NEEDS_OCR)
    held = bench.commit(NEW, day(1), outcome=Outcome.HELD, reading=scanned)
    assert held.version is None
    with pytest.raises(DecisionError, match="could not be read"):
        bench.store.commits.accept(bench.lease, held.capture_id, at=day(2), reason="hm")
    assert bench.store.captures.get(held.capture_id).state is CaptureState.HELD


def test_a_document_is_pinned_to_its_rendition(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    with pytest.raises(RenditionMismatchError):
        bench.commit(NEW, day(1), reading=reading_of(NEW, rendition=OTHER))
    assert bench.store.counts().captures == 1


def test_reading_anew_is_our_change_and_pins_the_new_rendition(bench: Bench) -> None:
    first = bench.commit(OLD, day(0))
    anew = bench.store.commits.commit_rendition(
        bench.lease, reading_of(OLD.replace("\n", "\n\n"), rendition=OTHER), at=day(1)
    )
    assert anew.change_id is not None
    assert bench.store.changes.get(anew.change_id).cause is Cause.RENDITION
    current = bench.store.versions.current(DOCUMENT)
    assert current is not None
    assert (current.rendition, current.capture_id) == (OTHER, first.capture_id)
    following = bench.commit(NEW, day(2), reading=reading_of(NEW, rendition=OTHER))
    assert following.change_id is not None
    change = bench.store.changes.get(following.change_id)
    assert (change.from_reading, change.cause) == (anew.reading_id, Cause.PUBLISHER)


def test_reading_anew_to_the_same_text_changes_nothing(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    for _ in range(2):
        anew = bench.store.commits.commit_rendition(
            bench.lease, reading_of(OLD, rendition=OTHER), at=day(1)
        )
        assert anew.change_id is None
    current = bench.store.versions.current(DOCUMENT)
    assert current is not None
    assert (current.rendition, current.since) == (OTHER, day(0))


def test_going_back_to_an_older_rendition_works(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    for number, rendition in enumerate([OTHER, RENDITION, OTHER], start=1):
        bench.store.commits.commit_rendition(
            bench.lease, reading_of(OLD, rendition=rendition), at=day(number)
        )
        current = bench.store.versions.current(DOCUMENT)
        assert current is not None
        assert current.rendition == rendition


def test_a_stale_lease_writes_nothing(bench: Bench) -> None:
    stale = bench.lease
    later = day(1)
    taken = bench.store.documents.claim(DOCUMENT, later, lease_seconds=60, owner="other")
    before = bench.store.counts()
    with pytest.raises(StaleLeaseError):
        bench.commit(OLD, day(0))
    with pytest.raises(StaleLeaseError):
        bench.store.observations.record(stale, bench.seen(later))
    with pytest.raises(StaleLeaseError):
        bench.store.documents.release(stale, next_check=day(9), fails=0)
    after = bench.store.counts()
    assert (after.captures, after.observations) == (before.captures, before.observations)
    bench.lease = taken.lease
    assert bench.commit(OLD, later).new_capture


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.NOT_MODIFIED, Outcome.SAME_BYTES])
def test_only_accepted_and_held_are_captures(bench: Bench, outcome: Outcome) -> None:
    with pytest.raises(UsageError, match="is no capture"):
        bench.commit(OLD, day(0), outcome=outcome)


def test_an_unreadable_text_is_not_accepted(bench: Bench) -> None:
    with pytest.raises(UsageError, match="cannot be accepted"):
        bench.commit("", day(0))
    assert bench.store.counts().captures == 0


def test_an_import_is_citable_and_never_current(bench: Bench) -> None:
    bench.commit(NEW, day(5))
    capture = NewCapture(OLD.encode(), URL, day(6), origin=Origin.IMPORTED, claimed_at=day(-300))
    first = bench.store.commits.import_capture(bench.lease, capture, reading_of(OLD))
    again = bench.store.commits.import_capture(bench.lease, capture, reading_of(OLD))
    assert first.new_capture
    assert not again.new_capture
    current = bench.store.versions.current(DOCUMENT)
    assert current is not None
    assert current.version != first.version
    citation = bench.cite(OLD, "30 days", day(7))
    assert bench.store.citations.resolve(citation.citation_id).standing is Standing.SUPERSEDED
    assert bench.store.versions.at(DOCUMENT, day(-300)).version is None
    assert not bench.commit(NEW, day(8)).new_capture
    assert bench.store.changes.pending() == ()


def test_a_reading_comes_back_whole(bench: Bench) -> None:
    given = Reading(
        text=CanonicalText(OLD.encode()),
        media_type=None,
        rendition=Rendition("pypdf", (("pypdf", "7"), ("a", "1")), (("mode", "x"),), "ab"),
        verdict=ExtractVerdict.PARTIAL,
        page_labels=("i",),
        title="Title",
        language="en",
        charset="utf-8",
        headings=(Heading(Range(0, 4), 1, "h"),),
        links=(Link(Range(1, 3), "x"),),
        struck=(Range(2, 5),),
        images=("ff",),
        hidden_characters=3,
        agreement=0.75,
        problems=(Problem("code", "message", 2),),
    )
    commit = bench.commit(OLD, day(0), reading=given)
    found = bench.store.captures.reading(commit.reading_id)
    assert found.text.data == given.text.data
    assert dataclasses.replace(found, text=given.text, rendition=given.rendition) == given
    assert found.rendition.rendition_id == given.rendition.rendition_id


def test_words_that_are_no_text_do_not_stop_a_commit(bench: Bench) -> None:
    hostile = "a\ud800b\x00c"
    reading = dataclasses.replace(
        reading_of(OLD),
        title=hostile,
        page_labels=(hostile,),
        links=(Link(Range(0, 4), hostile),),
        problems=(Problem("code", hostile),),
    )
    capture = NewCapture(
        OLD.encode(), hostile, day(0), content_type=hostile, headers=((hostile, hostile),)
    )
    for number in range(2):
        seen = dataclasses.replace(
            bench.seen(day(number), outcome=Outcome.ACCEPTED), url=hostile, etag=hostile
        )
        commit = bench.store.commits.commit_capture(bench.lease, capture, reading, seen)
    assert bench.store.captures.reading(commit.reading_id).title == "a\ufffdb\ufffdc"
    assert bench.store.captures.get(commit.capture_id).url == "a\ufffdb\ufffdc"
    bench.store.commits.commit_capture(
        bench.lease, capture, reading, dataclasses.replace(seen, at=day(2))
    )
    newest = bench.store.observations.newest(DOCUMENT)
    assert newest is not None
    assert newest.count == 2


def test_threads_take_turns(bench: Bench) -> None:
    leases = [bench.another(DocumentId(f"document-{number}")) for number in range(6)]

    def live(lease: Lease) -> None:
        for number in range(6):
            bench.commit(f"{lease.document_id} {number}\n", day(number), lease=lease)
            bench.store.versions.list(lease.document_id)
            bench.store.counts()

    with ThreadPoolExecutor(len(leases)) as pool:
        list(pool.map(live, leases))
    assert bench.store.counts().captures == 36
    assert len(bench.store.changes.pending()) == 30
