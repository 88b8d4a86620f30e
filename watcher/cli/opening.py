"""Opening what a command works on."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from watcher import logs
from watcher.clock import SystemClock
from watcher.domain.ids import DocumentId, VersionId, document_id, version_id
from watcher.errors import UsageError
from watcher.metrics import Metrics
from watcher.pipeline.services import Services
from watcher.settings import Settings, load
from watcher.store import Store

_DIGITS = re.compile("[0-9a-f]{4,63}")


@contextmanager
def opened(config: Path, *, write: bool = False) -> Iterator[Services]:
    """Open the store that `config` names, to read or to write.

    Writing beside a running daemon is safe: writes take turns in the
    database, and a document that is being checked is refused by its lease.
    """
    settings = load(config)
    logs.configure(level=logs.Level.WARNING, style=logs.Style.CONSOLE)
    folder = settings.data_dir
    opening = Store.open_beside(folder) if write else Store.open(folder, read_only=True)
    with opening as store:
        yield make_services(settings, store)


def make_services(settings: Settings, store: Store) -> Services:
    """Return the services of a command: no counts are read, none are served."""
    return Services(settings, store, SystemClock(), Metrics(channels=channel_names(settings)))


def channel_names(settings: Settings) -> tuple[str, ...]:
    """Return the names of the configured channels."""
    return tuple(channel.name for channel in settings.channels)


def actor() -> str:
    """Return who is acting: the name of the operating system's user."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


def chosen_version(services: Services, document: str, version: str | None) -> VersionId:
    """Return the version that a person names: whole, by its first digits, or the current one.

    Raises:
        UsageError: no version begins so, several do, or there is none yet.
    """
    name = DocumentId(document_id(document))
    services.store.documents.get(name)
    if version is None:
        current = services.store.versions.current(name)
        if current is None:
            raise UsageError(
                "no version has been captured yet",
                document_id=name,
                hint=f"run `watcher check {name}`, or wait for the daemon",
            )
        return current.version
    digits = version.removeprefix("sha256:")
    if len(digits) == 64:
        return version_id(f"sha256:{digits}")
    if not _DIGITS.fullmatch(digits):
        raise UsageError(
            f"{version[:80]!r} is not a version",
            document_id=name,
            hint="give at least 4 of its hex digits, or leave it out for the current one",
        )
    known = [v.version for v in services.store.versions.list(name)]
    fitting = [v for v in known if v.removeprefix("sha256:").startswith(digits)]
    if len(fitting) != 1:
        raise UsageError(
            f"{len(fitting)} versions begin with {digits!r}",
            document_id=name,
            hint=f"see `watcher versions {name}`",
        )
    return fitting[0]
