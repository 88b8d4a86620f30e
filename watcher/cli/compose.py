"""Putting a daemon together: settings, store, fetcher, jobs, health."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path

from watcher import __version__, logs
from watcher.cli import slo_actions
from watcher.cli.opening import actor, channel_names
from watcher.clock import SystemClock
from watcher.daemon.canary_site import CanarySite
from watcher.daemon.health import HealthCheck, disk_check
from watcher.daemon.jobs import Job
from watcher.daemon.serve import DaemonApp, serve
from watcher.errors import WatcherError
from watcher.fetch import Fetcher
from watcher.metrics import Metrics
from watcher.pipeline import burning
from watcher.pipeline.auditing import SLICE_SECONDS, Auditor
from watcher.pipeline.canary import Canary
from watcher.pipeline.configuring import record_configuration
from watcher.pipeline.counting import read_counts
from watcher.pipeline.dating import find_dates
from watcher.pipeline.deliver import build_senders, deliver_digests, deliver_due
from watcher.pipeline.dispatch import Dispatcher
from watcher.pipeline.reminding import remind
from watcher.pipeline.requests import fetch_settings
from watcher.pipeline.ruling import patterns
from watcher.pipeline.scheduling import spread_overdue
from watcher.pipeline.services import Services
from watcher.pipeline.sync import sync_documents
from watcher.settings import Settings, load
from watcher.store import Store
from watcher.web import WebServer, create_app

_DRAIN_SECONDS = 30.0
_DAY = 86_400.0
_DATES_SECONDS = 60.0
_DATES_CPU_SECONDS = 1.0
"""Of each run: new versions wait for their dates, checks do not wait for dates."""
_DIGEST_SECONDS = 300.0
"""How late after its time a digest may go out."""


def run_daemon(config: Path) -> int:
    """Run the daemon that `config` describes, until it is told to stop.

    Returns the exit code: see `watcher.daemon.serve.serve`.

    Raises:
        WatcherError: it cannot start: the settings or the data directory.
    """
    settings = load(config)
    style = logs.Style.CONSOLE if sys.stderr.isatty() else logs.Style.JSON
    logs.configure(level=logs.Level(settings.log.level), style=style)
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    with Store.open(settings.data_dir) as store:
        return asyncio.run(_Daemon(config, settings, store).run())


class _Daemon:
    """Holds what a reload replaces: the services and the senders, both whole."""

    def __init__(self, config: Path, settings: Settings, store: Store) -> None:
        self._config = config
        metrics = Metrics(
            channels=channel_names(settings),
            read_store=lambda: read_counts(self._services),
            data_directory=settings.data_dir,
        )
        self._services = Services(settings, store, SystemClock(), metrics)
        self._senders = build_senders(settings)
        self._auditor = Auditor(lambda: self._services)
        self._budgets = self._budget_watch(settings)
        self._canary: Canary | None = None
        self._declare_patterns(settings)

    async def run(self) -> int:
        """Serve until told to stop."""
        services = self._services
        await asyncio.to_thread(record_configuration, services, actor())
        await asyncio.to_thread(sync_documents, services)
        await asyncio.to_thread(spread_overdue, services)
        settings, web = services.settings, services.settings.web
        async with Fetcher(fetch_settings(settings, __version__)) as fetcher:
            dispatcher = Dispatcher(lambda: self._services, fetcher)
            with ExitStack() as ending:
                self._hatch(fetcher, ending)
                if not web.enabled:
                    return await serve(self._app(dispatcher))
                server = ending.enter_context(WebServer(create_app(lambda: self._services), web))
                return await serve(self._app(dispatcher, HealthCheck("web", server.probe)))

    def _hatch(self, fetcher: Fetcher, ending: ExitStack) -> None:
        """Make the canary and its site, where there is to be one."""
        if not self._services.settings.canary.enabled:
            return
        site = ending.enter_context(CanarySite())
        self._canary = Canary(lambda: self._services, fetcher, site.url, site.publish)
        ending.callback(self._canary.close)

    def _app(self, dispatcher: Dispatcher, *checks: HealthCheck) -> DaemonApp:
        settings = self._services.settings
        tick = settings.check.tick.total_seconds()

        async def stop() -> None:
            await dispatcher.drain(_DRAIN_SECONDS)
            await self._deliver()

        return DaemonApp(
            jobs=(
                *self._own_jobs(),
                Job("dispatch", tick, dispatcher.tick, deadline_seconds=300),
                Job("deliver", max(tick, 1.0), self._deliver, deadline_seconds=300),
                Job("audit", SLICE_SECONDS, self._auditor.run, deadline_seconds=300),
                Job("digest", _DIGEST_SECONDS, self._digest, deadline_seconds=300),
                Job("dates", _DATES_SECONDS, self._find_dates, deadline_seconds=300),
                Job("remind", _DAY, self._remind, deadline_seconds=300),
            ),
            checks=(
                HealthCheck("database", self._probe_database, vital=True),
                disk_check(settings.data_dir),
                *checks,
            ),
            metrics=self._services.metrics,
            reload=self._reload,
            status=self._status,
            on_drain=dispatcher.stop_claiming,
            on_stop=stop,
            host=settings.listen.host,
            port=settings.listen.port,
            drain_seconds=_DRAIN_SECONDS,
        )

    def _budget_watch(self, settings: Settings) -> burning.BudgetWatch | None:
        """Return what evaluates the budgets here, None where Prometheus does."""
        source = burning.check_evaluator(
            settings, lambda: slo_actions.read_folder(settings.slo.folder)
        )
        return None if source is None else burning.BudgetWatch(lambda: self._services, source)

    def _own_jobs(self) -> tuple[Job, ...]:
        """Return the jobs by which the daemon watches itself."""
        jobs = []
        if self._budgets is not None:
            look = burning.LOOK_SECONDS
            jobs.append(Job("budgets", look, self._budgets.run, deadline_seconds=60))
        if self._canary is not None:
            every = self._services.settings.canary.every.total_seconds()
            jobs.append(Job("canary", every, self._canary.run, deadline_seconds=300))
        return tuple(jobs)

    async def _deliver(self) -> None:
        await deliver_due(self._services, self._senders)

    async def _digest(self) -> None:
        await deliver_digests(self._services, self._senders)

    async def _find_dates(self) -> None:
        await asyncio.to_thread(lambda: find_dates(self._services, cpu_seconds=_DATES_CPU_SECONDS))

    async def _remind(self) -> None:
        await asyncio.to_thread(remind, self._services)

    def _declare_patterns(self, settings: Settings) -> None:
        for _, rule in patterns(settings):
            self._services.metrics.declare_pattern(rule.name)

    async def _reload(self) -> str:
        """Take new settings whole, or raise and keep the old ones."""
        settings = await asyncio.to_thread(load, self._config)
        fixed = ("data_dir", "listen", "slo", "canary", "fetch", "web")
        changed = [
            name
            for name in fixed
            if getattr(settings, name) != getattr(self._services.settings, name)
        ]
        if changed or channel_names(settings) != channel_names(self._services.settings):
            names = ", ".join(changed or ["channels"])
            raise WatcherError(
                f"{names} cannot change while the daemon runs", hint="restart it to take them"
            )
        senders = build_senders(settings)
        old = self._services
        services = Services(settings, old.store, old.clock, old.metrics)
        await asyncio.to_thread(record_configuration, services, actor())
        await asyncio.to_thread(sync_documents, services)
        self._services, self._senders = services, senders
        self._declare_patterns(settings)
        return f"{len(settings.documents)} documents"

    def _probe_database(self) -> str:
        self._services.store.probe()
        return "can be written"

    def _status(self) -> str:
        # Asked for every few seconds on the event loop: nothing may be counted for it.
        refusing = len(self._services.store.incidents.open())
        return f"watching {len(self._services.entries)} documents, {refusing} refusing"
