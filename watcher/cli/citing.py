"""Commands about citations: cite, resolve, citations list, withdraw, affected."""

from __future__ import annotations

from typing import Annotated

import typer

from watcher.cli.service import CONFIG, MOST_ROWS, ConfigOption

citations_app = typer.Typer(help="List and withdraw citations.", no_args_is_help=True)
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
DocumentArgument = Annotated[str, typer.Argument(help="The document_id.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("cite")(cite)
    app.command("resolve")(resolve)
    citations_app.command("list")(list_citations)
    citations_app.command("withdraw")(withdraw)
    citations_app.command("affected")(affected)
    citations_app.command("confirm")(confirm)
    app.add_typer(citations_app, name="citations")


def cite(
    document: DocumentArgument,
    answer: Annotated[str, typer.Option(help="The answer that cites: its id.")],
    ranges: Annotated[
        list[str] | None,
        typer.Option("--range", help="start:end, repeatable for several segments."),
    ] = None,
    unit: Annotated[
        str, typer.Option(help="utf-8-bytes, utf-16-code-units or code-points.")
    ] = "utf-8-bytes",
    quote: Annotated[str, typer.Option(help="The passage, instead of a range.")] = "",
    version: Annotated[str | None, typer.Option(help="Default: the current one.")] = None,
    caller: Annotated[str, typer.Option(help="Who cites.")] = "cli",
    ordinal: Annotated[int, typer.Option(help="Which citation of the answer.")] = 0,
    label: Annotated[list[str] | None, typer.Option(help="name=value, repeatable.")] = None,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Emit a citation of a passage; the same key again changes nothing."""
    from watcher.cli import citing_actions

    citing_actions.cite(
        config,
        document,
        citing_actions.Asked(ranges or [], unit, quote, version),
        citing_actions.emission_key(caller, answer, ordinal, label or []),
        as_json=json,
    )


def resolve(
    citation: Annotated[str, typer.Argument(help="A citation id, an anchor object, or - .")],
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Print the exact passage that a citation names, or fail by name."""
    from watcher.cli import citing_actions

    citing_actions.resolve(config, citation, as_json=json)


def list_citations(
    document: Annotated[str | None, typer.Argument(help="Only of this document.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST_ROWS, help="At most so many.")] = 100,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """List citations with their uses and where each is now."""
    from watcher.cli import citing_actions

    citing_actions.list_citations(config, document, limit, as_json=json)


def withdraw(
    citation: Annotated[str, typer.Argument(help="The citation id.")],
    answer: Annotated[str, typer.Option(help="The answer whose use is withdrawn.")],
    reason: Annotated[str, typer.Option(help="Why.")],
    caller: Annotated[str, typer.Option(help="Who cited.")] = "cli",
    config: ConfigOption = CONFIG,
) -> None:
    """Withdraw an answer's use of a citation: it is not re-anchored for it any more."""
    from watcher.cli import citing_actions

    citing_actions.withdraw(config, citation, caller, answer, reason)


def affected(
    change: Annotated[str, typer.Argument(help="A change id, or its first digits.")],
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """List the answers whose cited text a change edited, moved or removed."""
    from watcher.cli import citing_actions

    citing_actions.affected(config, change, as_json=json)


def confirm(
    citation: Annotated[str, typer.Argument(help="The citation id.")],
    reason: Annotated[str, typer.Option(help="Why it is so.")],
    ranges: Annotated[
        list[str] | None,
        typer.Option("--range", help="start:end in the newer version, repeatable; none: gone."),
    ] = None,
    version: Annotated[str | None, typer.Option(help="Default: the current one.")] = None,
    harmless: Annotated[
        bool, typer.Option(help="What differs changes nothing for those who cite it.")
    ] = False,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """State, as a person, where a citation is now; it outranks what was computed."""
    from watcher.cli import citing_actions

    citing_actions.confirm(
        config, citation, version, ranges or [], reason, harmless=harmless, as_json=json
    )
