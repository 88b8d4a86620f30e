"""Any source to a reading, in a process of its own."""

from __future__ import annotations

from dataclasses import replace

from watcher.domain.reading import ExtractVerdict, MediaType, Problem, Reading
from watcher.domain.text import CanonicalText
from watcher.extract import ocr, wire
from watcher.extract.failure import failed
from watcher.extract.frames import Kind
from watcher.extract.media import detect_media_type
from watcher.extract.model import HAS_PDFIUM, Limits, Options, Source
from watcher.extract.parts import is_packed, read_parts
from watcher.extract.place import GeometryError, picture
from watcher.extract.sandbox import Usage, ask

_LEAST_RETRY = 2.0
"""CPU seconds that a second attempt gets at least."""

_LEAST_TEXT = 0.3
"""A second attempt at a garbled text gives at least this share of its bytes, or is none."""


def extract_isolated(
    source: Source, options: Options | None = None, limits: Limits | None = None
) -> Reading:
    """Return the reading of `source`, made in a process of its own.

    Bad input never raises: whatever the reader did, the verdict and the
    problem say so (`cpu`, `memory`, `crash`, `broken`, `size`). Safe to call
    from several threads.

    Raises:
        WorkerError: the sandbox itself does not start.
    """
    return measured(source, options, limits)[0]


def measured(
    source: Source, options: Options | None = None, limits: Limits | None = None
) -> tuple[Reading, Usage]:
    """Return the reading as `extract_isolated` does, and what it cost."""
    options, limits = options or Options(), limits or Limits()
    if is_packed(source.data):
        return _measured_parts(source, options, limits)
    media_type = detect_media_type(source.data, source.media_type, source.name)
    if options.ocr and media_type is MediaType.PDF:
        return _with_ocr(source, options, limits)
    too_large = _too_large(len(source.data), media_type, limits)
    if too_large is not None:
        return failed(ExtractVerdict.FAILED, too_large, media_type), Usage()
    reading, usage = _attempt(source, options, limits, media_type)
    if media_type is MediaType.PDF and _deserves_retry(reading, options):
        left = replace(
            limits, cpu_seconds=max(_LEAST_RETRY, limits.cpu_seconds - usage.cpu_seconds)
        )
        other = replace(options, pdf_engine="pdfium", compare=False)
        second, more = _attempt(source, other, left, media_type)
        usage = Usage(usage.cpu_seconds + more.cpu_seconds, max(usage.peak_bytes, more.peak_bytes))
        if second.usable and len(second.text) >= _LEAST_TEXT * len(reading.text):
            why = reading.problems[0].message if reading.problems else reading.verdict.value
            note = Problem("retried", f"pypdf cannot read it ({why}); pdfium did")
            partial = ExtractVerdict.PARTIAL
            return replace(second, verdict=partial, problems=(note, *second.problems)), usage
    return reading, usage


def _with_ocr(source: Source, options: Options, limits: Limits) -> tuple[Reading, Usage]:
    """Read a PDF, then the pages without a text layer from their images."""
    try:
        recipe = ocr.recipe(options.ocr)
    except ocr.OcrError as error:
        return ocr.lacking(error), Usage()
    reading, usage = measured(source, replace(options, ocr=()), limits)

    def render(number: int) -> bytes:
        try:
            return picture(source.data, CanonicalText(b""), (), number, dpi=ocr.DPI, limits=limits)
        except GeometryError as error:
            raise ocr.OcrError(str(error)) from error

    return ocr.read_images(reading, recipe, render), usage


def _measured_parts(source: Source, options: Options, limits: Limits) -> tuple[Reading, Usage]:
    """Read the parts of a container, each in a process of its own."""
    usages: list[Usage] = []

    def read(part: Source) -> Reading:
        reading, usage = measured(part, options, limits)
        usages.append(usage)
        return reading

    reading = read_parts(source, read)
    cpu_seconds = sum(usage.cpu_seconds for usage in usages)
    return reading, Usage(cpu_seconds, max((usage.peak_bytes for usage in usages), default=0))


def _deserves_retry(reading: Reading, options: Options) -> bool:
    return (
        HAS_PDFIUM
        and options.pdf_engine == "auto"
        and reading.verdict in (ExtractVerdict.FAILED, ExtractVerdict.GARBLED)
        and not any(problem.code == "cpu" for problem in reading.problems)
    )


def _too_large(size: int, media_type: MediaType | None, limits: Limits) -> Problem | None:
    markup = media_type in (MediaType.HTML, MediaType.MARKDOWN, MediaType.TEXT)
    bound = limits.markup_bytes if markup else limits.source_bytes
    if size <= bound:
        return None
    return Problem("size", f"has {size} bytes; at most {bound} are read")


def _attempt(
    source: Source, options: Options, limits: Limits, media_type: MediaType | None
) -> tuple[Reading, Usage]:
    job = wire.dump_job(source, options, limits)
    answer = ask([(Kind.JOB, job), (Kind.DATA, source.data)], limits)
    problem, reading = answer.problem, None
    if answer.bodies:
        try:
            reading = wire.load_reading(answer.bodies[-1])
        except ValueError as error:
            problem = Problem("crash", str(error))
    if reading is None:
        problem = problem or Problem("crash", "its reader said nothing")
        return failed(ExtractVerdict.FAILED, problem, media_type), answer.usage
    if problem is not None:
        # The text was done; only the comparison with the second engine was cut off.
        note = Problem("not_compared", f"the second engine failed: {problem.message}")
        reading = replace(reading, problems=(*reading.problems, note))
    return reading, answer.usage
