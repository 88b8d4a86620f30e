"""Commands about alerts: list, show, ack."""

from __future__ import annotations

from typing import Annotated

import typer

from watcher.cli.service import CONFIG, MOST_ROWS, ConfigOption

alerts_app = typer.Typer(help="What was told, and to whom.", no_args_is_help=True)
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    alerts_app.command("list")(list_alerts)
    alerts_app.command("show")(show)
    alerts_app.command("ack")(ack)
    app.add_typer(alerts_app, name="alerts")


def list_alerts(
    state: Annotated[
        str | None, typer.Option(help="held, pending, delivered, dead, cancelled or digest.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST_ROWS, help="At most so many, newest first.")
    ] = 50,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """List alerts with the state of their delivery."""
    from watcher.cli import alert_actions

    alert_actions.list_alerts(config, state, limit, as_json=json)


def show(
    number: Annotated[int, typer.Argument(min=0, max=2**63 - 1, help="The alert's number.")],
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Show an alert as it is sent, with the exact passage before and after."""
    from watcher.cli import alert_actions

    alert_actions.show(config, number, as_json=json)


def ack(
    number: Annotated[int, typer.Argument(min=0, max=2**63 - 1, help="The alert's number.")],
    config: ConfigOption = CONFIG,
) -> None:
    """Acknowledge an alert."""
    from watcher.cli import alert_actions

    alert_actions.ack(config, number)
