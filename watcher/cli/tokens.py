"""Commands about the tokens of callers: who may ask the HTTP API."""

from __future__ import annotations

from typing import Annotated

import typer

from watcher.cli.service import CONFIG, ConfigOption

tokens_app = typer.Typer(help="Let programs and persons ask the HTTP API.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    tokens_app.command("add")(add)
    tokens_app.command("list")(list_tokens)
    tokens_app.command("revoke")(revoke)
    app.add_typer(tokens_app, name="tokens")


def add(
    name: Annotated[str, typer.Argument(help="Who it is for; never used again.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="cite: emit and withdraw; review: acknowledge and judge. May be given twice."
        ),
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option(help="A group whose documents it may see; repeatable.")
    ] = None,
    all_documents: Annotated[
        bool, typer.Option("--all-documents", help="It may see every document.")
    ] = False,
    expires: Annotated[str, typer.Option(help="How long it counts, such as 90d.")] = "365d",
    config: ConfigOption = CONFIG,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Add a token and print it, this once: only its hash is kept."""
    from watcher.cli.tokens_actions import add as work

    work(
        config,
        name,
        scope or [],
        group or [],
        all_documents=all_documents,
        expires=expires,
        as_json=as_json,
    )


def list_tokens(
    config: ConfigOption = CONFIG,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List every token that there is or was; never the tokens themselves."""
    from watcher.cli.tokens_actions import list_tokens as work

    work(config, as_json=as_json)


def revoke(
    name: Annotated[str, typer.Argument(help="Its name.")], config: ConfigOption = CONFIG
) -> None:
    """Let a token count no more; the daemon knows within a second."""
    from watcher.cli.tokens_actions import revoke as work

    work(config, name)
