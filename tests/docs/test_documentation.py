"""The documentation names what exists: every setting, every command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from watcher.cli.main import app
from watcher.settings import DocumentEntry, Settings

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def keys(model: type[BaseModel], prefix: str = "") -> list[str]:
    found = []
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found += keys(kind, f"{prefix}{name}.")
        else:
            found.append(prefix + name)
    return found


# Entries are files of their own and channels have a section of their own.
APART = {"documents", "channels"}


@pytest.mark.parametrize("key", sorted({*keys(Settings), *keys(DocumentEntry)} - APART))
def test_every_setting_is_explained(key: str) -> None:
    assert f"| `{key}` |" in CONFIGURATION


def test_every_command_is_named_in_the_readme() -> None:
    names = {command.name for command in app.registered_commands}
    names |= {group.name for group in app.registered_groups}
    for name in names - {None}:
        assert re.search(rf"`[^`]*\b{name}\b", README), name


@pytest.mark.parametrize("target", re.findall(r"\]\(([a-z][^):]*)\)", README))
def test_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
