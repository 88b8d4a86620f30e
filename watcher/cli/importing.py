"""Commands that take over what other tools know: import, history import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from watcher.cli.service import CONFIG, ConfigOption


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import")(import_files)


def import_files(
    files: Annotated[list[Path], typer.Argument(help="Lists of other tools.")],
    form: Annotated[
        str, typer.Option("--format", help="urls, urlwatch or open-terms; default: by the suffix.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the entries, write nothing.")
    ] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Write document entries from URL lists, urlwatch or webchanges jobs, Open Terms Archive."""
    from watcher.cli import importing_actions

    importing_actions.import_files(config, files, form, dry_run=dry_run)
