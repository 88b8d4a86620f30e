"""PDF to a reading: pages from an engine, structure from pypdf, a verdict from both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from watcher.domain.keys import KeyKind, make_key
from watcher.domain.ranges import Range
from watcher.domain.reading import (
    ExtractVerdict,
    Heading,
    MediaType,
    Problem,
    Reading,
    Rendition,
)
from watcher.domain.text import CanonicalText
from watcher.extract import pypdf_engine
from watcher.extract.canon import CANON, join_pages, regular_page
from watcher.extract.failure import failed
from watcher.extract.model import HAS_PDFIUM, Options, Source
from watcher.extract.pdf_model import (
    BrokenError,
    EncryptedError,
    OutlineItem,
    PageState,
    PageText,
    Structure,
)
from watcher.extract.pypdf_notes import NOTES

_SPARSE = 20
_IMAGE_SHARE = 0.2
"""A page with next to no text and images over this part of it is a scan."""
_DRAWN_PATHS = 150
_BAD_SHARE = 0.2
_BAD_LEAST = 10
"""A page with more unreadable characters than this share, and this many, is garbled."""
_BAD = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")
Versions = tuple[tuple[str, str], ...]
Progress = Callable[[int], None]
"""Told the number of pages read so far; a worker earns CPU time by it."""


def read_pdf(source: Source, options: Options, progress: Progress = lambda _: None) -> Reading:
    """Return the reading of a PDF; damage gives a verdict, never an exception.

    MemoryError alone passes through: the caller knows its limits.
    """
    if options.pdf_engine != "pdfium":
        return _with_pypdf(source.data, progress)
    pdfium = _pdfium()
    if pdfium is None:
        problem = Problem("engine_missing", _INSTALL)
        return failed(ExtractVerdict.FAILED, problem, MediaType.PDF)
    return _with_pdfium(source.data, progress, *pdfium)


_INSTALL = "pdfium is not installed here: pip install policy-watcher[pdfium]"


def _with_pypdf(data: bytes, progress: Progress) -> Reading:
    rendition = _rendition("pypdf", pypdf_engine.VERSIONS)
    with pypdf_engine.bounded() as warnings:
        try:
            opened = pypdf_engine.Pdf(data, warnings)
        except (EncryptedError, BrokenError) as error:
            return _unopened(error, rendition)
        structure = opened.structure()
        pages = _counted(opened.pages(), progress)
    return assemble(pages, structure, rendition)


def _with_pdfium(
    data: bytes, progress: Progress, versions: Versions, read: Callable[[bytes], Iterable[PageText]]
) -> Reading:
    rendition = _rendition("pdfium", (*versions, ("notes", NOTES)))
    structure, opened = Structure(), None
    with pypdf_engine.bounded() as warnings:
        try:
            opened = pypdf_engine.Pdf(data, warnings)
            structure = opened.structure()
        except EncryptedError as error:
            return _unopened(error, rendition)
        except BrokenError as error:
            structure.problems.append(Problem("no_structure", f"pypdf cannot open it: {error}"))
        try:
            pages = _counted(read(data), progress)
        except (EncryptedError, BrokenError) as error:
            return _unopened(error, rendition)
        for number, page in enumerate(pages):
            if opened is not None:
                opened.note(number, page)
    return assemble(pages, structure, rendition)


def _unopened(error: EncryptedError | BrokenError, rendition: Rendition) -> Reading:
    if isinstance(error, EncryptedError):
        problem = Problem("encrypted", "it opens only with a password: publish it without one")
        return failed(ExtractVerdict.ENCRYPTED, problem, MediaType.PDF, rendition)
    problem = Problem("broken", str(error))
    return failed(ExtractVerdict.FAILED, problem, MediaType.PDF, rendition)


def _counted(pages: Iterable[PageText], progress: Progress) -> list[PageText]:
    found = []
    for page in pages:
        found.append(page)
        progress(len(found))
    return found


def _pdfium() -> tuple[Versions, Callable[[bytes], Iterable[PageText]]] | None:
    """Return pdfium's versions and reader; imported only when asked, so never by the daemon."""
    if not HAS_PDFIUM:
        return None
    from watcher.extract import pdfium_engine  # noqa: PLC0415

    return pdfium_engine.VERSIONS, pdfium_engine.pages


