"""Commands about what is watched: add, try, check, ingest, accept, reject."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from watcher.cli.service import CONFIG, ConfigOption

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
DocumentArgument = Annotated[str, typer.Argument(help="The document_id.")]


class PdfEngine(StrEnum):
    """The engines that a PDF can be pinned to."""

    PYPDF = "pypdf"
    PDFIUM = "pdfium"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("add")(add)
    app.command("try")(try_url)
    app.command("check")(check)
    app.command("ingest")(ingest)
    app.command("accept")(accept)
    app.command("reject")(reject)
    app.command("rerender")(rerender)


def add(
    url: Annotated[str, typer.Argument(help="Address of the document.")],
    document: Annotated[str, typer.Option(help="Its document_id; default: from the URL.")] = "",
    title: Annotated[str, typer.Option(help="Its title.")] = "",
    allow_network: Annotated[
        list[str] | None,
        typer.Option(help="A private network (CIDR) that it may be fetched from, repeatable."),
    ] = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Write the entry of a document and make the first check."""
    from watcher.cli import watching_actions

    watching_actions.add(config, url, document, title, tuple(allow_network or ()))


def try_url(
    url: Annotated[str, typer.Argument(help="Address of a document.")],
    allow_network: Annotated[
        list[str] | None,
        typer.Option(help="A private network (CIDR) that it may be fetched from, repeatable."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser", help="Let a Chromium run the page's scripts first.")
    ] = False,
    follow: Annotated[
        str, typer.Option(help="Take the newest file that the page links to: a pattern of links.")
    ] = "",
    newest: Annotated[
        str, typer.Option(help="What tells the newest link: date, text or order.")
    ] = "date",
    select: Annotated[
        list[str] | None, typer.Option(help="A CSS selector of what to read, repeatable.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="A CSS selector of what to leave out, repeatable.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Fetch one address once and show what would be stored; stores nothing."""
    from watcher.cli import trying

    means = trying.Means(
        tuple(allow_network or ()),
        browser,
        follow,
        newest,
        tuple(select or ()),
        tuple(remove or ()),
    )
    trying.try_url(url, means, as_json=json)


def check(
    documents: Annotated[list[str] | None, typer.Argument(help="Default: all.")] = None,
    full: Annotated[bool, typer.Option(help="Ask without validators.")] = False,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Check documents now, and deliver what comes of it."""
    from watcher.cli import watching_actions

    watching_actions.check(config, documents or [], full=full, as_json=json)


def ingest(
    file: Annotated[Path, typer.Argument(help="The document's bytes.")],
    document: Annotated[str, typer.Option(help="The document_id; made if it is new.")],
    media_type: Annotated[str | None, typer.Option(help="Where the bytes do not tell.")] = None,
    title: Annotated[str, typer.Option(help="The title of a new document.")] = "",
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Take a document in from a file, through the same verdicts as a fetched one."""
    from watcher.cli import watching_actions

    watching_actions.ingest(config, file, document, media_type, title, as_json=json)


def accept(
    capture: Annotated[str, typer.Argument(help="The held capture's id.")],
    reason: Annotated[str, typer.Option(help="Why it is the document.")],
    config: ConfigOption = CONFIG,
) -> None:
    """Accept a held capture: it becomes current."""
    from watcher.cli import watching_actions

    watching_actions.decide(config, capture, reason, accepted=True)


def reject(
    capture: Annotated[str, typer.Argument(help="The held capture's id.")],
    reason: Annotated[str, typer.Option(help="Why it is not the document.")],
    config: ConfigOption = CONFIG,
) -> None:
    """Reject a held capture: it stays stored and never becomes current."""
    from watcher.cli import watching_actions

    watching_actions.decide(config, capture, reason, accepted=False)


def rerender(
    document: DocumentArgument,
    engine: Annotated[PdfEngine | None, typer.Option(help="Change the PDF engine.")] = None,
    config: ConfigOption = CONFIG,
    json: JsonOption = False,
) -> None:
    """Read the current capture anew with the engines installed now; tells nobody."""
    from watcher.cli import watching_actions

    watching_actions.rerender(config, document, engine.value if engine else None, as_json=json)
