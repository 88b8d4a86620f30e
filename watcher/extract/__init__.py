"""Bytes to a reading: the canonical text of a document and what stands beside it.

`extract` reads in this process; `extract_isolated` reads in a process of its
own that may crash, hang or run out of memory without harm. Everything that
came from outside goes through the second.
"""

from __future__ import annotations

from watcher.extract.isolate import WorkerError, extract_isolated
from watcher.extract.media import detect_media_type
from watcher.extract.model import Limits, Options, Source
from watcher.extract.read import extract

__all__ = [
    "Limits",
    "Options",
    "Source",
    "WorkerError",
    "detect_media_type",
    "extract",
    "extract_isolated",
]
