"""Reading the files, and saying exactly where a mistake is."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from watcher.errors import ConfigError
from watcher.settings.documents import DocumentEntry
from watcher.settings.service import Settings

_MAX_BYTES = 16 * 1024 * 1024
_MOST_MISTAKES = 50
_HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_.\"'-]+)\s*\]\]?\s*(#.*)?$")


def load(path: Path) -> Settings:
    """Return the settings of the service file `path` and its documents folder.

    Raises:
        ConfigError: with one line for each mistake: file, line, key, fix.
    """
    table = _read_toml(path)
    if "documents" in table:
        raise ConfigError(
            f"{path}: documents are not written in the service file",
            hint="put each into a file of the documents folder",
        )
    try:
        settings = Settings(**table)
    except ValidationError as error:
        raise ConfigError(_explain(error, path, (), Settings)) from None
    folder = settings.documents_dir
    if not folder.is_absolute():
        folder = path.parent / folder
    return settings.model_copy(
        update={
            "documents_dir": folder,
            "documents": load_documents(folder),
            "slo": settings.slo.model_copy(update={"folder": path.parent / settings.slo.folder}),
        }
    )


def load_documents(folder: Path) -> tuple[DocumentEntry, ...]:
    """Return all entries of the `*.toml` files in `folder`, by file name and order.

    Hidden files are not read.

    Raises:
        ConfigError: a file cannot be read, an entry is wrong, or an id is used twice.
    """
    if not folder.is_dir():
        raise ConfigError(
            f"the documents folder {folder} does not exist",
            hint="create it, or set documents_dir in the service file",
        )
    entries: dict[str, tuple[DocumentEntry, Path]] = {}
    mistakes: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        if path.name.startswith("."):
            continue  # an editor's lock or copy of a file that is being written
        for entry in _read_entries(path, mistakes):
            if entry.document_id in entries:
                other = entries[entry.document_id][1]
                mistakes.append(
                    f"{path}: document_id {entry.document_id!r} is also in {other}"
                    " -> a document_id names one document for ever: choose another"
                )
            else:
                entries[entry.document_id] = (entry, path)
    if mistakes:
        more = len(mistakes) - _MOST_MISTAKES
        told = [*mistakes[:_MOST_MISTAKES], *([f"... and {more} more"] if more > 0 else [])]
        raise ConfigError("\n".join(told))
    return tuple(entry for entry, _ in entries.values())


def _read_entries(path: Path, mistakes: list[str]) -> list[DocumentEntry]:
    try:
        table = _read_toml(path)
    except ConfigError as error:
        mistakes.append(str(error))
        return []
    rows = table.get("document")
    if not isinstance(rows, list) or set(table) != {"document"}:
        extra = sorted(set(table) - {"document"})
        mistakes.append(
            f"{path}:{_line_of(path, (extra[0],)) if extra else 1}: "
            "a documents file holds only [[document]] tables -> write one for each document"
        )
        return []
    found = []
    for index, row in enumerate(rows):
        try:
            found.append(DocumentEntry.model_validate(row))
        except ValidationError as error:
            explained = len(mistakes) < _MOST_MISTAKES  # each asks for its line in the file
            where = _explain(error, path, ("document", index), DocumentEntry) if explained else ""
            mistakes.append(where)
    return found


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read_text(path))
    except FileNotFoundError:
        raise ConfigError(
            f"{path} does not exist", hint="run `watcher init` to write one"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", hint="make it a UTF-8 file") from None
    except (ValueError, RecursionError) as error:
        # Not only TOMLDecodeError: a number of many digits, brackets a thousand deep.
        raise ConfigError(f"{path}: not TOML: {error}", hint="mend that line") from None


def _read_text(path: Path) -> str:
    """Return a file's text; a pipe or a device, which may never end, is no such file."""
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is not a regular file", hint="make it a UTF-8 file")
    with path.open("rb") as stream:
        data = stream.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{path} is larger than {_MAX_BYTES} bytes", hint="divide it")
    return data.decode("utf-8-sig")


def _explain(
    error: ValidationError, path: Path, prefix: tuple[str | int, ...], model: type[BaseModel]
) -> str:
    """Return one line for each mistake: `file:line: key: what -> fix`."""
    lines = []
    for detail in error.errors(include_url=False, include_input=False):
        location = (*prefix, *_as_written(detail["type"], detail["loc"]))
        key = ".".join(str(part) for part in location if not isinstance(part, int))
        message = detail["msg"].removeprefix("Value error, ")
        if detail["type"] == "extra_forbidden":
            names = _field_names(model, detail["loc"][:-1])
            near = difflib.get_close_matches(str(location[-1]), names, n=1)
            fix = f"did you mean {near[0]!r}?" if near else "one of " + ", ".join(sorted(names))
            message = f"unknown key -> {fix}"
        elif detail["type"] == "missing":
            message = f"missing -> add {location[-1]} = …"
        lines.append(f"{path}:{_line_of(path, location)}: {key or 'entry'}: {message}")
    return "\n".join(lines)


def _as_written(kind: str, location: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the keys that lead to a mistake, without the channel's kind that is put between."""
    if location[:1] == ("channels",):
        location = (*location[:2], *location[3:])
    return (*location, "kind") if kind.startswith("union_tag") else location


def _field_names(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    """Return the keys that the table at `location` may have."""
    for part in location:
        field = model.model_fields.get(str(part))
        if field is None:
            continue
        for kind in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                model = kind
    return list(model.model_fields)


def _line_of(path: Path, location: Sequence[str | int]) -> int:
    """Return the line, from 1, on which the key at `location` stands in `path`.

    tomllib keeps no positions, so this walks headers and keys; the first line
    that matches the longest part of the location wins.
    """
    arrays: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    best, best_depth = 1, 0
    for number, line in enumerate(_read_text(path).splitlines(), start=1):
        here = table
        if header := _HEADER.match(line):
            array = line.lstrip().startswith("[[")
            here = table = _place(header[1].split("."), arrays, array=array)
        elif "=" in line:
            key = line.split("=", 1)[0].strip().strip("\"'")
            here = (*table, *key.split("."))
        if best_depth < len(here) and tuple(location[: len(here)]) == here:
            best, best_depth = number, len(here)
    return best


def _place(
    names: Sequence[str], arrays: dict[tuple[str | int, ...], int], *, array: bool
) -> tuple[str | int, ...]:
    """Return where a header's table is: its names, each array's with its index.

    `arrays` holds the index of the last table of each array, and is kept up.
    """
    place: tuple[str | int, ...] = ()
    for depth, name in enumerate(names, start=1):
        place = (*place, name)
        if array and depth == len(names):
            arrays[place] = arrays.get(place, -1) + 1
        if place in arrays:
            place = (*place, arrays[place])
    return place
