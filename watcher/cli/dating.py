"""Commands about dates of effect: dates list, confirm, reject."""

from __future__ import annotations

from typing import Annotated

import typer

from watcher.cli.service import CONFIG, ConfigOption

dates_app = typer.Typer(help="Days from which versions apply.", no_args_is_help=True)
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
DocumentArgument = Annotated[str, typer.Argument(help="The document_id.")]
DayArgument = Annotated[str, typer.Argument(help="The day, as in 2027-01-31.")]
VersionOption = Annotated[str | None, typer.Option(help="Default: the current one.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    dates_app.command("list")(list_dates)
    dates_app.command("confirm")(confirm)
    dates_app.command("reject")(reject)
    app.add_typer(dates_app, name="dates")


def list_dates(
    document: Annotated[str | None, typer.Argument(help="Only of this document.")] = None,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """List the dates of effect that were found or stated, with who confirmed them."""
    from watcher.cli import dating_actions

    dating_actions.list_dates(config, document, as_json=json)


def confirm(
    document: DocumentArgument,
    day: DayArgument,
    version: VersionOption = None,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Confirm that a version applies from a day on, be it found in its text or not."""
    from watcher.cli import dating_actions

    dating_actions.decide(config, document, day, version, confirmed=True, as_json=json)


def reject(
    document: DocumentArgument,
    day: DayArgument,
    version: VersionOption = None,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Say that a date which was found is not the day from which the version applies."""
    from watcher.cli import dating_actions

    dating_actions.decide(config, document, day, version, confirmed=False, as_json=json)
