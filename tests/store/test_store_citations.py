"""Citations: used once for each key, resolved to exact bytes or to a named error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.store_bench import DOCUMENT, Bench, day
from watcher.domain.anchors import Citation, Segment, cite
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.resolution import (
    AnchorMismatchError,
    HashMismatchError,
    PageMismatchError,
    RangeInvalidError,
    ResolutionError,
    UnknownDocumentError,
    UnknownVersionError,
    UnreadableError,
)
from watcher.domain.statements import Statement, Status
from watcher.domain.text import CanonicalText
from watcher.domain.verdicts import Outcome
from watcher.store import (
    EmissionConflictError,
    NewEmission,
    NotCitableError,
    Standing,
    UnknownCitationError,
    UnknownHoldError,
)

OLD = "Data is kept for 30 days.\fIt is not shared.\n"
NEW = "Data is kept for 90 days.\fIt is not shared.\n"


def use(ordinal: int = 0, answer: str = "a1", sha256: str = "") -> NewEmission:
    return NewEmission("app", answer, ordinal, day(1), day(401), answer_sha256=sha256)


def whole(text: str = OLD) -> Citation:
    """Both pages, one segment each."""
    canonical = CanonicalText(text.encode())
    return cite(canonical, DOCUMENT, [(17, 24), (canonical.pages[1].start, len(canonical))])


def test_a_passage_across_pages_resolves_to_its_segments(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    emission = bench.store.citations.emit(whole(), use())
    assert emission.new
    found = bench.store.citations.resolve(emission.citation_id)
    assert found.passages == (b"30 days", b"It is not shared.\n")
    assert (found.standing, found.since) == (Standing.CURRENT, day(0))
    assert bench.store.citations.get(emission.citation_id).citation == whole()


def test_every_answer_says_how_the_version_stands(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    name = bench.cite(OLD, "30 days", day(1)).citation_id
    bench.commit(NEW, day(2))
    bench.commit("Third.\n", day(3))
    found = bench.store.citations.resolve(name)
    assert (found.standing, found.since) == (Standing.SUPERSEDED, day(2))
    bench.commit(OLD, day(4))
    found = bench.store.citations.resolve(name)
    assert (found.standing, found.since) == (Standing.CURRENT, day(4))
    bench.store.documents.sync([], day(5))
    found = bench.store.citations.resolve(name)
    assert (found.standing, found.since) == (Standing.RETIRED, day(5))
    assert found.passages == (b"30 days",)


def test_a_retry_doubles_nothing(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    first = bench.store.citations.emit(whole(), use(sha256="aa"))
    again = bench.store.citations.emit(whole(), replace(use(sha256="aa"), at=day(2)))
    assert not again.new
    assert replace(again, new=True) == first
    assert bench.store.counts().emissions == 1


def test_one_key_is_for_one_thing(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    bench.store.citations.emit(whole(), use(sha256="aa"))
    other = cite(CanonicalText(OLD.encode()), DOCUMENT, [(0, 4)])
    with pytest.raises(EmissionConflictError):
        bench.store.citations.emit(other, use(sha256="aa"))
    with pytest.raises(EmissionConflictError):
        bench.store.citations.emit(whole(), use(sha256="bb"))
    assert bench.store.counts().citations == 1


def test_one_citation_may_be_used_often(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    for ordinal in range(3):
        bench.store.citations.emit(whole(), use(ordinal))
    uses = bench.store.citations.emissions(whole().citation_id)
    assert [emission.ordinal for emission in uses] == [0, 1, 2]
    assert bench.store.counts().citations == 1
    assert bench.store.citations.find_emission("app", "a1", 1) == uses[1]
    assert bench.store.citations.find_emission("app", "a1", 9) is None


def changed(**fields: object) -> Citation:
    segment = replace(whole().segments[0], **fields)  # type: ignore[arg-type]
    return replace(whole(), segments=(segment,))


BAD = {
    "no such document": (replace(whole(), document_id=DocumentId("x")), UnknownDocumentError),
    "no such version": (
        replace(whole(), version=VersionId("sha256:" + "0" * 64)),
        UnknownVersionError,
    ),
    "wrong page": (changed(page=2), PageMismatchError),
    "wrong hash": (changed(sha256="0" * 64), AnchorMismatchError),
    "reversed": (changed(start=24, end=17), RangeInvalidError),
    "across pages": (changed(start=17, end=30), RangeInvalidError),
    "out of bounds": (changed(end=999), RangeInvalidError),
}


@pytest.mark.parametrize("how", BAD)
def test_what_does_not_resolve_is_not_emitted(bench: Bench, how: str) -> None:
    bench.commit(OLD, day(0))
    citation, expected = BAD[how]
    with pytest.raises(expected) as caught:
        bench.store.citations.emit(citation, use())
    assert isinstance(caught.value, ResolutionError)
    assert bench.store.counts().citations == 0


def test_what_was_only_held_is_not_citable(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    held = bench.commit(NEW, day(1), outcome=Outcome.HELD)
    with pytest.raises(NotCitableError):
        bench.store.citations.emit(whole(NEW), use())
    bench.store.commits.accept(bench.lease, held.capture_id, at=day(2), reason="seen twice")
    assert bench.store.citations.emit(whole(NEW), use()).new


def blob_of(bench: Bench, version: VersionId) -> Path:
    digits = version.removeprefix("sha256:")
    return bench.directory / "blobs" / digits[:2] / digits[2:4] / f"{digits}.zst"


@pytest.mark.parametrize("damage", ["gone", "cut", "flipped", "other", "empty"])
def test_damaged_evidence_is_never_shown(bench: Bench, damage: str) -> None:
    commit = bench.commit(OLD, day(0), body=b"<p>")
    assert commit.version is not None
    name = bench.cite(OLD, "30 days", day(1)).citation_id
    path = blob_of(bench, commit.version)
    data = path.read_bytes()
    path.chmod(0o644)
    if damage == "gone":
        path.unlink()
    elif damage == "other":
        path.write_bytes(
            next(p for p in bench.directory.glob("blobs/*/*/*") if p != path).read_bytes()
        )
    else:
        flipped = data[:-1] + bytes([data[-1] ^ 1])
        path.write_bytes({"cut": data[: len(data) // 2], "flipped": flipped, "empty": b""}[damage])
    with pytest.raises(HashMismatchError) as caught:
        bench.store.citations.resolve(name)
    assert caught.value.document_id == DOCUMENT
    bench.commit(NEW, day(2))
    bench.commit(OLD, day(3), body=b"<p>again")
    assert bench.store.citations.resolve(name).passages == (b"30 days",)


def test_what_the_disk_does_not_give_is_unreadable(bench: Bench) -> None:
    commit = bench.commit(OLD, day(0))
    assert commit.version is not None
    name = bench.cite(OLD, "30 days", day(1)).citation_id
    path = blob_of(bench, commit.version)
    path.rename(path.with_suffix(".away"))
    path.mkdir()
    with pytest.raises(UnreadableError):
        bench.store.citations.resolve(name)


def test_live_is_what_is_used_pinned_or_held(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    store = bench.store
    short = bench.cite(OLD, "30", day(1), days=10).citation_id
    withdrawn = bench.cite(OLD, "days", day(1)).citation_id
    long = bench.cite(OLD, "kept", day(1)).citation_id
    number = store.citations.emissions(withdrawn)[0].number
    for _ in range(2):
        store.citations.withdraw(number, at=day(2), actor="app", reason="answer removed")

    def live(at: float) -> set[str]:
        found = store.citations.live(DOCUMENT, day(at))
        assert store.citations.count_live(day(at)) == len(found)
        return {stored.citation.citation_id for stored in found}

    assert live(3) == {short, long}
    assert live(11) == {long}
    pin = store.holds.pin(short, at=day(12), actor="mara", reason="audit")
    assert live(12) == {short, long}
    store.holds.release(pin.number, at=day(13), actor="mara", reason="done")
    assert live(13) == {long}
    hold = store.holds.hold(DOCUMENT, at=day(14), actor="mara", reason="litigation")
    assert live(900) == {short, withdrawn, long}
    assert [h.released_at for h in store.holds.list(DOCUMENT)] == [day(13), None]
    store.holds.release(hold.number, at=day(15), actor="mara", reason="over")
    assert live(900) == set()
    with pytest.raises(UnknownHoldError):
        store.holds.release(99, at=day(15), actor="mara", reason="none")


def test_the_next_version_asks_for_every_live_citation_once(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    names = [bench.cite(OLD, quote, day(1)).citation_id for quote in ("30", "days", "kept")]
    bench.cite(OLD, "Data", day(1), days=1)
    commit = bench.commit(NEW, day(3))
    assert commit.change_id is not None
    bench.cite(NEW, "90", day(3))
    store = bench.store
    batch = store.citations.unanchored(commit.change_id, day(3), algorithm="r/1", limit=2)
    assert [stored.citation.citation_id for stored in batch] == names[:2]
    statement = Statement(Status.EDITED, material=True, algorithm="r/1")
    pairs = [(stored.number, statement) for stored in batch]
    assert store.changes.save_statements(commit.change_id, pairs, at=day(3)) == 2
    assert store.changes.save_statements(commit.change_id, pairs, at=day(3)) == 0
    rest = store.citations.unanchored(commit.change_id, day(3), algorithm="r/1")
    assert [stored.citation.citation_id for stored in rest] == names[2:]
    again = store.citations.unanchored(commit.change_id, day(3), algorithm="r/2")
    assert [stored.citation.citation_id for stored in again] == names
    found = store.citations.statements(names[0])
    assert [(s.version, s.statement) for s in found] == [(commit.version, statement)]
    assert store.counts().statements == {Status.EDITED: 2}


def test_affected_are_the_live_ones_that_do_not_carry(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    broken = bench.cite(OLD, "30 days", day(1))
    bench.emit(broken, day(1), days=1)
    kept = bench.cite(OLD, "Data", day(1))
    fixed = bench.cite(OLD, "kept", day(1))
    commit = bench.commit(NEW, day(3))
    assert commit.change_id is not None
    numbers = {c: bench.store.citations.get(c.citation_id).number for c in (broken, kept, fixed)}
    gone = Statement(Status.GONE, algorithm="r/1")
    unchanged = Statement(Status.UNCHANGED, algorithm="r/1")
    save = bench.store.changes.save_statements
    save(
        commit.change_id,
        [(numbers[broken], gone), (numbers[kept], unchanged), (numbers[fixed], gone)],
        at=day(3),
    )
    save(commit.change_id, [(numbers[fixed], unchanged._replace(algorithm="r/2"))], at=day(4))
    affected = bench.store.citations.affected(commit.change_id, day(4))
    assert [a.citation.citation for a in affected] == [broken]
    assert affected[0].statement == gone
    assert len(affected[0].emissions) == 1
    assert bench.store.citations.affected(commit.change_id, day(900)) == ()


def test_unknown_names_are_said_so(bench: Bench) -> None:
    for ask in (
        bench.store.citations.get,
        bench.store.citations.resolve,
        bench.store.citations.emissions,
        bench.store.citations.statements,
    ):
        with pytest.raises(UnknownCitationError):
            ask("c1" + "a" * 32)
    with pytest.raises(UnknownCitationError):
        bench.store.citations.withdraw(7, at=day(0), actor="a", reason="r")


def test_listing_goes_on_where_it_ended(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    for quote in ("30", "days", "kept"):
        bench.cite(OLD, quote, day(1))
    first = bench.store.citations.list(DOCUMENT, limit=2)
    rest = bench.store.citations.list(DOCUMENT, after=first[-1].number, limit=2)
    assert [stored.number for stored in (*first, *rest)] == [1, 2, 3]
    assert bench.store.citations.list(DocumentId("other")) == ()


def test_a_segment_has_a_hash_of_its_own(bench: Bench) -> None:
    bench.commit(OLD, day(0))
    bench.store.citations.emit(whole(), use())
    stored = bench.store.citations.list()[0].citation.segments
    assert all(isinstance(segment, Segment) for segment in stored)
    assert len({segment.sha256 for segment in stored}) == 2
