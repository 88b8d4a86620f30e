"""From received bytes to a stored capture, or to a named refusal.

The same path serves what was fetched and what was pushed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime

from watcher import logs
from watcher.domain.reading import Problem, Reading
from watcher.domain.verdicts import Outcome, Verdict
from watcher.extract import Limits, Options, Source, extract_isolated
from watcher.fetch import Answer
from watcher.logs import Event
from watcher.metrics import KillReason
from watcher.pipeline.at_hand import AtHand
from watcher.pipeline.changes import advance
from watcher.pipeline.gone import many_citations_gone
from watcher.pipeline.incidents import held_seen, hold_decided
from watcher.pipeline.requests import extract_options
from watcher.pipeline.services import Services
from watcher.pipeline.verdicts import judge_first, judge_reading
from watcher.settings import DocumentEntry
from watcher.store.acts import SYSTEM
from watcher.store.rows import (
    CaptureState,
    Commit,
    Current,
    LeasedDocument,
    NewCapture,
    NewObservation,
)

_log = logs.get(__name__)
_EXTRACTIONS = 2
"""Extractions under way at once: each is a process that may use a whole core."""
_KILLS = {
    "cpu": KillReason.TIMEOUT,
    "memory": KillReason.MEMORY,
    "crash": KillReason.CRASH,
}


@dataclass(frozen=True, slots=True)
class Received:
    """Bytes that came in, and how. `answer` is None for what was pushed."""

    leased: LeasedDocument
    entry: DocumentEntry | None
    capture: NewCapture
    charset: str = ""
    answer: Answer | None = None
    media_type: str | None = None
    """A type that whoever pushed the bytes named; outranks the declared one."""

    @property
    def source(self) -> Source:
        """What the extraction gets."""
        declared = self.media_type or self.capture.content_type or None
        name = (self.capture.final_url or self.capture.url).split("?")[0].rsplit("/", 1)[-1]
        return Source(self.capture.body, declared, self.charset or None, name)


class Intake:
    """Takes bytes in; one for each process, so that extractions take turns."""

    def __init__(self, services: Services, limits: Limits | None = None) -> None:
        self._services = services
        self._limits = limits or Limits()
        self._turns = asyncio.Semaphore(_EXTRACTIONS)

    async def take(self, received: Received) -> tuple[Verdict, str | None]:
        """Read, judge and store; return the verdict and the change that came of it.

        Raises:
            WatcherError: the store refused or failed.
        """
        document_id = received.leased.document.document_id
        current = await asyncio.to_thread(self._services.store.versions.current, document_id)
        options = extract_options(received.entry, current.rendition.engine if current else None)
        reading = await self._read(received.source, options)
        at_hand = AtHand(self._services)
        verdict = await asyncio.to_thread(self._judge, received, reading, current, at_hand)
        if (
            verdict.outcome is not Outcome.REFUSED
            and current is not None
            and current.rendition != reading.rendition
        ):
            await self.reread(received.leased, current, options)
        return await asyncio.to_thread(self._conclude, received, reading, verdict, at_hand)

    def _judge(
        self, received: Received, reading: Reading, current: Current | None, at_hand: AtHand
    ) -> Verdict:
        """Return the verdict on what was read, with the evidence of its fetch before it."""
        answer = received.answer
        verdict = judge_reading(at_hand, received.capture, reading, current, answer)
        if answer is not None:
            verdict = replace(verdict, evidence=(*answer.evidence, *verdict.evidence))
        if verdict.outcome is Outcome.ACCEPTED and current is not None:
            verdict = many_citations_gone(at_hand, current, reading, verdict)
        return verdict

    def _conclude(
        self, received: Received, reading: Reading, verdict: Verdict, at_hand: AtHand
    ) -> tuple[Verdict, str | None]:
        """Store what was judged, and follow up the change that comes of it."""
        if verdict.outcome is Outcome.REFUSED:
            self._refuse(received, verdict)
            return verdict, None
        commit = self._commit(received, reading, verdict)
        if commit.new_capture:
            at_hand.keep(commit.reading_id, reading)
        if commit.state is CaptureState.HELD:
            name = received.leased.document.document_id
            reason = verdict.reason.value if verdict.reason else ""
            held_seen(self._services, name, commit.capture_id, reason)
            commit = self._end_hold_if_agreed(received, commit)
        self._follow(commit, at_hand)
        return verdict, commit.change_id

    async def judge_part(self, entry: DocumentEntry, answer: Answer) -> Verdict:
        """Judge one of several sources of a document by itself; nothing is stored."""
        capture = capture_of(answer, answer.shown_url, self._services.clock.now())
        name = answer.shown_url.split("?", maxsplit=1)[0].rsplit("/", 1)[-1]
        source = Source(
            answer.body, answer.content_type or None, answer.declared_charset or None, name
        )
        reading = await self._read(source, extract_options(entry, None))
        return await asyncio.to_thread(judge_first, answer, capture, reading)

    async def take_past(self, received: Received) -> tuple[Verdict, Commit | None]:
        """Read, judge and store what is claimed to be of an earlier time.

        It is judged by itself: a later text is no measure for an earlier one,
        and nobody will confirm what looks suspicious, so that is left out too.

        Raises:
            WatcherError: the store refused or failed.
        """
        store = self._services.store
        document_id = received.leased.document.document_id
        current = await asyncio.to_thread(store.versions.current, document_id)
        options = extract_options(received.entry, current.rendition.engine if current else None)
        reading = await self._read(received.source, options)
        verdict = await asyncio.to_thread(
            judge_reading, AtHand(self._services), received.capture, reading, None, None
        )
        if verdict.outcome is not Outcome.ACCEPTED:
            return verdict, None
        commit = await asyncio.to_thread(
            store.commits.import_capture, received.leased.lease, received.capture, reading
        )
        return verdict, commit

    async def _read(self, source: Source, options: Options) -> Reading:
        async with self._turns:
            reading = await asyncio.to_thread(extract_isolated, source, options, self._limits)
        self._services.metrics.extraction_ended(reading.media_type, reading.verdict)
        for problem in reading.problems:
            self._count_kill(problem)
        return reading

    def _count_kill(self, problem: Problem) -> None:
        reason = _KILLS.get(problem.code)
        if reason is not None:
            self._services.metrics.worker_kills.labels(reason.value).inc()
            _log.warning(Event.WORKER_KILLED, reason=reason.value, message=problem.message)

    def _refuse(self, received: Received, verdict: Verdict) -> None:
        self._services.store.observations.record(
            received.leased.lease, self._observation(received, verdict)
        )

    def _commit(self, received: Received, reading: Reading, verdict: Verdict) -> Commit:
        commit = self._services.store.commits.commit_capture(
            received.leased.lease,
            received.capture,
            reading,
            self._observation(received, verdict),
        )
        if commit.new_version:
            _log.info(Event.VERSION_STORED, version=commit.version, capture_id=commit.capture_id)
        return commit

    def _observation(self, received: Received, verdict: Verdict) -> NewObservation:
        sent = received.answer.validators if received.answer else None
        return NewObservation(
            at=received.capture.captured_at,
            url=received.capture.url,
            verdict=verdict,
            final_url=received.capture.final_url,
            http_status=received.capture.http_status,
            etag=sent.etag if sent else "",
            last_modified=sent.last_modified if sent else "",
        )

    def _end_hold_if_agreed(self, received: Received, commit: Commit) -> Commit:
        """Accept a held capture once enough fetches over enough time agree.

        Never the first one of a document: a wall that stays would become
        version 1. Then a person decides.
        """
        check, store = self._services.settings.check, self._services.store
        seen = store.captures.agreement(commit.capture_id)
        first = store.versions.current(received.leased.document.document_id) is None
        if (
            first
            or seen is None
            or seen.count < check.held_fetches
            or seen.last - seen.first < check.held_for
        ):
            return commit
        accepted = store.commits.accept(
            received.leased.lease,
            commit.capture_id,
            at=received.capture.captured_at,
            reason=f"{seen.count} fetches agree, from {seen.first} to {seen.last}",
        )
        name = received.leased.document.document_id
        hold_decided(self._services, name, commit.capture_id, SYSTEM)
        return accepted

    def _follow(self, commit: Commit, at_hand: AtHand) -> None:
        """Bring the change of a commit to its last state."""
        if commit.change_id is not None:
            advance(self._services, self._services.store.changes.get(commit.change_id), at_hand)

    async def reread(
        self, leased: LeasedDocument, current: Current, options: Options
    ) -> Commit | None:
        """Read the current capture under the recipe that is installed now.

        Only then is the publisher's change computed between two readings of
        one recipe; what the recipe changed is a change of its own, ours.
        Returns None where the recipe gives nothing new, or no text.
        """
        store = self._services.store
        capture = await asyncio.to_thread(store.captures.get, current.capture_id)
        body = await asyncio.to_thread(store.captures.body, current.capture_id)
        name = (capture.final_url or capture.url).split("?")[0].rsplit("/", 1)[-1]
        reading = await self._read(Source(body, capture.content_type or None, None, name), options)
        if not reading.usable or reading.rendition == current.rendition:
            return None
        commit = await asyncio.to_thread(
            lambda: store.commits.commit_rendition(
                leased.lease, reading, at=self._services.clock.now()
            )
        )
        await asyncio.to_thread(self._follow, commit, AtHand(self._services))
        return commit


def capture_of(answer: Answer, url: str, at: datetime) -> NewCapture:
    """Return the capture of a fetched body."""
    tls = answer.tls
    facts = (
        (
            ("version", tls.version),
            ("cipher", tls.cipher),
            ("certificates_sha256", tls.certificates_sha256),
            ("whole_chain", str(tls.chain).lower()),
        )
        if tls
        else ()
    )
    return NewCapture(
        body=answer.body,
        url=url,
        captured_at=at,
        content_type=answer.content_type,
        final_url=answer.shown_url,
        http_status=answer.status,
        headers=answer.headers,
        peer=answer.peer,
        tls=facts,
        server_date=answer.server_date,
    )
