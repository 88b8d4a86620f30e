"""Commands of the review loop: review list, next, record, report; calibrate."""

from __future__ import annotations

from typing import Annotated

import typer

from watcher.cli.service import CONFIG, MOST_ROWS, ConfigOption

review_app = typer.Typer(
    help="Hold the classifier's judgements against a person's.", no_args_is_help=True
)
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
ToldOption = Annotated[
    bool, typer.Option("--told", help="Pages and tickets instead of the drawn sample.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    review_app.command("list")(list_queue)
    review_app.command("next")(show_next)
    review_app.command("record")(record)
    review_app.command("report")(report)
    app.add_typer(review_app, name="review")
    app.command("calibrate")(calibrate)


def list_queue(
    told: ToldOption = False,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST_ROWS, help="At most so many, oldest first.")
    ] = 50,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """List the changes that wait for a verdict."""
    from watcher.cli import reviewing_actions

    reviewing_actions.list_queue(config, limit, told=told, as_json=json)


def show_next(
    told: ToldOption = False, config: ConfigOption = CONFIG, json: JsonOption = False
) -> None:
    """Show the change that has waited longest for a verdict."""
    from watcher.cli import reviewing_actions

    reviewing_actions.show_next(config, told=told, as_json=json)


def record(
    change: Annotated[str, typer.Argument(help="The change, by its first digits.")],
    verdict: Annotated[str, typer.Argument(help="right, false-page or missed.")],
    note: Annotated[str, typer.Option(help="Why, for whoever reads the verdict later.")] = "",
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Record a verdict; a later one on the same change outranks it."""
    from watcher.cli import reviewing_actions

    reviewing_actions.record(config, change, verdict, note, as_json=json)


def report(config: ConfigOption = CONFIG, json: JsonOption = False) -> None:
    """Show the rates of false pages and of missed changes, and whether budgets are kept."""
    from watcher.cli import reviewing_actions

    reviewing_actions.report(config, as_json=json)


def calibrate(
    apply: Annotated[
        bool, typer.Option("--apply", help="Write the threshold into the service file.")
    ] = False,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Propose the page threshold that your verdicts speak for, and show its effect."""
    from watcher.cli import reviewing_actions

    reviewing_actions.calibrate(config, apply=apply, as_json=json)
