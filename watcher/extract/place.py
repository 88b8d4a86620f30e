"""Where a passage of a PDF stands, asked of the sandbox."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

import xxhash

from watcher.domain.text import CanonicalText
from watcher.errors import WatcherError
from watcher.extract import wire
from watcher.extract.frames import Kind
from watcher.extract.model import Limits
from watcher.extract.rects import PageBoxes, Place, place
from watcher.extract.sandbox import ask


class GeometryError(WatcherError):
    """The places in a PDF cannot be told."""

    code = "geometry"


def locate(
    data: bytes,
    text: CanonicalText,
    ranges: Iterable[tuple[int, int]],
    limits: Limits | None = None,
) -> Place:
    """Return where byte ranges of `text`, read from the PDF `data`, stand on its pages.

    Raises:
        GeometryError: pdfium is not installed, or cannot read the file.
        WorkerError: the sandbox does not start.
    """
    wanted = list(ranges)
    source = xxhash.xxh3_128_digest(data) + xxhash.xxh3_128_digest(text.data)
    parts = [part for start, end in wanted for part in text.split_at_pages(start, end)]
    known: dict[int, PageBoxes] = {}
    missing: set[int] = set()
    for number in {text.page_of(part.start) for part in parts}:
        boxes = _cache.get(source, number)
        if boxes is not None:
            known[number] = boxes
        else:
            missing.add(number)
    if missing:
        pages = [(text.pages[n - 1].start, text.pages[n - 1].end) for n in sorted(missing)]
        for body in _ask(Kind.PLACE, data, text, pages, 0, 0, limits or Limits()):
            boxes = _loaded(body)
            known[boxes.page] = boxes
            _cache.put(source, boxes)
    return place(text, wanted, known.get)


def _loaded(body: bytes) -> PageBoxes:
    try:
        return wire.load_boxes(body)
    except ValueError as error:
        raise GeometryError(f"cannot tell where the passage stands: {error}") from error


class _Cache:
    """The boxes of the pages asked for last, by source and text, bounded by their ink."""

    def __init__(self, most_ink: int) -> None:
        self._most = most_ink
        self._ink = 0
        self._pages: OrderedDict[tuple[bytes, int], PageBoxes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, source: bytes, number: int) -> PageBoxes | None:
        with self._lock:
            found = self._pages.get((source, number))
            if found is not None:
                self._pages.move_to_end((source, number))
            return found

    def put(self, source: bytes, boxes: PageBoxes) -> None:
        with self._lock:
            before = self._pages.pop((source, boxes.page), None)
            self._ink += len(boxes.starts) - (len(before.starts) if before else 0)
            self._pages[source, boxes.page] = boxes
            while self._ink > self._most and len(self._pages) > 1:
                _, oldest = self._pages.popitem(last=False)
                self._ink -= len(oldest.starts)


_cache = _Cache(1_000_000)
"""Twenty bytes a character: at most some 20 MB in this process."""


def picture(
    data: bytes,
    text: CanonicalText,
    ranges: Iterable[tuple[int, int]],
    page: int,
    *,
    dpi: int = 144,
    limits: Limits | None = None,
) -> bytes:
    """Return a PNG of `page` (from 1) with the byte ranges marked; errors as in `locate`."""
    return _ask(Kind.PICTURE, data, text, ranges, page, dpi, limits or Limits())[-1]


def _ask(
    kind: Kind,
    data: bytes,
    text: CanonicalText,
    ranges: Iterable[tuple[int, int]],
    page: int,
    dpi: int,
    limits: Limits,
) -> tuple[bytes, ...]:
    question = wire.dump_question(tuple(ranges), page, dpi, limits)
    answer = ask([(kind, question), (Kind.DATA, data), (Kind.DATA, text.data)], limits)
    if answer.problem is not None or not answer.bodies:
        why = answer.problem.message if answer.problem else "pdfium is missing or cannot read it"
        raise GeometryError(
            f"cannot tell where the passage stands: {why}",
            hint="install the extra: pip install policy-watcher[pdfium]",
        )
    return answer.bodies
