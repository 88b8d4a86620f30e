"""Commands about the service itself: run, demo, init, config check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

CONFIG = Path("config/watcher.toml")
MOST_ROWS = 1_000_000
"""What `--limit` may ask for."""
ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", envvar="WATCHER_CONFIG", help="The service file.")
]

config_app = typer.Typer(help="Look at the configuration.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("run")(run)
    app.command("demo")(demo)
    app.command("init")(init)
    config_app.command("check")(config_check)
    app.add_typer(config_app, name="config")


def run(config: ConfigOption = CONFIG) -> None:
    """Start the daemon; SIGTERM drains it, SIGHUP reloads the configuration."""
    from watcher.cli.compose import run_daemon

    raise typer.Exit(run_daemon(config))


def demo(
    keep: Annotated[
        Path | None, typer.Option(help="Keep the demo's data in this folder, to look further.")
    ] = None,
) -> None:
    """Replay real policy histories through the real daemon; needs no network."""
    from watcher.demo.play import play

    raise typer.Exit(play(keep))


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write the configuration.")] = Path(
        "config"
    ),
    data_dir: Annotated[str, typer.Option(help="Where the data will be.")] = "var",
    contact: Annotated[str, typer.Option(help="Who operates this watcher (URL, e-mail).")] = "",
    url: Annotated[str, typer.Option(help="A first document to watch.")] = "",
    document: Annotated[str, typer.Option(help="Its document_id.")] = "",
) -> None:
    """Write a commented, working configuration; never overwrites one."""
    from watcher.cli.entries import write_configuration

    for line in write_configuration(folder, data_dir, contact, url, document):
        typer.echo(line)


def config_check(config: ConfigOption = CONFIG) -> None:
    """Check the service file, every document entry and every secret reference."""
    from watcher.cli.entries import check_configuration

    for line in check_configuration(config):
        typer.echo(line)
