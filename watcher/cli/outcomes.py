"""How a command ends that took a document in, or tried to."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from watcher.domain.verdicts import Outcome

EXIT_REFUSED = 3
"""What came is not the document."""
EXIT_HELD = 4
"""What came waits for a person's decision."""


def leave_by(outcomes: Iterable[str]) -> None:
    """End the command with the exit code of the worst outcome; return where all is well."""
    found = set(outcomes)
    if Outcome.REFUSED.value in found:
        raise typer.Exit(EXIT_REFUSED)
    if Outcome.HELD.value in found:
        raise typer.Exit(EXIT_HELD)
