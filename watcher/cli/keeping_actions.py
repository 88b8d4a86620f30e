"""What the commands that keep things do."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from watcher import logs
from watcher.cli.opening import opened
from watcher.cli.output import Row, show_json, show_lines, show_rows, when
from watcher.clock import SystemClock
from watcher.domain.resolution import REASONS, Reason
from watcher.errors import UsageError
from watcher.pipeline.services import Services
from watcher.settings import load
from watcher.store import Store
from watcher.store.backups import Copied, check, copy
from watcher.store.rows import OperatorAct
from watcher.store.rows.operating import SavedBackup

_FIELDS = ("number", "at", "actor", "act", "subject", "document_id", "reason", "before", "after")
_PAGE = 1000


def backup(config: Path, target: Path) -> None:
    """Make a copy, record it, and print what it holds; exit with 18 where blobs are damaged."""
    settings = load(config)
    logs.configure(level=logs.Level.WARNING, style=logs.Style.CONSOLE)
    now = SystemClock().now()
    copied = copy(settings.data_dir, target, now)
    with Store.open_beside(settings.data_dir) as store:
        if not copied.damaged:
            where = str(target.resolve())
            store.backups.record(SavedBackup(now, where, copied.sha256, copied.blobs))
    _tell(copied, target)


def restore(config: Path, source: Path) -> None:
    """Fill the data directory, which must hold nothing, and print what it holds."""
    settings = load(config)
    logs.configure(level=logs.Level.WARNING, style=logs.Style.CONSOLE)
    target = settings.data_dir
    if target.is_dir() and any(target.iterdir()):
        raise UsageError(
            f"the data directory {target} is not empty", hint="move what is there away first"
        )
    check(source)
    copied = copy(source, target, SystemClock().now())
    (target / "backup.json").unlink()
    _tell(copied, target)


def _tell(copied: Copied, target: Path) -> None:
    show_lines(
        [
            f"{target}: the database and {copied.blobs} blobs, all verified"
            f" ({copied.written} written, {copied.removed} removed)"
            if not copied.damaged
            else f"{target}: {len(copied.damaged)} of {copied.blobs} blobs are nowhere whole",
            *(f"DAMAGED {name}" for name in copied.damaged),
        ]
    )
    if copied.damaged:
        raise typer.Exit(REASONS[Reason.HASH_MISMATCH].exit_code)


def trail_list(config: Path, limit: int, *, as_json: bool) -> None:
    """Print acts, newest first."""
    with opened(config) as services:
        show_rows(
            [_row(act) for act in services.store.acts.list(limit=limit)],
            as_json=as_json,
            columns=["number", "at", "actor", "act", "subject", "before", "after", "reason"],
        )


def trail_export(config: Path, after: int, *, as_csv: bool) -> None:
    """Write acts, oldest first."""
    with opened(config) as services:
        if not as_csv:
            for act in _acts(services, after):
                show_json(_row(act))
            return
        writer = csv.DictWriter(sys.stdout, _FIELDS, lineterminator="\n")
        writer.writeheader()
        for act in _acts(services, after):
            writer.writerow({name: _harmless(value) for name, value in _row(act).items()})


def _acts(services: Services, after: int) -> Iterator[OperatorAct]:
    while page := services.store.acts.since(after, limit=_PAGE):
        yield from page
        after = page[-1].number


def _row(act: OperatorAct) -> Row:
    return {
        "number": act.number,
        "at": when(act.at),
        "actor": act.actor,
        "act": act.act,
        "subject": act.subject,
        "document_id": act.document_id,
        "reason": act.reason,
        "before": act.before,
        "after": act.after,
    }


def _harmless(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula."""
    text = value if isinstance(value, str) else None
    return f"'{text}" if text and text[0] in "=+-@\t\r" else value
