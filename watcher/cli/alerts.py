"""Commands about alerts: list, show, ack, resolve, silence, test."""

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
    alerts_app.command("resolve")(resolve)
    alerts_app.command("silence")(silence)
    alerts_app.command("silences")(silences)
    alerts_app.command("unsilence")(unsilence)
    alerts_app.command("test")(try_channel)
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


def resolve(
    number: Annotated[int, typer.Argument(min=0, max=2**63 - 1, help="The alert's number.")],
    config: ConfigOption = CONFIG,
) -> None:
    """Say that what an alert tells is over; channels with incidents close theirs."""
    from watcher.cli import silence_actions

    silence_actions.resolve(config, number)


def silence(
    duration: Annotated[str, typer.Option("--for", help="How long, such as 4h; at most 31d.")],
    reason: Annotated[str, typer.Option(help="Why; it is kept and shown.")],
    by: Annotated[
        str | None, typer.Option(help="Who; without it, the operating system's user.")
    ] = None,
    document: Annotated[str | None, typer.Option(help="A document's alerts.")] = None,
    kind: Annotated[str | None, typer.Option(help="Alerts of a kind, such as refused.")] = None,
    alert: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="The event of this alert.")
    ] = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Let alerts wait for the digest; each option given must fit. It is on record."""
    from watcher.cli import silence_actions

    silence_actions.silence(
        config,
        duration=duration,
        reason=reason,
        by=by,
        document=document,
        kind=kind,
        alert=alert,
    )


def silences(
    everything: Annotated[bool, typer.Option("--all", help="Those that are over too.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=MOST_ROWS, help="At most so many.")] = 50,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """List the silences that hold: until when, at whose word and why."""
    from watcher.cli import silence_actions

    silence_actions.list_silences(config, everything=everything, limit=limit, as_json=json)


def unsilence(
    number: Annotated[int, typer.Argument(min=0, max=2**63 - 1, help="The silence's number.")],
    reason: Annotated[str, typer.Option(help="Why; it is kept.")] = "",
    config: ConfigOption = CONFIG,
) -> None:
    """End a silence before its time."""
    from watcher.cli import silence_actions

    silence_actions.unsilence(config, number, reason)


def try_channel(
    channel: Annotated[str, typer.Argument(help="The channel's name.")],
    config: ConfigOption = CONFIG,
) -> None:
    """Send a marked test message by a channel and print what its receiver answered."""
    from watcher.cli import silence_actions

    silence_actions.try_channel(config, channel)
