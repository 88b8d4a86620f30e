"""Pages without a text layer, read from their images by tesseract; only where a document asks.

pdfium renders a page in the sandbox; tesseract reads the picture in a process
of its own with limits on CPU time and memory, with nothing but the picture on
its standard input. Its recipe (release, languages, the models' hash) is in the
rendition of every text of such a document, and each page that came from it is
named in the reading.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import resource
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from watcher.domain.ranges import Range
from watcher.domain.reading import ExtractVerdict, Heading, MediaType, Problem, Reading, Rendition
from watcher.domain.text import CanonicalText
from watcher.extract.canon import join_pages, regular_page
from watcher.extract.failure import failed
from watcher.extract.model import HAS_PDFIUM, MIB

DPI = 300
"""Resolution of the pictures; part of the rendition."""
_LANGUAGE = re.compile(r"[a-z]{3}(_[a-z]{3,5})?")
"""How tesseract names a language: `eng`, `deu`, `chi_sim`."""
_UNREAD = frozenset(["needs_ocr", "drawn", "garbled"])
_LACKING = frozenset(["needs_ocr", "garbled", "left_out", "page_broken", "limit", "retried"])
"""Problems that leave a reading partial."""
_MOST_PAGES = 300
_CPU_SECONDS = 60
"""For one page."""
_WALL_SECONDS = 600.0
_MEMORY_BYTES = 2048 * MIB
_MOST_TEXT = 4 * MIB
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "OMP_THREAD_LIMIT": "1"}
_LISTED = re.compile(r'languages in "([^"]+)"')

Render = Callable[[int], bytes]
"""A page's number, from 1, to its picture as a PNG."""


class OcrError(Exception):
    """A page's picture was not read, or tesseract is not here; says why."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides the text: program, its release, languages, and a hash of their models."""

    program: str
    release: str
    languages: tuple[str, ...]
    models: str

    def noted_in(self, rendition: Rendition) -> Rendition:
        """Return `rendition` with this recipe in it."""
        versions = (*rendition.versions, ("tesseract", self.release), ("ocr_models", self.models))
        options = (*rendition.options, ("ocr", "+".join(self.languages)), ("ocr_dpi", str(DPI)))
        return replace(rendition, versions=tuple(sorted(versions)), options=tuple(sorted(options)))


def recipe(languages: tuple[str, ...]) -> Recipe:
    """Return what tesseract is here.

    Raises:
        OcrError: it, pdfium or a language is not installed; names the package.
    """
    program = shutil.which("tesseract")
    if program is None:
        raise OcrError("OCR needs tesseract: install the system package tesseract-ocr")
    if not HAS_PDFIUM:
        raise OcrError("OCR needs pdfium: pip install policy-watcher[pdfium]")
    release = _asked(program, "--version").split("\n")[0].removeprefix("tesseract").strip()
    listed = _LISTED.search(_asked(program, "--list-langs"))
    folder = Path(listed[1] if listed else "/nowhere")
    digest = hashlib.sha256()
    for language in languages:
        if not _LANGUAGE.fullmatch(language):
            raise OcrError(f"{language!r} is no language of tesseract: write eng, deu, chi_sim")
        model = folder / f"{language}.traineddata"
        try:
            facts = model.stat()
        except OSError:
            package = f"tesseract-ocr-{language.replace('_', '-')}"
            raise OcrError(
                f"OCR has no model of {language}: install the system package {package}"
            ) from None
        digest.update(_digest(model, facts.st_size, facts.st_mtime_ns).encode())
    return Recipe(program, release, languages, digest.hexdigest()[:16])


def lacking(error: OcrError) -> Reading:
    """Return the reading of a document that asks for what is not installed."""
    return failed(ExtractVerdict.FAILED, Problem("engine_missing", str(error)), MediaType.PDF)


def read_images(reading: Reading, recipe: Recipe, render: Render) -> Reading:
    """Return `reading` with the pages that have no text layer read from their pictures.

    The recipe is in its rendition whether or not a page needed it, so that one
    scanned page more is a change of the document, not of how it is read.
    """
    reading = replace(reading, rendition=recipe.noted_in(reading.rendition))
    wanted = sorted({p.page for p in reading.problems if p.code in _UNREAD and p.page})
    if not wanted:
        return reading
    read: dict[int, str] = {}
    problems: dict[int, Problem] = {}
    for number in wanted[:_MOST_PAGES]:
        try:
            text = regular_page(_recognised(render(number), recipe))
        except OcrError as error:
            problems[number] = Problem("ocr_failed", str(error), number)
            continue
        if text.strip():
            read[number] = text
            said = f"read from its image by tesseract {recipe.release}"
            problems[number] = Problem("ocr", f"{said} ({'+'.join(recipe.languages)})", number)
    return _merged(reading, read, problems)


