"""One path of a git repository: what its main line said, commit by commit.

The `git` command reads the repository. Nothing of the repository's own
configuration may run a program, and nothing is fetched from elsewhere.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from watcher.pipeline.history.model import MAX_BYTES, MAX_STATES, HistoryError, LeftOut, Past

_SECONDS = 120.0
_ENTRY = re.compile(
    rb"\x01(?P<commit>[0-9a-f]{40,64}) (?P<time>\d{1,12})\x00\n?"
    rb":\d{6} (?P<mode>\d{6}) [0-9a-f]+ (?P<blob>[0-9a-f]{40,64}) [A-Z]"
)
_REGULAR = (b"100644", b"100755")
_QUIET = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "protocol.allow=never",
    "-c",
    "core.hooksPath=/dev/null",
)


def git_states(repository: Path, path: str) -> Iterator[Past | LeftOut]:
    """Yield every state of `path` (from the repository's top), oldest first.

    Follows renames. The claimed time is the committer's: when the main line
    (first parents from HEAD) came to say it. A commit that only moves the
    file gives no state.

    Raises:
        HistoryError: before anything is yielded: no git, no repository, no
            such path, or more states than are read.
    """
    log = _git(
        repository,
        *("log", "--follow", "--first-parent", "--diff-merges=first-parent", "--raw", "-z"),
        *("--no-abbrev", "--no-show-signature", "--no-ext-diff", "--no-textconv"),
        f"--max-count={MAX_STATES + 1}",
        "--format=%x01%H %ct",
        "--",
        path,
    )
    entries = list(_ENTRY.finditer(log))[::-1]
    if not entries or len(entries) > MAX_STATES:
        what = f"more than {MAX_STATES} commits" if entries else "no commit"
        raise HistoryError(
            f"{what} of {repository} has touched {path!r}",
            hint="name the path as it is from the repository's top folder",
        )
    return _read(repository, path, entries)


def _read(repository: Path, path: str, entries: list[re.Match[bytes]]) -> Iterator[Past | LeftOut]:
    before = b""
    for entry in entries:
        where = f"{path} at {entry['commit'].decode()[:12]}"
        blob = entry["blob"]
        if blob == before or not blob.strip(b"0"):
            continue
        before = blob
        if entry["mode"] not in _REGULAR:
            yield LeftOut(where, "it is no regular file there")
            continue
        size = int(_git(repository, "cat-file", "-s", blob.decode()))
        if size > MAX_BYTES:
            yield LeftOut(where, f"it is larger than {MAX_BYTES} bytes")
            continue
        moment = datetime.fromtimestamp(int(entry["time"]), UTC)
        body = _git(repository, "cat-file", "blob", blob.decode())
        yield Past(where, moment, PurePosixPath(path).name, body)


def _git(repository: Path, *arguments: str) -> bytes:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.environ.get("HOME", "/"),
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, arguments as a list
            ["git", "-C", str(repository), *_QUIET, *arguments],  # noqa: S607
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
            env=environment,
        )
    except FileNotFoundError:
        raise HistoryError("there is no git command here", hint="install git") from None
    except subprocess.TimeoutExpired:
        raise HistoryError(
            f"git took longer than {_SECONDS:.0f} s in {repository}", hint="try a local clone"
        ) from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise HistoryError(
            f"git cannot read {repository}: {said[0][:200] if said else done.returncode}",
            hint="name a repository that you own, and a path in it",
        )
    return done.stdout
