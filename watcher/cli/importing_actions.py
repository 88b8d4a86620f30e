"""What the importing commands do."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from pydantic import ValidationError

from watcher.cli.entries import suggest_document_id, toml_string
from watcher.cli.output import show_lines
from watcher.errors import UsageError
from watcher.pipeline.importing import Draft, Format, ImportFileError, Told, convert, format_of
from watcher.settings import DocumentEntry, load

_MAX_BYTES = 8 * 1024 * 1024
Value = str | tuple[str, ...] | dict[str, str]


@dataclass(slots=True)
class _Plan:
    """What one import will write, beside what is watched already."""

    watched: dict[str, DocumentEntry]
    entries: list[tuple[Draft, dict[str, Value]]] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    def add(self, draft: Draft) -> None:
        """Plan an entry for `draft`, or tell why there is none."""
        url = _without_user(draft.url)
        if url != draft.url:
            self._tell(draft, "its url holds a password, which is not copied: use credentials")
        values: dict[str, Value] = {"document_id": "", "url": url}
        optional: dict[str, Value] = {
            "urls": draft.urls,
            "title": draft.title[:200],
            "select": draft.select,
            "remove": draft.remove,
            "headers": dict(draft.headers),
            "render": draft.render,
            "proxy": draft.proxy,
            "ignore_robots": draft.ignore_robots,
        }
        values |= {key: value for key, value in optional.items() if value}
        try:
            wanted = draft.document_id or _slug(draft.name) or suggest_document_id(url)
            entry = DocumentEntry.model_validate(values | {"document_id": wanted})
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            key = ".".join(map(str, fault["loc"]))
            self._tell(draft, f"{key}: {fault['msg'].removeprefix('Value error, ')}: left out")
            return
        except UsageError as error:
            self._tell(draft, f"{error.message}: left out")
            return
        same = next((old for old in self.watched.values() if _same(old, entry)), None)
        if same is not None:
            self._tell(draft, f"{url} is watched already, as {same.document_id}: left out")
            return
        name = wanted if draft.document_id else self._free(wanted)
        if name in self.watched:
            self._tell(draft, f"the document_id {name} is taken: left out")
            return
        self.watched[name] = entry.model_copy(update={"document_id": name})
        self.entries.append((draft, values | {"document_id": name}))

    def _free(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self.watched:
            name, number = f"{wanted}-{number}", number + 1
        return name

    def _tell(self, draft: Draft, what: str) -> None:
        self.told.append(Told(draft.where, what))


def import_files(config: Path, files: Sequence[Path], form: str, *, dry_run: bool) -> None:
    """Write one file of entries for each of `files`; with `dry_run` print them.

    Raises:
        UsageError: the format does not exist, or a file cannot be read.
        ImportFileError: a file is not what it was taken for; nothing is written.
    """
    settings = load(config)
    watched = {entry.document_id: entry for entry in settings.documents}
    plans: list[tuple[Path, _Plan]] = []
    for file in files:
        plan = _Plan(watched)
        _read(file, form, plan)
        plans.append((file, plan))
    for file, plan in plans:
        show_lines((f"{file}: {told.where}: {told.what}" for told in plan.told), stream=sys.stderr)
        text = _toml(file.name, plan.entries)
        if dry_run:
            show_lines(text.splitlines())
        elif plan.entries:
            path = _write_new(settings.documents_dir, file.stem, text)
            show_lines([f"wrote {path}: {len(plan.entries)} documents"])
        if not plan.entries:
            show_lines([f"{file}: no document to add"], stream=sys.stderr)


def _read(file: Path, form: str, plan: _Plan) -> None:
    try:
        wanted = Format(form) if form else format_of(file.name)
    except ValueError:
        known = ", ".join(known.value for known in Format)
        raise UsageError(f"{form!r} is not a format", hint=f"one of {known}") from None
    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}", hint="name a UTF-8 file") from None
    if len(data) > _MAX_BYTES:
        raise UsageError(f"{file} is larger than {_MAX_BYTES} bytes", hint="divide it")
    try:
        found = convert(text, wanted)
    except ImportFileError as error:
        raise ImportFileError(f"{file}: {error.message}", hint=error.hint) from None
    plan.told.extend(found.told)
    for draft in found.drafts:
        plan.add(draft)


def _same(old: DocumentEntry, new: DocumentEntry) -> bool:
    return (old.url, old.urls, old.select, old.remove) == (
        new.url,
        new.urls,
        new.select,
        new.remove,
    )


def _without_user(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    host = parts.netloc.rpartition("@")[2]
    return url if host == parts.netloc else urlunsplit(parts._replace(netloc=host))


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80].rstrip("-")


def _write_new(folder: Path, stem: str, text: str) -> Path:
    """Write `text` into a file of `folder` that did not exist, and return its path."""
    base = f"imported-{_slug(stem) or 'list'}"
    number = 1
    while True:
        path = folder / (f"{base}.toml" if number == 1 else f"{base}-{number}.toml")
        try:
            with path.open("x", encoding="utf-8") as stream:
                stream.write(text)
        except FileExistsError:
            number += 1
        else:
            return path


def _toml(source: str, entries: Iterable[tuple[Draft, Mapping[str, Value]]]) -> str:
    lines = [f"# Imported from {toml_string(source)}."]
    for draft, values in entries:
        lines += ["", f"# {toml_string(draft.where)[1:-1]}", "[[document]]"]
        lines += [f"{key} = {_value(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def _value(value: Value) -> str:
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, dict):
        pairs = (f"{toml_string(key)} = {toml_string(content)}" for key, content in value.items())
        return "{ " + ", ".join(pairs) + " }"
    return "[" + ", ".join(map(toml_string, value)) + "]"
