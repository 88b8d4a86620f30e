"""A store with one document, and short ways to bring captures into it."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from watcher.domain.anchors import Citation, cite
from watcher.domain.ids import DocumentId
from watcher.domain.reading import ExtractVerdict, Link, MediaType, Reading, Rendition
from watcher.domain.text import CanonicalText
from watcher.domain.verdicts import Hold, Outcome, Verdict
from watcher.store import (
    Commit,
    DeclaredDocument,
    Emission,
    Lease,
    NewCapture,
    NewEmission,
    NewObservation,
    Store,
)

DOCUMENT = DocumentId("retention-policy")
URL = "https://example.org/policy"
START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
RENDITION = Rendition("plain", (("plain", "1"),))


def day(number: float) -> datetime:
    """The start, and `number` days later."""
    return START + timedelta(days=number)


def reading_of(
    text: str, *, rendition: Rendition = RENDITION, links: tuple[Link, ...] = ()
) -> Reading:
    return Reading(
        text=CanonicalText(text.encode()),
        media_type=MediaType.TEXT,
        rendition=rendition,
        verdict=ExtractVerdict.OK if text else ExtractVerdict.FAILED,
        page_labels=("1",),
        title="Policy",
        links=links,
    )


@dataclass
class Bench:
    """A store and the lease of its one document."""

    store: Store
    lease: Lease
    directory: Path
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10_000)))

    def commit(
        self,
        text: str,
        at: datetime,
        *,
        body: bytes | None = None,
        outcome: Outcome = Outcome.ACCEPTED,
        reading: Reading | None = None,
        etag: str = "",
        lease: Lease | None = None,
    ) -> Commit:
        """Commit `text` as fetched at `at`."""
        return self.store.commits.commit_capture(
            lease or self.lease,
            NewCapture(body=text.encode() if body is None else body, url=URL, captured_at=at),
            reading or reading_of(text),
            self.seen(at, outcome=outcome, etag=etag),
        )

    def another(self, name: DocumentId) -> Lease:
        """Put in another document and return its lease."""
        self.store.documents.put(DeclaredDocument(name, "Other", (URL,), "digest"), START)
        return self.store.documents.claim(name, START, lease_seconds=3600, owner="test").lease

    def seen(
        self,
        at: datetime,
        *,
        outcome: Outcome = Outcome.NOT_MODIFIED,
        capture_id: str | None = None,
        etag: str = "",
    ) -> NewObservation:
        reason = Hold.COLLAPSED if outcome is Outcome.HELD else None
        return NewObservation(
            at=at,
            url=URL,
            final_url=URL,
            http_status=200,
            etag=etag,
            capture_id=capture_id,
            verdict=Verdict(outcome, reason),
        )

    def cite(self, text: str, quote: str, at: datetime, *, days: float = 400) -> Citation:
        """Emit a citation of `quote` in the version `text`."""
        start = text.encode().index(quote.encode())
        citation = cite(
            CanonicalText(text.encode()), DOCUMENT, [(start, start + len(quote.encode()))]
        )
        self.emit(citation, at, days=days)
        return citation

    def emit(self, citation: Citation, at: datetime, *, days: float = 400) -> Emission:
        return self.store.citations.emit(
            citation,
            NewEmission("app", f"answer-{next(self.numbers)}", 0, at, at + timedelta(days=days)),
        )


def bench_in(directory: Path) -> Bench:
    store = Store.open(directory)
    store.documents.sync([DeclaredDocument(DOCUMENT, "Policy", (URL,), "digest")], START)
    leased = store.documents.claim(DOCUMENT, START, lease_seconds=3600, owner="test")
    return Bench(store, leased.lease, directory)


def in_child(work: Callable[[], None]) -> int:
    """Do `work` in a forked child and return its status: -9 where it was killed."""
    with warnings.catch_warnings():
        # From Python 3.12 on a fork beside threads warns; ours hold no lock of this test.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        work()
    except BaseException:  # noqa: BLE001  (a forked child ends here, whatever happens)
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
