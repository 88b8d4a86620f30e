"""One check of one document: fetch, read, judge, store, and plan the next.

Nothing here holds a transaction across a wait. What a crash leaves behind is a
lease that runs out; the next check begins anew and finds what was stored.
"""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from watcher import logs
from watcher.domain.ids import DocumentId
from watcher.domain.verdicts import Outcome, Verdict
from watcher.errors import WatcherError
from watcher.fetch import Answer, AnswerKind, Fetcher, Request
from watcher.logs import Event
from watcher.pipeline.combining import fetch_parts
from watcher.pipeline.confirming import confirm_held
from watcher.pipeline.following import fetch_newest
from watcher.pipeline.incidents import drop_held_captures, refusal_ended, refusal_seen
from watcher.pipeline.intake import Intake, Received, capture_of
from watcher.pipeline.requests import fetch_request
from watcher.pipeline.scheduling import next_check
from watcher.pipeline.services import Services
from watcher.settings import DocumentEntry
from watcher.store.rows import Before, Document, LeasedDocument, NewObservation, Release

T = TypeVar("T")
_log = logs.get(__name__)

_EVENTS = {
    Outcome.ACCEPTED: Event.CHECK_ACCEPTED,
    Outcome.NOT_MODIFIED: Event.CHECK_NOT_MODIFIED,
    Outcome.SAME_BYTES: Event.CHECK_SAME_BYTES,
    Outcome.HELD: Event.CHECK_HELD,
    Outcome.REFUSED: Event.CHECK_REFUSED,
}


