"""Bytes to a reading: the canonical text of a document and what stands beside it.

`extract` reads in this process; `extract_isolated` reads in a process of its
own that may crash, hang or run out of memory without harm. Everything that
came from outside goes through the second.
"""

from __future__ import annotations

from watcher.extract.inkmap import InkMap
from watcher.extract.isolate import extract_isolated
from watcher.extract.media import detect_media_type
from watcher.extract.model import Limits, Options, Source
from watcher.extract.place import GeometryError, locate, picture
from watcher.extract.read import extract
from watcher.extract.rects import Place, Rect
from watcher.extract.sandbox import WorkerError

__all__ = [
    "GeometryError",
    "InkMap",
    "Limits",
    "Options",
    "Place",
    "Rect",
    "Source",
    "WorkerError",
    "detect_media_type",
    "extract",
    "extract_isolated",
    "locate",
    "picture",
]
