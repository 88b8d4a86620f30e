"""Commands about objectives: slo render."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

slo_app = typer.Typer(help="Objectives of the service and its alerts.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    slo_app.command("render")(render)
    app.add_typer(slo_app, name="slo")


def render(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a file is stale.")
    ] = False,
    root: Annotated[
        Path, typer.Option(help="The folder that has config/slo, and gets the files.")
    ] = Path(),
) -> None:
    """Make rules, their tests, routes and the index of runbooks from config/slo."""
    from watcher.cli import slo_actions

    for line in slo_actions.check(root) if check else slo_actions.write(root):
        typer.echo(line)
