"""Many alerts in one message, made from what is stored of them: no text is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from watcher.alert.digest import Digest, DigestEntry, DigestReason
from watcher.alert.message import AlertMessage, delivery_key
from watcher.alert.notice import Notice
from watcher.domain.changes import Severity
from watcher.pipeline.messages import link_of, notice, touched
from watcher.pipeline.services import Services
from watcher.pipeline.touched import touched_citations
from watcher.store.rows import Alert


def build_digest(services: Services, reason: DigestReason, alerts: Iterable[Alert]) -> Digest:
    """Return the digest of `alerts`, at least one."""
    entries = tuple(_entry(services, together) for together in _flaps_together(services, alerts))
    return Digest(reason, entries, "watcher alerts list")


def _flaps_together(services: Services, alerts: Iterable[Alert]) -> list[list[Alert]]:
    """Return the alerts, those of one flap as one: a change, what took it back, and so on."""
    groups: dict[object, list[Alert]] = {}
    for alert in alerts:
        group: object = alert.number
        if alert.change_id is not None and (alert.reverted or alert.reason == "reverted"):
            change = services.store.changes.get(alert.change_id)
            group = (change.document_id, frozenset((change.from_version, change.to_version)))
        groups.setdefault(group, []).append(alert)
    return list(groups.values())


def _entry(services: Services, alerts: list[Alert]) -> DigestEntry:
    """Return one entry; a flap names the texts between which a document went to and fro."""
    first = alerts[0]
    message = _brief(services, first)
    if first.silence is not None:
        message = _silenced(services, message, first.silence)
    if len(alerts) > 1 and isinstance(message, AlertMessage):
        texts = " and ".join(v[:19] for v in (message.from_version, message.to_version))
        times = sum(alert.reason == "reverted" for alert in alerts)
        said = f"goes to and fro between {texts}, taken back {times} time{'s' * (times != 1)}"
        message = replace(message, headline=f"{said}: {message.headline}")
    return DigestEntry(delivery_key(first.event_id, first.channel), message)


def _silenced(
    services: Services, message: AlertMessage | Notice, number: int
) -> AlertMessage | Notice:
    """Return an entry that calls nobody, and says at whose word."""
    said = services.store.silences.get(number).said
    why = f"silenced by {said.actor} until {said.ends_at:%Y-%m-%dT%H:%MZ}, {said.reason!r}"
    if isinstance(message, AlertMessage):
        headline = f"{message.headline} ({why})"
        return replace(message, severity=Severity.INFO, headline=headline)
    return replace(message, severity=Severity.INFO, message=f"{message.message} ({why})")


def _brief(services: Services, alert: Alert) -> AlertMessage | Notice:
    """Return an alert without passages and sentences.

    Those would mean reading two versions and judging the change again, which
    takes seconds; a storm has hundreds.
    """
    if alert.change_id is None:
        return notice(services, alert)
    change = services.store.changes.get(alert.change_id)
    judged = services.store.changes.classification(alert.change_id)
    assert judged is not None, "alerts are queued for classified changes"
    entry = services.entries.get(change.document_id)
    about = f" ({', '.join(judged.facets)})" if judged.facets else ""
    reverted = "reverted " if alert.reverted or alert.reason == "reverted" else ""
    return AlertMessage(
        change_id=change.change_id,
        document_id=change.document_id,
        title=services.store.documents.get(change.document_id).title,
        owner=entry.owner if entry else "",
        change_class=judged.change_class,
        tier=judged.tier,
        severity=alert.severity,
        headline=f"{reverted}{judged.change_class.value} change{about}",
        reasons=(),
        facets=judged.facets,
        from_version=change.from_version,
        to_version=change.to_version,
        excerpts=(),
        citations=tuple(touched(item) for item in touched_citations(services, change)),
        observed_at=change.at.isoformat(timespec="seconds"),
        link=link_of(services, change),
        unconfirmed=alert.unconfirmed,
    )
