"""Events for others: versions, chunks, changes, citations that no longer carry, purges.

They are read from what is stored, so they can be asked for again from any
cursor: every event is given at least once, and the same one as often as it is
asked for. A cursor holds the last number of each order (see `store.feed`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from operator import attrgetter

from watcher.domain.chunks import Chunk
from watcher.domain.ids import DocumentId, VersionId
from watcher.domain.resolution import VersionPurgedError
from watcher.errors import UsageError
from watcher.pipeline.services import Services
from watcher.store.feed import BecameCurrent, Finished, Purged

_PAGE = 200
_LONGEST = 18

Data = dict[str, object]
Row = BecameCurrent | Finished | Purged


@dataclass(frozen=True, slots=True)
class FeedCursor:
    """The last number given of each order.

    `citation` is how far within the change after `finished`: 0 nothing of it, 1
    the change itself, else one more than the number of the last citation.
    """

    became: int = 0
    finished: int = 0
    citation: int = 0
    purged: int = 0

    def __str__(self) -> str:
        """Return the form that others keep."""
        return f"{self.became}-{self.finished}-{self.citation}-{self.purged}"

    @classmethod
    def parse(cls, text: str) -> FeedCursor:
        """Return the cursor that `text` writes; empty is the beginning.

        Raises:
            UsageError: it is none of ours.
        """
        if not text:
            return cls()
        parts = text.split("-")
        if len(parts) != 4 or not all(
            p.isascii() and p.isdigit() and len(p) <= _LONGEST for p in parts
        ):
            raise UsageError("that is no cursor of events", hint="give `next` as it was answered")
        return cls(*map(int, parts))


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """One event, and the cursor that comes after it."""

    kind: str
    document_id: DocumentId
    at: datetime
    data: Data
    cursor: FeedCursor


def read_feed(services: Services, cursor: FeedCursor, limit: int) -> tuple[FeedEvent, ...]:
    """Return the next events after `cursor`, `limit` at most."""
    feed = services.store.feed
    orders: tuple[Sequence[Row], ...] = (
        feed.became(cursor.became, limit),
        feed.finished(cursor.finished, limit),
        feed.purged(cursor.purged, limit),
    )
    rows = heapq.merge(*orders, key=attrgetter("at"))
    return tuple(islice(_events(services, cursor, rows), limit))


def _events(services: Services, cursor: FeedCursor, rows: Iterable[Row]) -> Iterator[FeedEvent]:
    for row in rows:
        if isinstance(row, BecameCurrent):
            cursor = replace(cursor, became=row.number)
            yield FeedEvent("version", row.document_id, row.at, _version(services, row), cursor)
        elif isinstance(row, Purged):
            cursor = replace(cursor, purged=row.number)
            yield FeedEvent("purged", row.document_id, row.at, {"version": row.version}, cursor)
        else:
            for event in _finished(services, cursor, row):
                cursor = event.cursor
                yield event


def _version(services: Services, row: BecameCurrent) -> Data:
    """Return a version with the chunks that it brings and those that it takes away."""
    now = _chunks(services, row.document_id, row.version)
    before = _chunks(services, row.document_id, row.previous) if row.previous else {}
    return {
        "version": row.version,
        "previous": row.previous,
        "upserts": [
            {
                "sha256": c.sha256,
                "ordinal": c.ordinal,
                "page": c.page,
                "start": c.start,
                "end": c.end,
            }
            for name, c in now.items()
            if before.get(name) != c
        ],
        "deletes": [name for name in before if name not in now],
    }


def _place(chunk: Chunk) -> Data:
    return {
        "sha256": chunk.sha256,
        "ordinal": chunk.ordinal,
        "page": chunk.page,
        "start": chunk.start,
        "end": chunk.end,
    }


def _chunks(services: Services, document: DocumentId, version: VersionId) -> dict[str, Chunk]:
    """Return chunks by their hashes; those of a purged text are gone with it."""
    try:
        found = services.store.versions.chunks(document, version)
    except VersionPurgedError:
        return {}
    return {chunk.sha256: chunk for chunk in found}


def _finished(services: Services, cursor: FeedCursor, row: Finished) -> Iterator[FeedEvent]:
    """Yield a change, then the live citations that it does not carry with their answers.

    The last of them carries the cursor behind the whole change.
    """
    change = services.store.changes.get(row.change_id)
    done = replace(cursor, finished=row.number, citation=0)
    within = cursor.citation if cursor.finished == row.number - 1 else 0
    if not within:
        judged = services.store.changes.classification(row.change_id)
        data: Data = {
            "change_id": change.change_id,
            "from_version": change.from_version,
            "to_version": change.to_version,
            "change_kind": change.kind.value,
            "cause": change.cause.value,
            "change_class": judged.change_class.value if judged else None,
            "tier": judged.tier.value if judged else None,
        }
        within = 1
        rest = next(_affected(services, row.change_id, 0), None)
        after = done if rest is None else replace(cursor, citation=1)
        yield FeedEvent("change", change.document_id, change.at, data, after)
        if rest is None:
            return
    waiting: tuple[int, Data] | None = None
    for number, found in _affected(services, row.change_id, within - 1):
        if waiting is not None:
            after = replace(cursor, citation=waiting[0] + 1)
            yield FeedEvent("citation", change.document_id, change.at, waiting[1], after)
        waiting = number, found
    if waiting is not None:
        yield FeedEvent("citation", change.document_id, change.at, waiting[1], done)


def _affected(services: Services, change_id: str, after: int) -> Iterator[tuple[int, Data]]:
    now = services.clock.now()
    while page := services.store.citations.affected(change_id, now, after=after, limit=_PAGE):
        for item in page:
            yield (
                item.citation.number,
                {
                    "citation_id": item.citation.citation.citation_id,
                    "change_id": change_id,
                    "status": item.statement.status.value,
                    "material": item.statement.material,
                    "context_changed": item.statement.context_changed,
                    "answers": [
                        {"caller": e.caller, "answer_id": e.answer_id, "ordinal": e.ordinal}
                        for e in item.emissions
                    ],
                },
            )
        after = page[-1].citation.number
