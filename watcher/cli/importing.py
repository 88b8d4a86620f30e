"""Commands that take over what other tools know: import, history import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from watcher.cli.service import CONFIG, ConfigOption

history_app = typer.Typer(help="What a document said before it was watched.", no_args_is_help=True)
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import")(import_files)
    history_app.command("import")(import_history)
    app.add_typer(history_app, name="history")


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


def import_history(
    document: Annotated[str, typer.Option(help="The document_id; made if it is new.")],
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files with a date in their names.")
    ] = None,
    dates: Annotated[
        Path | None, typer.Option(help="A CSV of `file,date`, beside the files that it names.")
    ] = None,
    git: Annotated[
        tuple[Path, str] | None, typer.Option(help="A git repository, and a path in it.")
    ] = None,
    warc: Annotated[Path | None, typer.Option(help="A WARC file, gzip or not.")] = None,
    url: Annotated[
        str, typer.Option(help="Whose answers to take from the WARC; default: the document's url.")
    ] = "",
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Take in earlier states with the dates that are claimed for them.

    They are citable, never current, and never shown as observed.
    """
    from watcher.cli import history_actions

    sources = history_actions.Sources(tuple(files or ()), dates, git, warc, url)
    history_actions.import_history(config, document, sources, as_json=json)
