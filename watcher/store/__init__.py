"""Where everything is kept: tables, blobs, and the rules that protect them.

    with Store.open(directory) as store:            # the service: a directory has one
        ...
    Store.open_beside(directory)                    # a command that writes, beside it or alone
    Store.open(directory, read_only=True)           # changes nothing; also on a copy

A `Store` may be used from any thread; writes take turns. It has no clock: every
time is handed in, timezone-aware. Every write about a document needs its lease,
and a stale one raises StaleLeaseError and writes nothing.

store.documents
    sync(declared, at) -> SyncResult                 upsert what is declared, retire the rest
    put(declared, at) -> Document                    one entry, for `add` and `ingest`
    get(document_id) -> Document                     UnknownDocumentError
    list() -> tuple[Document, ...]
    claim_due(now, *, limit, lease_seconds, owner, admit) -> tuple[LeasedDocument, ...]
    claim(document_id, now, *, lease_seconds, owner) -> LeasedDocument   DocumentBusyError
    renew(lease, now, lease_seconds) -> Lease
    release(lease, *, next_check, fails) -> None
    schedule(document_id, next_check) -> None        without a lease: "check it now"
store.observations
    record(lease, observation, release=None) -> Observation    gives the lease back if told to
    before(document_id) -> Before                    what a check begins with
    list(document_id, *, limit) -> tuple[Observation, ...]          newest first
    newest(document_id) -> Observation | None
store.captures
    latest(document_id) -> Capture | None            whatever its state: the next is compared to it
    get(capture_id), list(document_id), held(document_id=None), decisions(capture_id)
    claims(document_id) -> {version: (first, last)}  what was imported, with its claimed times
    body(capture_id) -> bytes                        verified
    agreement(capture_id) -> Agreement               how often its bytes were seen, since when
    reading(reading_id) -> Reading                   text, verified, and everything beside it
store.commits
    commit_capture(lease, capture, reading, observation) -> Commit       one transaction
    accept(lease, capture_id, *, at, actor, reason) -> Commit            a held one
    reject(lease, capture_id, *, at, actor, reason) -> None
    commit_rendition(lease, reading, *, at) -> Commit   re-read of the current capture
store.versions
    current(document_id) -> Current | None
    list(document_id) -> tuple[Version, ...]
    get(document_id, version) -> Version
    at(document_id, time) -> VersionAt
    text(document_id, version) -> CanonicalText      verified; every resolution error
    tombstones(document_id) -> tuple[Tombstone, ...]
    chunks(document_id, version) -> tuple[Chunk, ...]
store.citations
    emit(citation, emission) -> Emission             idempotent by (caller, answer_id, ordinal)
    resolve(citation_id) -> Resolution               fails closed
    resolve_anchor(citation) -> Resolution           one that need not be stored
    withdraw(emission_number, *, at, actor, reason)
    find_emission(caller, answer_id, ordinal) -> Emission | None
    get(citation_id), list(document_id, after, limit), emissions(citation_id)
    live(document_id, now, *, after, limit) -> tuple[StoredCitation, ...]
    count_live(now) -> int
    unanchored(change_id, now, *, algorithm, limit) -> tuple[StoredCitation, ...]
    affected(change_id, now) -> tuple[Affected, ...]
    statements(citation_id) -> tuple[StoredStatement, ...]
store.holds
    pin(citation_id, *, at, actor, reason), hold(document_id, version=None, *, at, actor, reason)
    release(number, *, at, actor, reason), list(document_id)
store.changes
    pending() -> tuple[Change, ...]                  not yet anchored, oldest first
    get(change_id), list(document_id=None, *, limit)
    save_classification(change_id, classification, text_map, *, at, chance=None)  -> classified
    save_statements(change_id, [(citation number, statement)], *, at) -> int  idempotent
    finish(change_id, alerts) -> tuple[Alert, ...]                            -> anchored
    classification(change_id) -> Classification | None     without words: headline, why are ""
    text_map(change_id) -> TextMap | None
store.rule_sets
    put(body, at) -> str, get(digest) -> str         the owner's rules of a judgement
store.reviews
    record(change_id, verdict, *, at, actor, note) -> JudgedChange
    get(change_id), queue(*, limit), unreviewed(tiers, *, limit)
    reviewed(), scores() -> tuple[JudgedChange, ...]; waiting() -> int
store.dates
    unscanned(document_id=None, *, limit), scanned(document_id, version, found, *, at, method)
    state(document_id, version, day, *, at), decide(number, decision, *, at, actor)
    get(number), list(document_id=None) -> tuple[EffectiveDate, ...]
store.outbox
    add(alerts) -> tuple[Alert, ...]                 for what is no change
    claim_due(now, *, limit, lease_seconds) -> tuple[Alert, ...]
    delivered(number, *, at, receipt), retry(number, *, not_before, error)
    dead(number, *, at, error), revive(number, *, at)
    confirm(event_id, *, at), cancel(event_id)      what was held for a confirming fetch
    digest(channel) -> tuple[Alert, ...], digested(numbers, *, at, receipt)
    ack(number, *, at, actor), resolve(event_id, *, at, by), silence(number, silence, *, at)
    get(number), find(event_id, channel), list(state=None, *, document_id=None, limit)
store.service
    samples(since), alerts(), looked(at, samples, alerts, *, keep_since)   budgets, evaluated here
    faults(), audited(document_id, broken, at)       citations that the audit found broken
    tallies(kind), count(kind, result, at)           events that are few
store.incidents
    refused(document_id, reason, at) -> Incident     opens one, or counts it
    told(number, at), close(document_id, at) -> tuple[Incident, ...], open(document_id=None)
store.silences
    add(said) -> Silence, end(number, *, at, actor, reason) -> Silence     SilenceError
    active(now), list(*, limit), get(number), known_elsewhere(number, remote)
store.backups
    record(saved), newest() -> SavedBackup | None    made by `watcher.store.backups.copy`
store.acts
    record(act), list(*, limit), since(number, *, limit), newest(act, subject)
store.purges
    purge(document_id, version, *, at, rule, actor, reason, forced="") -> Tombstone
    work_off() -> int                                removes blobs that nothing needs any more
store.bulk                                           many citations, an outcome each
    documents(ids) -> {id: document_id}, resolve(ids), emit([(citation, emission)])
store.feed
    became(after, limit), finished(after, limit), purged(after, limit)   in order of commits
store.tokens
    add(token), list() -> tuple[ApiToken, ...], revoke(name, *, at, actor)
    groups() -> {document_id: groups}, set_groups(wanted, at)
store.triage
    record(triage) -> Triage, history(change_id), newest(change_ids), list(*, after, limit)
store.counts() -> Counts
"""

