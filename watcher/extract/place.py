"""Where a passage of a PDF stands, asked of the sandbox."""

from __future__ import annotations

from collections.abc import Iterable

from watcher.domain.text import CanonicalText
from watcher.errors import WatcherError
from watcher.extract import wire
from watcher.extract.frames import Kind
from watcher.extract.model import Limits
from watcher.extract.rects import Place
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
    return wire.load_place(_ask(Kind.PLACE, data, text, ranges, 0, 0, limits or Limits()))


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
    return _ask(Kind.PICTURE, data, text, ranges, page, dpi, limits or Limits())


def _ask(
    kind: Kind,
    data: bytes,
    text: CanonicalText,
    ranges: Iterable[tuple[int, int]],
    page: int,
    dpi: int,
    limits: Limits,
) -> bytes:
    question = wire.dump_question(tuple(ranges), page, dpi, limits)
    answer = ask([(kind, question), (Kind.DATA, data), (Kind.DATA, text.data)], limits)
    if answer.problem is not None or not answer.bodies:
        why = answer.problem.message if answer.problem else "pdfium is missing or cannot read it"
        raise GeometryError(
            f"cannot tell where the passage stands: {why}",
            hint="install the extra: pip install policy-watcher[pdfium]",
        )
    return answer.bodies[-1]
