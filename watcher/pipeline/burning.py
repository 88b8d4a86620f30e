"""The alerts on error budgets, from the daemon's own samples, through its own channels.

For people without Prometheus. Each minute the daemon reads its own metrics,
keeps what the objectives look at for three days, and looks. What fires is put
into the outbox once and resolved once; samples and standings are in the
database, so a restart neither ends nor repeats an alert.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from prometheus_client import CollectorRegistry

from watcher import logs
from watcher.alert.channels import route
from watcher.domain.changes import Severity
from watcher.domain.ids import DocumentId
from watcher.errors import ConfigError
from watcher.logs import Event
from watcher.metrics import SloEvaluator
from watcher.pipeline.answering import resolve
from watcher.pipeline.services import Services
from watcher.settings import Settings
from watcher.slo import Source
from watcher.slo.evaluate import KEEP_SECONDS, Evaluator, Standing, budgeted, sampled
from watcher.slo.history import History, Sample
from watcher.slo.model import AlertRule
from watcher.store.acts import SYSTEM
from watcher.store.rows import AlertKind, DeclaredDocument, NewAlert
from watcher.store.service import ServiceAlert

LOOK_SECONDS = 60.0
SERVICE = DocumentId("watcher")
"""Alerts about the daemon itself belong to this document, which nobody fetches."""
SERVICE_TITLE = "the watcher itself"

_log = logs.get(__name__)


def check_evaluator(settings: Settings, read: Callable[[], Source]) -> Source | None:
    """Return what the daemon has to evaluate itself, None where Prometheus does.

    Raises:
        ConfigError: the daemon is to evaluate, and nothing could come of it.
    """
    if settings.slo.evaluator == "prometheus":
        return None
    if not settings.channels:
        raise ConfigError(
            "slo.evaluator is internal and there is no channel: its alerts would reach nobody",
            hint="add a [[channels]] table, or let Prometheus evaluate",
        )
    if any(entry.document_id == SERVICE for entry in settings.documents):
        raise ConfigError(
            f"the document_id {SERVICE!r} is the daemon's own", hint="give that document another"
        )
    source = read()
    if not budgeted(source):
        raise ConfigError(
            f"no objective in {settings.slo.folder} has an alert",
            hint="annotate one with watcher/alert, or let Prometheus evaluate",
        )
    return source


class BudgetWatch:
    """Looks at the budgets; `run` is one look."""

    def __init__(self, services: Callable[[], Services], source: Source) -> None:
        self._services = services
        self._evaluator = Evaluator(budgeted(source))
        self._history = History(KEEP_SECONDS)
        self._standing: dict[str, Standing] | None = None
        services().metrics.evaluated_by(SloEvaluator.INTERNAL)

    async def run(self) -> None:
        """Sample, look, and tell what began and what ended."""
        await asyncio.to_thread(self._look)

    def _look(self) -> None:
        services = self._services()
        now = services.clock.now()
        before = self._standing if self._standing is not None else self._restore(services, now)
        values = sampled(self._evaluator.objectives, exported(services.metrics.registry))
        self._history.add(now.timestamp(), values)
        found = self._evaluator.look(self._history, now.timestamp(), before)
        for key, (rule, stands) in found.items():
            self._tell(services, rule, before.get(key), stands)
        # Kept last: what is told twice is one alert by its key, what is kept untold is none.
        standing = {key: stands for key, (_, stands) in found.items()}
        services.store.service.looked(
            now,
            values,
            {key: _kept(stands) for key, stands in standing.items()},
            keep_since=now - timedelta(seconds=KEEP_SECONDS),
        )
        self._standing = standing
        for slo, rate in self._evaluator.burn_rate(self._history, now.timestamp()):
            services.metrics.slo_burn_rate.labels(slo.name).set(rate)

    def _restore(self, services: Services, now: datetime) -> dict[str, Standing]:
        """Take up what an earlier process sampled, and how it left the alerts."""
        for at, values in services.store.service.samples(now - timedelta(seconds=KEEP_SECONDS)):
            self._history.add(at.timestamp(), values)
        return {
            key: Standing(
                alert.looked_at.timestamp(),
                alert.active_since.timestamp() if alert.active_since else None,
                alert.firing_since.timestamp() if alert.firing_since else None,
                alert.value,
            )
            for key, alert in services.store.service.alerts().items()
        }

    def _tell(
        self, services: Services, rule: AlertRule, before: Standing | None, now: Standing
    ) -> None:
        firing = now.firing_since
        labels = services.metrics.slo_alert_firing.labels(rule.name, rule.severity.value)
        labels.set(int(firing is not None))
        fired = before.firing_since if before is not None else None
        if firing is not None and firing != fired:
            _log.error(Event.SLO_FIRING, alert=rule.name, severity=rule.severity.value)
            _queue(services, rule, AlertKind.SERVICE, firing)
        elif firing is None and fired is not None:
            _log.info(Event.SLO_RESOLVED, alert=rule.name, severity=rule.severity.value)
            resolve(services, _event_of(rule, AlertKind.SERVICE, fired), SYSTEM)
            _queue(services, rule, AlertKind.RECOVERED, fired)


def exported(registry: CollectorRegistry) -> Iterator[Sample]:
    """Yield every sample that a scrape would get."""
    for family in registry.collect():
        for sample in family.samples:
            yield Sample(sample.name, sample.labels, sample.value)


def _event_of(rule: AlertRule, kind: AlertKind, since: float) -> str:
    text = f"{SERVICE}\n{kind.value}\n{rule.dedup_key}\n{since:.3f}"
    return hashlib.sha256(text.encode()).hexdigest()


def _queue(services: Services, rule: AlertRule, kind: AlertKind, since: float) -> None:
    """Put an alert into the outbox for every channel that takes it; once."""
    now = services.clock.now()
    services.store.documents.put(DeclaredDocument(SERVICE, SERVICE_TITLE, (), ""), now)
    severity = Severity.INFO if kind is AlertKind.RECOVERED else Severity(rule.severity.value)
    event = _event_of(rule, kind, since)
    said = f"{rule.dedup_key}: {rule.summary}"
    services.store.outbox.add(
        NewAlert(event, channel.name, kind, SERVICE, severity, now, now, reason=said)
        for channel in route(services.settings.channels, severity, "")
    )


def _kept(stands: Standing) -> ServiceAlert:
    def moment(seconds: float | None) -> datetime | None:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

    return ServiceAlert(
        datetime.fromtimestamp(stands.looked_at, UTC),
        moment(stands.active_since),
        moment(stands.firing_since),
        stands.value,
    )