_AS_BEFORE = (Outcome.NOT_MODIFIED, Outcome.SAME_BYTES)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check came to. `verdict` is None where the host was to be left alone."""

    document_id: DocumentId
    verdict: Verdict | None
    answer: Answer
    change_id: str | None = None


class Checker:
    """Checks documents; one for each process, sharing its fetcher."""

    def __init__(self, services: Services, fetcher: Fetcher) -> None:
        self.services = services
        self._fetcher = fetcher
        self._intake = Intake(services)

    async def check(self, leased: LeasedDocument, *, full: bool = False) -> CheckReport:
        """Check one leased document and give its lease back.

        Raises:
            WatcherError: a fault of our own (store, configuration); the lease
                is given back and the document is tried again later.
        """
        check_id = uuid.uuid4().hex[:16]
        started = self.services.clock.monotonic()
        document_id = leased.document.document_id
        with logs.bound(document_id=document_id, check_id=check_id):
            self.services.metrics.checks_in_flight.inc()
            try:
                report = await self._run(leased, full=full)
            except WatcherError as error:
                await self._failed(leased, error)
                raise
            finally:
                self.services.metrics.checks_in_flight.dec()
            self._tell(report, self.services.clock.monotonic() - started, check_id)
            return report

    async def _run(self, leased: LeasedDocument, *, full: bool) -> CheckReport:
        services, document = self.services, leased.document
        entry = services.entries.get(document.document_id)
        if entry is None:
            raise WatcherError(
                "the document is not in the configuration any more",
                document_id=document.document_id,
                hint="reload the configuration to retire it",
            )
        before = await self._store(lambda: services.store.observations.before(document.document_id))
        full = full or before.confirming or self._full_is_due(before)
        request = fetch_request(services.settings, entry, document, full=full)
        answer = await self._fetch(request, entry)
        services.metrics.fetched_bytes.inc(answer.raw_bytes)
        if answer.kind is AnswerKind.DEFERRED:
            later = services.clock.now() + timedelta(seconds=answer.retry_after or 1)
            await self._store(lambda: self._release(leased, later, document.fails))
            return CheckReport(document.document_id, None, answer)
        return await self._conclude(leased, entry, answer, before)

    async def _fetch(self, request: Request, entry: DocumentEntry) -> Answer:
        if entry.follow is not None:
            return await fetch_newest(self._fetcher, request, entry.follow)
        if entry.urls:
            urls = [str(url) for url in entry.urls]
            return await fetch_parts(
                self._fetcher, request, urls, lambda part: self._intake.judge_part(entry, part)
            )
        return await self._fetcher.fetch(request)

    async def _conclude(
        self, leased: LeasedDocument, entry: DocumentEntry, answer: Answer, before: Before
    ) -> CheckReport:
        """Turn an answer into an observation, and into a capture where it is one."""
        document_id = leased.document.document_id
        matched, change_id = _matched(leased.document, answer, before), None
        if answer.kind is AnswerKind.BODY and matched is None:
            url, now = leased.document.urls[0], self.services.clock.now()
            received = Received(
                leased, entry, capture_of(answer, url, now), answer.declared_charset, answer
            )
            verdict, change_id = await self._intake.take(received)
            changed = replace(before, confirming=before.confirming or change_id is not None)
            await self._store(lambda: self._after(leased, entry, answer, verdict, changed))
        else:
            verdict = answer.verdict or Verdict(
                Outcome.NOT_MODIFIED
                if answer.kind is AnswerKind.NOT_MODIFIED
                else Outcome.SAME_BYTES
            )
            verdict = replace(verdict, evidence=(*answer.evidence, *verdict.evidence))
            seen = observation_of(leased, answer, verdict, self.services.clock.now(), matched)
            await self._store(lambda: self._end(leased, entry, answer, seen, before))
        return CheckReport(document_id, verdict, answer, change_id)

    def _end(
        self,
        leased: LeasedDocument,
        entry: DocumentEntry,
        answer: Answer,
        seen: NewObservation,
        before: Before,
    ) -> None:
        """Record what brought no capture, and give the document back.

        Most checks find nothing new after nothing open: those are one transaction.
        """
        record = self.services.store.observations.record
        if _is_quiet(seen.verdict, before) and not leased.document.fails:
            at = next_check(
                self.services, entry, fails=0, retry_after=answer.retry_after, soon=False
            )
            record(leased.lease, seen, Release(at, 0))
        else:
            record(leased.lease, seen)
            self._after(leased, entry, answer, seen.verdict, before)

    def _after(
        self,
        leased: LeasedDocument,
        entry: DocumentEntry,
        answer: Answer,
        verdict: Verdict,
        before: Before,
    ) -> None:
        """Plan the next check; confirm, open or close what this one decided."""
        services, document = self.services, leased.document
        refused = verdict.outcome is Outcome.REFUSED
        if refused:
            refusal_seen(services, document, verdict, answer)
        elif document.fails:
            refusal_ended(services, document)
        if verdict.outcome in _AS_BEFORE:
            if before.confirming:
                confirm_held(services, document.document_id)
            if not _nothing_is_held(before):
                drop_held_captures(services, leased)
        fails = document.fails + 1 if refused else 0
        waiting = before.confirming and self._is_confirming(document.document_id)
        self._release(
            leased,
            next_check(services, entry, fails=fails, retry_after=answer.retry_after, soon=waiting),
            fails,
        )

    def _is_confirming(self, document_id: DocumentId) -> bool:
        return bool(self.services.store.outbox.held(document_id))

    def _full_is_due(self, before: Before) -> bool:
        """Tell whether it is time to ask without validators: a 304 may hide a change."""
        newest = before.newest
        return (
            newest is not None
            and newest.verdict.outcome is Outcome.NOT_MODIFIED
            and newest.count >= self.services.settings.check.full_every
        )

    def _release(self, leased: LeasedDocument, at: datetime, fails: int) -> None:
        self.services.store.documents.release(leased.lease, next_check=at, fails=fails)

    async def _failed(self, leased: LeasedDocument, error: WatcherError) -> None:
        """Give the lease back after a fault of our own, so that others are not held up."""
        self.services.metrics.check_failures.inc()
        _log.error(Event.CHECK_FAILED, error=error.code, message=error.message, hint=error.hint)
        later = self.services.clock.now() + timedelta(minutes=1)
        try:
            await self._store(lambda: self._release(leased, later, leased.document.fails))
        except WatcherError as again:
            # The lease runs out by itself; there is nothing to lose.
            _log.warning(Event.STORE_UNAVAILABLE, error=again.code, message=again.message)

    def _tell(self, report: CheckReport, seconds: float, check_id: str) -> None:
        verdict = report.verdict
        if verdict is None:
            return
        self.services.metrics.check_ended(verdict.outcome, verdict.reason, seconds, check_id)
        fields = {"reason": verdict.reason.value} if verdict.reason else {}
        level = _log.warning if verdict.outcome in (Outcome.REFUSED, Outcome.HELD) else _log.info
        level(
            _EVENTS[verdict.outcome],
            url=report.answer.shown_url,
            duration_ms=round(seconds * 1000),
            message=verdict.message,
            hint=verdict.hint,
            **fields,
        )

    async def _store(self, work: Callable[[], T]) -> T:
        return await asyncio.to_thread(work)


def _matched(document: Document, answer: Answer, before: Before) -> str | None:
    """Return the id of the accepted capture that an answer confirms, None for none.

    A 304 confirms the capture that its validators came with; a body the last
    accepted one, if it has its bytes.
    """
    if answer.kind is AnswerKind.NOT_MODIFIED and document.validators is not None:
        return document.validators.capture_id
    if answer.kind is not AnswerKind.BODY or before.accepted is None:
        return None
    same = hashlib.sha256(answer.body).hexdigest() == before.accepted_sha256
    return before.accepted if same else None


def _is_quiet(verdict: Verdict, before: Before) -> bool:
    """Tell whether a check found what was there, with nothing open before it."""
    return verdict.outcome in _AS_BEFORE and not before.confirming and _nothing_is_held(before)


def _nothing_is_held(before: Before) -> bool:
    """Tell whether the accepted text was what was seen last: then nothing is held."""
    return before.newest is not None and before.newest.verdict.outcome in _AS_BEFORE


def observation_of(
    leased: LeasedDocument,
    answer: Answer,
    verdict: Verdict,
    at: datetime,
    matched: str | None = None,
) -> NewObservation:
    """Return what a check saw, ready to be recorded."""
    sent = answer.validators
    return NewObservation(
        at=at,
        url=leased.document.urls[0],
        verdict=verdict,
        final_url=answer.shown_url,
        http_status=answer.status,
        etag=sent.etag if sent else "",
        last_modified=sent.last_modified if sent else "",
        capture_id=matched,
    )
