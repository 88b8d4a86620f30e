"""Readings and jobs as bytes between two processes.

JSON, and rebuilt field by field: the process on the other side has just read
hostile input, so nothing that it says is executed (no pickle) and nothing is
taken that is not of the expected type. Boxes alone are numbers in binary.
"""

from __future__ import annotations

import struct
from array import array

from pydantic import BaseModel, ValidationError

from watcher.domain.ranges import Range
from watcher.domain.reading import (
    ExtractVerdict,
    Heading,
    Landmark,
    LandmarkRange,
    Link,
    MediaType,
    Problem,
    Reading,
    Rendition,
)
from watcher.domain.text import CanonicalText
from watcher.extract.model import Limits, Options, Source
from watcher.extract.rects import PageBoxes


class _Job(BaseModel):
    media_type: str | None
    charset: str | None
    name: str
    options: Options
    limits: Limits


class _Question(BaseModel):
    ranges: tuple[tuple[int, int], ...]
    page: int
    dpi: int
    limits: Limits


class _Reading(BaseModel):
    text: str
    media_type: MediaType | None
    engine: str
    versions: list[tuple[str, str]]
    asked: list[tuple[str, str]]
    rules: str
    verdict: ExtractVerdict
    page_labels: list[str]
    title: str
    language: str
    charset: str
    headings: list[tuple[int, int, int, str]]
    links: list[tuple[int, int, str]]
    struck: list[tuple[int, int]]
    images: list[str]
    landmarks: list[tuple[Landmark, int, int]]
    hidden_characters: int
    agreement: float | None
    problems: list[tuple[str, str, int]]


def dump_job(source: Source, options: Options, limits: Limits) -> bytes:
    """Return everything of a job but the source's bytes."""
    job = _Job(
        media_type=source.media_type,
        charset=source.charset,
        name=source.name,
        options=options,
        limits=limits,
    )
    return job.model_dump_json().encode()


def load_job(body: bytes, data: bytes) -> tuple[Source, Options, Limits]:
    """Return the job that `dump_job` made, for the source's bytes `data`."""
    job = _Job.model_validate_json(body)
    return Source(data, job.media_type, job.charset, job.name), job.options, job.limits


def dump_question(
    ranges: tuple[tuple[int, int], ...], page: int, dpi: int, limits: Limits
) -> bytes:
    """Return a question about places; `page` is the one to draw, with `dpi` dots to the inch."""
    return _Question(ranges=ranges, page=page, dpi=dpi, limits=limits).model_dump_json().encode()


def load_question(body: bytes) -> tuple[tuple[tuple[int, int], ...], int, int, Limits]:
    """Return the question that `dump_question` made."""
    found = _Question.model_validate_json(body)
    return found.ranges, found.page, found.dpi, found.limits


def dump_boxes(boxes: PageBoxes) -> bytes:
    """Return the boxes of a page as bytes: its number, their count, starts and boxes."""
    head = _HEAD.pack(boxes.page, len(boxes.starts))
    return head + boxes.starts.tobytes() + boxes.boxes.tobytes()


def load_boxes(body: bytes) -> PageBoxes:
    """Return what `dump_boxes` made.

    Raises:
        ValueError: it is not that.
    """
    starts, boxes = array("I"), array("f")
    try:
        page, count = _HEAD.unpack_from(body)
    except struct.error as error:
        raise ValueError(f"not the boxes of a page: {error}") from error
    middle = _HEAD.size + count * starts.itemsize
    if len(body) != middle + 4 * count * boxes.itemsize:
        raise ValueError("not the boxes of a page: some are missing")
    starts.frombytes(body[_HEAD.size : middle])
    boxes.frombytes(body[middle:])
    return PageBoxes(page, starts, boxes)


_HEAD = struct.Struct("=II")


def dump_reading(reading: Reading) -> bytes:
    """Return a reading as bytes."""
    rendition = reading.rendition
    body = _Reading(
        text=reading.text.data.decode(),
        media_type=reading.media_type,
        engine=rendition.engine,
        versions=list(rendition.versions),
        asked=list(rendition.options),
        rules=rendition.rules,
        verdict=reading.verdict,
        page_labels=[_scalar(label) for label in reading.page_labels],
        title=_scalar(reading.title),
        language=_scalar(reading.language),
        charset=reading.charset,
        headings=[(*h.range, h.level, _scalar(h.element_id)) for h in reading.headings],
        links=[(*link.range, _scalar(link.target)) for link in reading.links],
        struck=[(r.start, r.end) for r in reading.struck],
        images=list(reading.images),
        landmarks=[(mark.kind, *mark.range) for mark in reading.landmarks],
        hidden_characters=reading.hidden_characters,
        agreement=reading.agreement,
        problems=[(p.code, _scalar(p.message), p.page) for p in reading.problems],
    )
    return body.model_dump_json().encode()


def load_reading(body: bytes) -> Reading:
    """Return the reading that `dump_reading` made.

    Raises:
        ValueError: it is not one, or a range lies outside its text.
    """
    try:
        found = _Reading.model_validate_json(body)
    except ValidationError as error:
        raise ValueError(f"not a reading: {error.error_count()} errors") from error
    text = CanonicalText(found.text.encode())
    size = len(text)
    return Reading(
        text=text,
        media_type=found.media_type,
        rendition=Rendition(found.engine, tuple(found.versions), tuple(found.asked), found.rules),
        verdict=found.verdict,
        page_labels=tuple(found.page_labels),
        title=found.title,
        language=found.language,
        charset=found.charset,
        headings=tuple(
            Heading(_inside(start, end, size), level, name)
            for start, end, level, name in found.headings
        ),
        links=tuple(Link(_inside(start, end, size), target) for start, end, target in found.links),
        struck=tuple(_inside(start, end, size) for start, end in found.struck),
        images=tuple(found.images),
        landmarks=tuple(
            LandmarkRange(kind, _inside(start, end, size)) for kind, start, end in found.landmarks
        ),
        hidden_characters=found.hidden_characters,
        agreement=found.agreement,
        problems=tuple(Problem(*problem) for problem in found.problems),
    )


def _inside(start: int, end: int, size: int) -> Range:
    if not 0 <= start <= end <= size:
        raise ValueError(f"range {start}:{end} is outside the text of {size} bytes")
    return Range(start, end)


def _scalar(text: str) -> str:
    """Return `text` with only characters that UTF-8 can carry and a person can be shown."""
    return "".join(
        "\ufffd" if "\ud800" <= char <= "\udfff" or char < " " else char for char in text
    )
