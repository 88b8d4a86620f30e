"""Lists of other tools, turned into document entries: pure converters.

`convert` reads the text of a file and returns drafts of entries, and what of
the file has no counterpart here, place by place: nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import PurePath

from watcher.pipeline.importing.model import Converted, Draft, ImportFileError, Told
from watcher.pipeline.importing.open_terms import from_open_terms
from watcher.pipeline.importing.url_list import from_url_list
from watcher.pipeline.importing.urlwatch import from_urlwatch

__all__ = ["Converted", "Draft", "Format", "ImportFileError", "Told", "convert", "format_of"]


class Format(StrEnum):
    """The files that can be imported."""

    URLS = "urls"
    URLWATCH = "urlwatch"
    OPEN_TERMS = "open-terms"


_SUFFIXES = {
    ".yaml": Format.URLWATCH,
    ".yml": Format.URLWATCH,
    ".json": Format.OPEN_TERMS,
}
_READERS: dict[Format, Callable[[str], Converted]] = {
    Format.URLS: from_url_list,
    Format.URLWATCH: from_urlwatch,
    Format.OPEN_TERMS: from_open_terms,
}


def format_of(name: str) -> Format:
    """Return the format that a file's name stands for; a list of URLs where it says nothing."""
    return _SUFFIXES.get(PurePath(name).suffix.lower(), Format.URLS)


def convert(text: str, form: Format) -> Converted:
    """Return what the file's `text` holds.

    Raises:
        ImportFileError: it is not such a file, or not one that is read safely.
    """
    return _READERS[form](text)
