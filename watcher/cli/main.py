"""The command's entry: what exists, and how an error becomes one line.

Exit codes: 0 done; 1 failed; 2 wrong call; 3 what came was refused; 4 it is held
for a person; 10 to 18 a citation does not resolve
(see `watcher.domain.resolution.REASONS`); 75 try again later; 78 configuration.
"""

from __future__ import annotations

import errno
import io
import os
import sys

import typer

from watcher.cli import (
    alerts,
    citing,
    dating,
    importing,
    keeping,
    reading,
    reviewing,
    service,
    slo,
    tokens,
    tools,
    watching,
)
from watcher.errors import TemporaryError, WatcherError

_LONGEST_LINE = 2000
_LATER = TemporaryError.exit_code

app = typer.Typer(
    name="watcher",
    help="Watches policy documents, keeps every version, and keeps citations of them exact.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Exit codes: 0 done, 1 failed, 2 wrong call, 3 refused, 4 held for a person,"
    " 10-18 a citation does not resolve, 75 try again later, 78 configuration.",
)
_READING = (reading, citing, alerts, reviewing, dating)
for part in (service, watching, importing, *_READING, slo, tokens, tools, keeping):
    part.register(app)


def main() -> None:
    """Run the command; every error of ours is one line on standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A lone surrogate, from a file's name or an id, is written as JSON writes it.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except WatcherError as error:
        _tell(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe has gone: nothing is wrong, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        # A folder that cannot be written, a disk that is full: the system's own words.
        _tell(str(error))
        sys.exit(_LATER if error.errno in (errno.ENOSPC, errno.EDQUOT) else 1)


def _tell(message: str) -> None:
    """Write an error on standard error: nothing in it moves a terminal or floods it."""
    from watcher.alert.render import visible

    for line in message.split("\n"):
        shown = visible(line[:_LONGEST_LINE]) + ("…" if len(line) > _LONGEST_LINE else "")
        print(f"watcher: {shown}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