from __future__ import annotations

from watcher.store.errors import (
    ChangeStateError,
    DecisionError,
    DocumentBusyError,
    EmissionConflictError,
    NotCitableError,
    PurgeRefusedError,
    RenditionMismatchError,
    ReviewError,
    SchemaTooNewError,
    StaleLeaseError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    TriggersAlteredError,
    UnknownAlertError,
    UnknownCaptureError,
    UnknownChangeError,
    UnknownCitationError,
    UnknownDateError,
    UnknownHoldError,
    WriteOnceError,
)
from watcher.store.rows import (
    Affected,
    Agreement,
    Alert,
    AlertKind,
    AlertState,
    Capture,
    CaptureState,
    Change,
    ChangeState,
    Commit,
    Counts,
    Current,
    Decision,
    DeclaredDocument,
    Document,
    DocumentState,
    EffectiveDate,
    Emission,
    Gap,
    Hold,
    HoldKind,
    Incident,
    JudgedChange,
    Lease,
    LeasedDocument,
    NewAlert,
    NewCapture,
    NewEmission,
    NewObservation,
    Observation,
    OperatorAct,
    Origin,
    Resolution,
    Review,
    Standing,
    StoredCitation,
    StoredStatement,
    StoredValidators,
    Tombstone,
    Version,
    VersionAt,
)
from watcher.store.rows.serving import ApiToken, Disposition, NewApiToken, Triage
from watcher.store.store import Store

__all__ = [
    "Affected",
    "Agreement",
    "Alert",
    "AlertKind",
    "AlertState",
    "ApiToken",
    "Capture",
    "CaptureState",
    "Change",
    "ChangeState",
    "ChangeStateError",
    "Commit",
    "Counts",
    "Current",
    "Decision",
    "DecisionError",
    "DeclaredDocument",
    "Disposition",
    "Document",
    "DocumentBusyError",
    "DocumentState",
    "EffectiveDate",
    "Emission",
    "EmissionConflictError",
    "Gap",
    "Hold",
    "HoldKind",
    "Incident",
    "JudgedChange",
    "Lease",
    "LeasedDocument",
    "NewAlert",
    "NewApiToken",
    "NewCapture",
    "NewEmission",
    "NewObservation",
    "NotCitableError",
    "Observation",
    "OperatorAct",
    "Origin",
    "PurgeRefusedError",
    "RenditionMismatchError",
    "Resolution",
    "Review",
    "ReviewError",
    "SchemaTooNewError",
    "StaleLeaseError",
    "Standing",
    "Store",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "StoreLockedError",
    "StoreReadOnlyError",
    "StoredCitation",
    "StoredStatement",
    "StoredValidators",
    "Tombstone",
    "Triage",
    "TriggersAlteredError",
    "UnknownAlertError",
    "UnknownCaptureError",
    "UnknownChangeError",
    "UnknownCitationError",
    "UnknownDateError",
    "UnknownHoldError",
    "Version",
    "VersionAt",
    "WriteOnceError",
]