def _merged(reading: Reading, read: dict[int, str], problems: dict[int, Problem]) -> Reading:
    """Return the reading with the texts of `read` as its pages of these numbers."""
    data, old = reading.text.data, reading.text.pages
    pages = [data[page.start : page.end].decode().rstrip("\n") for page in old] if data else []
    pages += [""] * (len(reading.page_labels) - len(pages))
    for number, found in read.items():
        kept = [line for line in pages[number - 1].split("\n") if not _says(found, line)]
        pages[number - 1] = "\n".join([found, *kept])
    text = CanonicalText(join_pages(pages))
    told = [p for p in reading.problems if p.page not in read or p.code not in _UNREAD]
    told = [p for p in told if p.code != "empty" or not text.data] + list(problems.values())
    return replace(
        reading,
        text=text,
        verdict=_verdict(reading.verdict, told) if read else reading.verdict,
        headings=tuple(
            _moved(heading, reading.text, text)
            for heading in reading.headings
            if reading.text.page_of(heading.range.start) not in read
        ),
        problems=tuple(told),
    )


def _verdict(before: ExtractVerdict, problems: list[Problem]) -> ExtractVerdict:
    if before not in _MENDED:
        return before
    lacks = any(problem.code in _LACKING for problem in problems)
    return ExtractVerdict.PARTIAL if lacks else ExtractVerdict.OK


def _moved(heading: Heading, old: CanonicalText, new: CanonicalText) -> Heading:
    page = old.page_of(heading.range.start) - 1
    shift = new.pages[page].start - old.pages[page].start
    return replace(heading, range=Range(heading.range.start + shift, heading.range.end + shift))


_MENDED = frozenset([ExtractVerdict.NEEDS_OCR, ExtractVerdict.PARTIAL, ExtractVerdict.GARBLED])


def _says(text: str, line: str) -> bool:
    """Tell whether a line of the text layer says nothing that the image does not."""
    ink = "".join(line.split())
    return "\N{REPLACEMENT CHARACTER}" in ink or ink in "".join(text.split())


def _asked(program: str, question: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the program that is installed here
            [program, question],
            capture_output=True,
            check=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            env=_ENVIRONMENT,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise OcrError(f"tesseract does not answer {question}: {error}") from error
    return (done.stdout or done.stderr).decode("utf-8", "replace")


@lru_cache(maxsize=64)
def _digest(model: Path, _size: int, _changed: int) -> str:
    with model.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _recognised(image: bytes, recipe: Recipe) -> str:
    """Return what tesseract reads in a picture.

    Raises:
        OcrError: it failed, or went over its limits.
    """
    languages = "+".join(recipe.languages)
    command = [recipe.program, "stdin", "stdout", "-l", languages, "--dpi", str(DPI)]
    try:
        worker = subprocess.Popen(  # noqa: S603 - a program of ours, without a shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise OcrError(f"tesseract does not start: {error}") from error
    # The limits stand before the first byte of the picture is handed over.
    with worker, contextlib.suppress(ProcessLookupError):
        for kind, most in (
            (resource.RLIMIT_CPU, _CPU_SECONDS),
            (resource.RLIMIT_AS, _MEMORY_BYTES),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NPROC, 0),
        ):
            resource.prlimit(worker.pid, kind, (most, most))
        try:
            said, _ = worker.communicate(image, timeout=_WALL_SECONDS)
        except subprocess.TimeoutExpired:
            worker.kill()
            raise OcrError(f"tesseract did not end within {_WALL_SECONDS:.0f} seconds") from None
        except BaseException:
            worker.kill()
            raise
    if worker.returncode != 0:
        raise OcrError(f"tesseract ended with status {worker.returncode} (CPU, memory or damage)")
    if len(said) > _MOST_TEXT:
        raise OcrError(f"tesseract gives more than {_MOST_TEXT} bytes for one page")
    return said.decode("utf-8", "replace").replace("\f", "\n")