def _rendition(engine: str, versions: Versions) -> Rendition:
    return Rendition(engine, tuple(sorted((*versions, ("canon", CANON)))))


@dataclass(frozen=True, slots=True)
class _Judged:
    state: PageState
    text: str


def assemble(
    pages: list[PageText],
    structure: Structure,
    rendition: Rendition,
) -> Reading:
    """Return the reading of pages that an engine gave."""
    judged = [_judge(page) for page in pages]
    states = [page.state for page in judged]
    problems = [page.problem for page in pages if page.problem] + structure.problems
    problems += [
        Problem(_PROBLEM_OF[state], _SAYS[state], number)
        for number, state in enumerate(states, start=1)
        if state in _PROBLEM_OF
    ]
    problems += [
        Problem("attachment", f"has an attached file: {name}") for name in structure.attachments
    ]
    left_out = any(problem.code == "left_out" for problem in problems)
    data = join_pages([page.text for page in judged])
    verdict = _verdict(states, left_out, bool(data))
    if verdict is ExtractVerdict.FAILED:
        problems.insert(0, Problem("broken", "none of its pages with text can be read"))
    if not data and verdict is ExtractVerdict.OK:
        problems.append(Problem("empty", "no page has any text"))
    text = CanonicalText(data)
    labels = structure.labels
    if len(labels) != len(pages):
        labels = [str(number + 1) for number in range(len(pages))]
    return Reading(
        text=text,
        media_type=MediaType.PDF,
        rendition=rendition,
        verdict=verdict,
        page_labels=tuple(labels),
        title=structure.title,
        language=structure.language,
        headings=_headings(text, structure.outline) if data else (),
        hidden_characters=sum(page.hidden for page in pages),
        problems=tuple(problems),
    )


_PROBLEM_OF = {
    PageState.SCANNED: "needs_ocr",
    PageState.DRAWN: "drawn",
    PageState.GARBLED: "garbled",
}
_SAYS = {
    PageState.SCANNED: "the page is an image without text",
    PageState.DRAWN: "the page is drawn and has no text",
    PageState.GARBLED: "its fonts do not say which characters these are",
}


def _judge(page: PageText) -> _Judged:
    text = regular_page(page.text)
    ink = "".join(text.split())
    if page.problem is not None and not ink:
        return _Judged(PageState.LOST, text)
    bad = max(page.guessed, len(_BAD.findall(page.text)))
    if bad >= _BAD_LEAST and bad > _BAD_SHARE * len(ink):
        return _Judged(PageState.GARBLED, text)
    if len(ink) < _SPARSE:
        if page.image_share > _IMAGE_SHARE:
            return _Judged(PageState.SCANNED, text)
        if page.paths > _DRAWN_PATHS:
            return _Judged(PageState.DRAWN, text)
    return _Judged(PageState.TEXT if ink else PageState.BLANK, text)


def _verdict(states: list[PageState], left_out: bool, has_text: bool) -> ExtractVerdict:
    count = states.count
    if count(PageState.LOST) and not has_text:
        return ExtractVerdict.FAILED
    good = count(PageState.TEXT)
    if count(PageState.GARBLED) > good:
        return ExtractVerdict.GARBLED
    if not good and count(PageState.SCANNED) + count(PageState.DRAWN):
        return ExtractVerdict.NEEDS_OCR
    if left_out or any(count(s) for s in (PageState.LOST, PageState.SCANNED, PageState.GARBLED)):
        return ExtractVerdict.PARTIAL
    return ExtractVerdict.OK


def _headings(text: CanonicalText, outline: list[OutlineItem]) -> tuple[Heading, ...]:
    """Return the outline's entries where their titles stand on their pages."""
    found = []
    for item in outline:
        if item.page >= len(text.pages):
            continue
        page = text.pages[item.page]
        key = make_key(text.data[page.start : page.end], KeyKind.INK)
        title = make_key(item.title.encode("utf-8", "replace"), KeyKind.INK).text
        at = key.text.find(title) if title else -1
        if at >= 0:
            place = key.to_source(at, at + len(title))
            found.append(
                Heading(Range(page.start + place.start, page.start + place.end), item.level)
            )
    return tuple(sorted(found, key=lambda heading: heading.range.start))
