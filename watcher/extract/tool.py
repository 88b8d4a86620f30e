"""`watcher extract`: files in, one record a file out, whatever the files are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO, TypedDict

from watcher.domain.reading import ExtractVerdict, MediaType, Problem, Reading
from watcher.extract.failure import failed
from watcher.extract.isolate import extract_isolated
from watcher.extract.model import Limits, Options, Source

_FIRST_LINES = 8
_WIDTH = 100
_MOST_PAGES_SHOWN = 12


class PageRecord(TypedDict):
    """A page: its number from 1, its label, and its range in UTF-8 bytes of the text."""

    page: int
    label: str
    start: int
    end: int


class ProblemRecord(TypedDict):
    """A problem; `page` is 0 where it concerns the whole file."""

    code: str
    message: str
    page: int


class Record(TypedDict):
    """The answer for one file. `version` is None and `text` empty where there is no version."""

    file: str
    version: str | None
    media_type: str | None
    rendition: str | None
    verdict: str
    pages: list[PageRecord]
    text: str
    problems: list[ProblemRecord]


def run(
    files: Iterable[str],
    media_type: str | None,
    out: TextIO,
    *,
    as_json: bool,
    options: Options | None = None,
    limits: Limits | None = None,
) -> None:
    """Write the answer for each file, in the order given, as soon as it is known."""
    for file in files:
        if as_json:
            record = answer(file, media_type, options, limits)
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
        else:
            out.write(report(file, read(file, media_type, options, limits)) + "\n")
        out.flush()


def answer(
    file: str,
    media_type: str | None = None,
    options: Options | None = None,
    limits: Limits | None = None,
) -> Record:
    """Return the record of one file; a missing or unreadable file has one too."""
    return record_of(file, read(file, media_type, options, limits))


def read(
    file: str,
    media_type: str | None = None,
    options: Options | None = None,
    limits: Limits | None = None,
) -> Reading:
    """Return the reading of one file, made in the sandbox."""
    limits = limits or Limits()
    path = Path(file)
    try:
        size = path.stat().st_size
        if size > limits.source_bytes:
            message = f"has {size} bytes; at most {limits.source_bytes} are read"
            return failed(ExtractVerdict.FAILED, Problem("size", message))
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return failed(ExtractVerdict.FAILED, Problem("unreadable", f"cannot read it: {reason}"))
    return extract_isolated(Source(data, media_type, name=path.name), options, limits)


def record_of(file: str, reading: Reading) -> Record:
    """Return the record of a reading. Only a text that may become a version is given."""
    usable = reading.usable
    text = reading.text
    return {
        "file": file,
        "version": text.version if usable else None,
        "media_type": reading.media_type.value if reading.media_type else None,
        "rendition": reading.rendition.rendition_id if reading.rendition.versions else None,
        "verdict": reading.verdict.value,
        "pages": [
            {"page": number, "label": label, "start": page.start, "end": page.end}
            for number, (page, label) in enumerate(
                zip(text.pages, reading.page_labels, strict=True), start=1
            )
        ]
        if usable
        else [],
        "text": text.data.decode() if usable else "",
        "problems": [
            {"code": problem.code, "message": problem.message, "page": problem.page}
            for problem in reading.problems
        ],
    }


def report(file: str, reading: Reading) -> str:
    """Return what a person wants to check, as lines of text."""
    text = reading.text
    lines = [f"{file}", f"  verdict     {reading.verdict.value}"]

    def add(name: str, value: object) -> None:
        lines.append(f"  {name:<11} {value}")

    if reading.media_type is not None:
        add("media type", reading.media_type.value)
    if reading.rendition.versions:
        versions = ", ".join(f"{name} {value}" for name, value in reading.rendition.versions)
        add(
            "rendition",
            f"{reading.rendition.rendition_id} ({reading.rendition.engine}: {versions})",
        )
    if reading.usable:
        add("version", text.version)
    _facts(reading, add)
    for problem in reading.problems:
        where = f"page {problem.page}: " if problem.page else ""
        add("problem", f"{problem.code}: {where}{problem.message}")
    if text.data:
        lines.append("  first lines")
        shown = [
            line for line in text.data.decode().replace("\f", "\n").split("\n") if line.strip()
        ]
        lines += [f"    {line[:_WIDTH]}" for line in shown[:_FIRST_LINES]]
    return "\n".join(lines)


def _facts(reading: Reading, add: Callable[[str, object], None]) -> None:
    text = reading.text
    if reading.title:
        add("title", reading.title)
    if reading.charset:
        add("charset", reading.charset)
    if text.data:
        add("text", f"{len(text)} bytes on {len(text.pages)} page(s)")
    if reading.media_type is MediaType.PDF and text.data:
        labels = list(reading.page_labels[:_MOST_PAGES_SHOWN])
        more = len(reading.page_labels) - len(labels)
        add("labels", " ".join(labels) + (f" and {more} more" if more > 0 else ""))
    for name, count in (
        ("headings", len(reading.headings)),
        ("links", len(reading.links)),
        ("struck", len(reading.struck)),
        ("landmarks", len(reading.landmarks)),
    ):
        if count:
            add(name, count)
    if reading.agreement is not None:
        add("agreement", f"{reading.agreement:.2%} of the ink in both engines")
    add("hidden", f"{reading.hidden_characters} characters")
