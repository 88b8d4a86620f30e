"""Commands that keep things: backup, restore, and the operators' trail."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from watcher.cli.service import CONFIG, MOST_ROWS, ConfigOption

trail_app = typer.Typer(help="What persons did that can hide something.", no_args_is_help=True)


class TrailForm(StrEnum):
    """How the trail is written."""

    JSONL = "jsonl"
    CSV = "csv"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("backup")(backup)
    app.command("restore")(restore)
    trail_app.command("list")(trail_list)
    trail_app.command("export")(trail_export)
    app.add_typer(trail_app, name="trail")


def backup(
    to: Annotated[Path, typer.Option(help="The folder of the backup, best on another disk.")],
    config: ConfigOption = CONFIG,
) -> None:
    """Copy database and blobs while the daemon runs: one moment, verified, only what is new."""
    from watcher.cli import keeping_actions

    keeping_actions.backup(config, to)


def restore(
    source: Annotated[Path, typer.Option("--from", help="The folder of the backup.")],
    config: ConfigOption = CONFIG,
) -> None:
    """Fill an empty data directory from a backup, verified."""
    from watcher.cli import keeping_actions

    keeping_actions.restore(config, source)


def trail_list(
    limit: Annotated[int, typer.Option(min=1, max=MOST_ROWS, help="At most so many.")] = 50,
    config: ConfigOption = CONFIG,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List acts, newest first: who, when, what, and what was before and after."""
    from watcher.cli import keeping_actions

    keeping_actions.trail_list(config, limit, as_json=json)


def trail_export(
    form: Annotated[TrailForm, typer.Option("--format", help="jsonl or csv.")] = TrailForm.JSONL,
    after: Annotated[
        int, typer.Option(min=0, max=2**63 - 1, help="Only acts after this number.")
    ] = 0,
    config: ConfigOption = CONFIG,
) -> None:
    """Write the whole trail, oldest first, to standard output."""
    from watcher.cli import keeping_actions

    keeping_actions.trail_export(config, after, as_csv=form is TrailForm.CSV)
