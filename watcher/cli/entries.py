"""Writing and checking configuration files for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

from watcher.clock import SystemClock
from watcher.domain.ids import document_id
from watcher.errors import UsageError
from watcher.fetch.browser import find_browser
from watcher.pipeline.deliver import build_senders
from watcher.pipeline.reminding import pattern_lines
from watcher.settings import load
from watcher.settings.documents import DocumentEntry
from watcher.settings.durations import format_duration
from watcher.settings.secrets import read_secret


def write_configuration(
    folder: Path, data_dir: str, contact: str, url: str, document: str
) -> Iterator[str]:
    """Write `watcher.toml` and a documents folder below `folder`; yield what was done.

    Raises:
        UsageError: the service file exists already, or the URL is not one.
    """
    service = folder / "watcher.toml"
    if service.exists():
        raise UsageError(f"{service} exists already", hint="edit it, or name another folder")
    template = resources.files("watcher.settings").joinpath("template.toml").read_text("utf-8")
    text = template.replace('data_dir = "var"  ', f"data_dir = {json.dumps(data_dir)}  ")
    text = text.replace('contact = ""  ', f"contact = {json.dumps(contact)}  ")
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    service.write_text(text, encoding="utf-8")
    yield f"wrote {service}"
    if url:
        name = document_id(document or suggest_document_id(url))
        path = write_entry(folder / "documents", entry_text(url, name), name)
        yield f"wrote {path}"
    load(service)
    yield f"next: watcher run --config {service}"


def write_entry(folder: Path, text: str, name: str) -> Path:
    """Write the entry `text` of the document `name` into `folder`; return its file.

    Raises:
        UsageError: the file exists already.
    """
    path = folder / f"{name}.toml"
    data = text.encode()
    try:
        with path.open("xb") as stream:
            stream.write(data)
    except FileExistsError:
        hint = "edit it, then run `watcher check`; or give another --document id"
        raise UsageError(f"{path} exists already", hint=hint) from None
    return path


def entry_text(url: str, name: str, title: str = "", networks: tuple[str, ...] = ()) -> str:
    """Return the TOML of an entry, ready to paste into a documents file."""
    lines = [
        "[[document]]",
        f"document_id = {json.dumps(name)}",
        f"url = {toml_string(url)}",
        f"title = {toml_string(title)}",
        'schedule = "6h"             # how often it is checked',
        'owner = ""                  # who is told of its changes',
        'severity = "ticket"         # page, ticket or info: the most its alerts may be',
    ]
    if networks:
        lines.append(f"allowed_networks = [{', '.join(map(toml_string, networks))}]")
    return "\n".join(lines) + "\n"


def toml_string(text: str) -> str:
    """Return a TOML basic string: JSON's, with everything escaped that does not print."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(
        char if char.isprintable() else f"\\U{ord(char):08x}"
        for char in json.dumps(whole, ensure_ascii=False)
    )


def suggest_document_id(url: str) -> str:
    """Return a document_id made from host and last path part of `url`.

    Raises:
        UsageError: `url` is not an http or https URL.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{url[:200]!r} is not an http or https URL", hint="give the full address")
    host = parts.hostname.removeprefix("www.")
    if host.rsplit(".", 1)[-1].isalpha():
        host = host.split(".")[0]
    tail = [part for part in parts.path.split("/") if part][-1:]
    name = "-".join([host, *tail]).lower().rsplit(".", 1)[0]
    return re.sub(r"[^a-z0-9._-]+", "-", name).strip("-._")[:80] or "document"


def check_configuration(path: Path) -> Iterator[str]:
    """Load everything that `path` names, secrets included; yield what stands there.

    Raises:
        ConfigError: with one line for each mistake.
    """
    settings = load(path)
    if settings.fetch.proxy_secret:
        read_secret(settings.fetch.proxy_secret, "[fetch] proxy_secret")
    for entry in settings.documents:
        for reference in (entry.credentials and entry.credentials.secret, entry.proxy_secret):
            if reference:
                read_secret(reference, f"document {entry.document_id}")
    build_senders(settings)
    if any(entry.render == "browser" for entry in settings.documents):
        find_browser()
    yield f"{path}: ok, {len(settings.documents)} documents, {len(settings.channels)} channels"
    for entry in settings.documents:
        yield _row(entry)
    yield from pattern_lines(settings, SystemClock().now().date())


def _row(entry: DocumentEntry) -> str:
    every = format_duration(entry.schedule)
    return f"  {entry.document_id}: every {every}, {entry.severity.value}, {entry.url}"
