"""What the commands about objectives do: read the declarations, write what follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from watcher.errors import UsageError, WatcherError
from watcher.slo import Source, parse_source, render

SOURCE = Path("config/slo")


class StaleError(WatcherError):
    """A generated file is not what its source says."""

    code = "stale"


def read(root: Path) -> Source:
    """Return what `root`/config/slo declares."""
    return read_folder(root / SOURCE)


def read_folder(folder: Path) -> Source:
    """Return what the YAML files of a folder declare."""
    try:
        files = {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.yaml"))}
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror}") from None
    if not files:
        raise UsageError(
            f"{folder} has no *.yaml", hint="name another folder: --root, or slo.folder"
        )
    return parse_source(files)


def write(root: Path) -> Iterator[str]:
    """Write the files that differ, and say which."""
    for path, text in _differing(root):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        yield f"{path} written"


def check(root: Path) -> Iterator[str]:
    """Say that all is current, or raise `StaleError` with the files that are not."""
    stale = [str(path) for path, _ in _differing(root)]
    if stale:
        raise StaleError(f"stale: {', '.join(stale)}", hint="run `watcher slo render`")
    yield "every generated file is current"


def _differing(root: Path) -> Iterator[tuple[Path, str]]:
    for name, text in render(read(root)).items():
        path = root / name
        try:
            current = path.read_text("utf-8")
        except FileNotFoundError:
            current = None
        if current != text:
            yield path, text
