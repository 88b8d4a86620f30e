"""pypdf: opens every PDF, reads its structure and, as the default, its text."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from io import BytesIO
from typing import cast

import pypdf
from pypdf import PdfReader
from pypdf.errors import LimitReachedError, PyPdfError
from pypdf.generic import ArrayObject, Destination, DictionaryObject

from watcher.domain.reading import Problem
from watcher.extract.assembly import ASSEMBLY
from watcher.extract.canon import clean
from watcher.extract.cmaps import CMAPS
from watcher.extract.pdf_model import (
    BrokenError,
    EncryptedError,
    OutlineItem,
    PageText,
    Structure,
)
from watcher.extract.pypdf_notes import NOTES, add_notes
from watcher.extract.pypdf_text import Fonts, read_page

VERSIONS = (
    ("pypdf", version("pypdf")),
    ("fonttools", version("fonttools")),
    ("cryptography", version("cryptography")),
    ("brotli", version("brotli")),
    ("assembly", ASSEMBLY),
    ("cmaps", CMAPS),
    ("notes", NOTES),
)
"""Everything whose release can change the text; read once, at import."""

MOST_PAGES = 20_000
_MOST_WARNINGS = 20
_LOST = re.compile(r"[Ee]xceed|skipp|while decompressing|[Ll]imit")


_XFA = "it is an XFA form whose pages a viewer makes up: print it to a PDF and publish that"


class Warnings(logging.Handler):
    """What pypdf warns of in this thread: its only way to say that something is missing."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._thread = threading.get_ident()
        self._lost: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message that means lost text."""
        if threading.get_ident() != self._thread or len(self._lost) >= _MOST_WARNINGS:
            return
        message = record.getMessage()[:200]
        if _LOST.search(message):
            self._lost.append(message)

    def take(self) -> list[str]:
        """Return the messages since the last call."""
        taken, self._lost = self._lost, []
        return taken


@contextmanager
def bounded() -> Iterator[Warnings]:
    """Let pypdf work within limits, and collect what it warns of."""
    logger, warnings = logging.getLogger("pypdf"), Warnings()
    propagate = logger.propagate
    logger.addHandler(warnings)
    logger.propagate = False
    try:
        with pypdf.apply_configuration(
            zlib_maximum_output_length=20_000_000,
            lzw_maximum_output_length=20_000_000,
            run_length_maximum_output_length=20_000_000,
            brotli_maximum_output_length=20_000_000,
            stream_decoding_work_maximum_length=60_000_000,
            page_tree_maximum_entries=MOST_PAGES,
            jbig2dec_binary=None,
            disable_legacy_handling=True,
        ):
            yield warnings
    finally:
        logger.removeHandler(warnings)
        logger.propagate = propagate


class Pdf:
    """An open file.

    Raises:
        EncryptedError: it needs a password.
        BrokenError: it cannot be opened or has no page.
    """

    def __init__(self, data: bytes, warnings: Warnings) -> None:
        self._warnings = warnings
        try:
            self._reader = PdfReader(BytesIO(data), strict=False)
            locked = self._reader.is_encrypted and not self._reader.decrypt("")
            self.page_count = 0 if locked else len(self._reader.pages)
        except MemoryError:
            raise
        except Exception as error:
            # Not only PyPdfError: damaged files raise nearly anything here.
            raise BrokenError(_say(error)) from error
        if locked:
            raise EncryptedError
        if not self.page_count:
            raise BrokenError("it has no page")
        self._fonts = Fonts()
        self._hidden = self._hidden_layers()

    def pages(self) -> Iterator[PageText]:
        """Yield every page; one that cannot be read carries its problem instead."""
        for number in range(self.page_count):
            yield self._page(number)

    def note(self, number: int, found: PageText) -> None:
        """Add to the text of page `number` (from 0) what its annotations say."""
        if number < self.page_count:
            add_notes(found, self._reader.pages[number], self._fonts)

    def structure(self) -> Structure:
        """Return labels, outline and metadata, each as far as it can be read."""
        found = Structure()
        reader = self._reader
        with _tolerated(found, "labels"):
            found.labels = [_plain(label) for label in reader.page_labels]
        with _tolerated(found, "outline"):
            found.outline = list(self._outline())
        with _tolerated(found, "metadata"):
            metadata = reader.metadata
            found.title = _plain((metadata and metadata.title) or "")
        with _tolerated(found, "metadata"):
            found.language = _plain(reader.root_object.get("/Lang") or "")
        with _tolerated(found, "attachments"):
            found.attachments = sorted({_plain(item.name) for item in reader.attachment_list})
        if reader.root_object.get("/NeedsRendering"):
            found.problems.append(Problem("left_out", _XFA))
        return found

    def _page(self, number: int) -> PageText:
        try:
            self._warnings.take()
            found = read_page(self._reader.pages[number], self._fonts, self._hidden)
        except MemoryError:
            raise
        except LimitReachedError as error:
            return PageText(problem=Problem("limit", _say(error), number + 1))
        except Exception as error:  # noqa: BLE001 - one bad page must not cost the others
            return PageText(problem=Problem("page_broken", _say(error), number + 1))
        self.note(number, found)
        if found.problem is not None:
            found.problem = replace(found.problem, page=number + 1)
        elif lost := self._warnings.take():
            found.problem = Problem(
                "left_out", f"some of the page is damaged: {lost[0]}", number + 1
            )
        return found

    def _hidden_layers(self) -> frozenset[int]:
        """Return the object numbers of optional content that is off by default."""
        try:
            properties = self._reader.root_object.get("/OCProperties")
            if properties is None:
                return frozenset()
            config = cast("DictionaryObject", properties.get_object()["/D"].get_object())
            listed = config.get("/ON" if config.get("/BaseState") == "/OFF" else "/OFF")
            numbers = {
                item.idnum
                for item in cast("ArrayObject", listed.get_object() if listed else [])
                if hasattr(item, "idnum")
            }
            if config.get("/BaseState") != "/OFF":
                return frozenset(numbers)
            every = cast("ArrayObject", properties.get_object()["/OCGs"].get_object())
            return frozenset(item.idnum for item in every if hasattr(item, "idnum")) - numbers
        except (PyPdfError, AttributeError, KeyError, TypeError, ValueError):
            return frozenset()

    def _outline(self) -> Iterator[OutlineItem]:
        top: Iterator[object] = iter(self._reader.outline)
        stack = [(top, 1)]
        while stack:
            items, level = stack[-1]
            item = next(items, None)
            if item is None:
                stack.pop()
            elif isinstance(item, list):
                stack.append((iter(item), level + 1))
            else:
                destination = cast("Destination", item)
                page = self._reader.get_destination_page_number(destination)
                if page is not None and 0 <= page < self.page_count:
                    yield OutlineItem(_plain(destination.title or ""), level, page)


@contextmanager
def _tolerated(found: Structure, what: str) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a locator that cannot be read costs no text
        found.problems.append(Problem(f"no_{what}", f"cannot read the {what}: {_say(error)}"))


def _plain(value: object) -> str:
    """Return one line of what a text may hold."""
    return " ".join(clean(str(value)).split())


def _say(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:200]
