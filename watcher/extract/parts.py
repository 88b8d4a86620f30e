"""One document out of several sources: their bytes in one container, their texts in one.

The container is one line that names the format, one line of JSON with each
part's address, type, charset and size, and then the parts' bytes exactly as
they came, one after the other. Equal parts give equal containers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from watcher.domain.ranges import Range
from watcher.domain.reading import JOINED, ExtractVerdict, Problem, Reading, Rendition
from watcher.domain.text import CanonicalText
from watcher.extract.failure import failed
from watcher.extract.model import Source

PARTS_TYPE = "application/vnd.watcher.parts"
_MAGIC = b"watcher-parts/1\n"
MAX_PARTS = 50


@dataclass(frozen=True, slots=True)
class Part:
    """One source: its address without secrets, what its sender said of it, its bytes."""

    url: str
    content_type: str
    charset: str
    data: bytes


def pack(parts: Sequence[Part]) -> bytes:
    """Return the container of `parts` in their order."""
    head = [[part.url, part.content_type, part.charset, len(part.data)] for part in parts]
    line = json.dumps(head, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
    return _MAGIC + line + b"".join(part.data for part in parts)


def is_packed(data: bytes) -> bool:
    """Tell whether `data` begins like a container."""
    return data.startswith(_MAGIC)


def unpack(data: bytes) -> tuple[Part, ...]:
    """Return the parts of a container.

    Raises:
        ValueError: it is damaged, or none.
    """
    end = data.find(b"\n", len(_MAGIC))
    if not is_packed(data) or end < 0:
        raise ValueError("this is no container of parts")
    try:
        head = json.loads(data[len(_MAGIC) : end])
        rows = [(str(url), str(kind), str(charset), int(size)) for url, kind, charset, size in head]
    except (TypeError, RecursionError) as error:
        raise ValueError("the list of parts is damaged") from error
    parts, position = [], end + 1
    for url, kind, charset, size in rows:
        if size < 0 or position + size > len(data):
            raise ValueError("a part is cut off")
        parts.append(Part(url, kind, charset, data[position : position + size]))
        position += size
    if position != len(data) or not 1 <= len(parts) <= MAX_PARTS:
        raise ValueError("the parts do not fill the container")
    return tuple(parts)


def read_parts(source: Source, read: Callable[[Source], Reading]) -> Reading:
    """Return the reading of a container, each part read by `read`."""
    try:
        parts = unpack(source.data)
    except ValueError as error:
        return failed(ExtractVerdict.FAILED, Problem("crash", str(error)))
    if any(is_packed(part.data) for part in parts):
        return failed(ExtractVerdict.FAILED, Problem("crash", "a part is a container itself"))
    readings = []
    for part in parts:
        name = part.url.split("?", maxsplit=1)[0].rsplit("/", 1)[-1]
        readings.append(
            read(Source(part.data, part.content_type or None, part.charset or None, name))
        )
    return join(readings)


def join(readings: Sequence[Reading]) -> Reading:
    """Return one reading of several, in their order: each begins a page of its own.

    The first that has no usable text decides the verdict: half a document is
    none.
    """
    for number, reading in enumerate(readings, start=1):
        if not reading.usable:
            note = Problem("part", f"part {number} of {len(readings)} gives no text")
            return replace(reading, text=CanonicalText(b""), problems=(note, *reading.problems))
    data, moved = bytearray(), []
    pages = 0
    for number, reading in enumerate(readings, start=1):
        # A page within a text does not end with LF; only the last one of all does.
        text = reading.text.data if number == len(readings) else reading.text.data.rstrip(b"\n")
        if number > 1:
            data += b"\f"
        moved.append(_moved(reading, len(data), len(data) + len(text), pages, number))
        data += text
        pages += len(reading.text.pages)
    first = readings[0]
    partial = any(reading.verdict is ExtractVerdict.PARTIAL for reading in readings)
    agreements = [r.agreement for r in readings if r.agreement is not None]
    return Reading(
        text=CanonicalText(bytes(data)),
        media_type=first.media_type,
        rendition=_rendition([reading.rendition for reading in readings]),
        verdict=ExtractVerdict.PARTIAL if partial else ExtractVerdict.OK,
        page_labels=tuple(label for reading in moved for label in reading.page_labels),
        title=next((reading.title for reading in readings if reading.title), ""),
        language=next((reading.language for reading in readings if reading.language), ""),
        charset=first.charset,
        headings=tuple(heading for reading in moved for heading in reading.headings),
        links=tuple(link for reading in moved for link in reading.links),
        struck=tuple(struck for reading in moved for struck in reading.struck),
        images=tuple(image for reading in readings for image in reading.images),
        landmarks=tuple(landmark for reading in moved for landmark in reading.landmarks),
        hidden_characters=sum(reading.hidden_characters for reading in readings),
        agreement=min(agreements, default=None),
        problems=tuple(problem for reading in moved for problem in reading.problems),
    )


def _moved(reading: Reading, start: int, end: int, pages: int, number: int) -> Reading:
    """Return `reading` with its ranges and pages where they are in the joined text."""

    def place(within: Range) -> Range:
        return Range(min(within.start + start, end), min(within.end + start, end))

    labels = reading.page_labels
    return replace(
        reading,
        page_labels=tuple(
            f"{number}.{label}" if len(labels) > 1 else str(number) for label in labels
        ),
        headings=tuple(replace(one, range=place(one.range)) for one in reading.headings),
        links=tuple(replace(one, range=place(one.range)) for one in reading.links),
        struck=tuple(map(place, reading.struck)),
        landmarks=tuple(replace(one, range=place(one.range)) for one in reading.landmarks),
        problems=tuple(
            replace(one, page=one.page + pages) if one.page else one for one in reading.problems
        ),
    )


def _rendition(renditions: Sequence[Rendition]) -> Rendition:
    """Return the recipe of a joined text: the parts' own where they share one."""
    first = renditions[0]
    if all(one == first for one in renditions):
        return first
    versions = {(f"{r.engine}.{name}", value) for r in renditions for name, value in r.versions}
    options = {(f"{r.engine}.{name}", value) for r in renditions for name, value in r.options}
    rules = next((one.rules for one in renditions if one.rules), "")
    return Rendition(JOINED, tuple(sorted(versions)), tuple(sorted(options)), rules)
