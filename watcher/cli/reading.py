"""Commands that read: documents, versions, show, diff, changes, verify, reanchor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from watcher.cli.service import CONFIG, MOST_ROWS, ConfigOption

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
DocumentArgument = Annotated[str, typer.Argument(help="The document_id.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("documents")(documents)
    app.command("versions")(versions)
    app.command("show")(show)
    app.command("diff")(diff)
    app.command("changes")(changes)
    app.command("verify")(verify)
    app.command("reanchor")(reanchor)


def documents(config: ConfigOption = CONFIG, json: JsonOption = False) -> None:
    """List what is watched, with the last observation of each."""
    from watcher.cli import reading_actions

    reading_actions.documents(config, as_json=json)


def versions(
    document: DocumentArgument, config: ConfigOption = CONFIG, json: JsonOption = False
) -> None:
    """List the versions of a document and its captures."""
    from watcher.cli import reading_actions

    reading_actions.versions(config, document, as_json=json)


def show(
    document: DocumentArgument,
    version: Annotated[str | None, typer.Option(help="Default: the current one.")] = None,
    at: Annotated[str | None, typer.Option(help="What was known at this time (ISO 8601).")] = None,
    in_force_on: Annotated[
        str | None, typer.Option(help="What applied on this day, by confirmed dates of effect.")
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Exactly the canonical text and nothing else.")
    ] = False,
    page: Annotated[int | None, typer.Option(help="Only this page.")] = None,
    image: Annotated[
        Path | None,
        typer.Option(help="Draw a citation (its id in place of DOCUMENT) into this PNG file."),
    ] = None,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Show a version: its facts and pages, or exactly its text."""
    from watcher.cli import reading_actions

    if image is not None:
        reading_actions.draw(config, document, image)
        return
    reading_actions.show(config, document, version, at, in_force_on, page, text=text, as_json=json)


def diff(
    document: DocumentArgument,
    old: Annotated[str | None, typer.Argument(help="A version; default: before the last.")] = None,
    new: Annotated[str | None, typer.Argument(help="A version; default: the current.")] = None,
    change: Annotated[str | None, typer.Option(help="A change id instead.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page for a browser into this file instead.")
    ] = None,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Show what changed between two versions, judged hunk by hunk."""
    from watcher.cli import diffing

    diffing.diff(config, document, (old, new), change, as_json=json, html=html)


def changes(
    document: Annotated[str | None, typer.Argument(help="Only of this document.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST_ROWS, help="At most so many, newest first.")
    ] = 50,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """List changes with their class, tier and score."""
    from watcher.cli import reading_actions

    reading_actions.changes(config, document, limit, as_json=json)


def verify(config: ConfigOption = CONFIG, json: JsonOption = False) -> None:
    """Re-hash every version and capture, and resolve every citation."""
    from watcher.cli import reading_actions

    reading_actions.verify(config, as_json=json)


def reanchor(
    document: Annotated[str | None, typer.Argument(help="The document_id.")] = None,
    to: Annotated[str | None, typer.Option(help="The version; default: the current one.")] = None,
    cases: Annotated[
        Path | None, typer.Option(help="Instead: JSON lines of cases, read from files.")
    ] = None,
    root: Annotated[Path, typer.Option(help="The folder of the cases' files.")] = Path(),
    recompute: Annotated[
        bool, typer.Option(help="Add rows where an older algorithm stated; the old ones stay.")
    ] = False,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """State where a document's live citations are; or answer cases from files."""
    from watcher.cli import reading_actions, tools

    if cases is not None:
        tools.reanchor_cases(cases, root)
        return
    reading_actions.reanchor(config, document, to, recompute=recompute, as_json=json)
